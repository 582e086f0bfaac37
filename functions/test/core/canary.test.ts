import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createTelemetry } from '../../src/aws/telemetry.ts';
import { declarativeMeaning } from '../../src/core/mapping.ts';
import {
  NOT_OURS_REASONS,
  PERMANENT_REASONS,
  type Reason,
  reasonText,
  TRANSIENT_REASONS,
  type TransientReason,
} from '../../src/core/reasons.ts';
import type { Meaning, SourceRecord } from '../../src/core/types.ts';
import type { CancellationReason } from '../../src/ports.ts';
import { Harness, MAPPING, type Options, record, START_MS } from './harness.ts';
import { row, store } from './stage-world.ts';

const SECRET = 'CANARY-4242-4242';

/** What the real logger and the real metrics wrote. */
let written: string[];
/** Inside of a `describe`: all.ts loads this file among others. */
function captureOutput(): void {
  beforeEach(() => {
    written = [];
    const record = (chunk: unknown) => written.push(String(chunk)) > 0;
    jest.spyOn(process.stdout, 'write').mockImplementation(record as never);
    jest.spyOn(process.stderr, 'write').mockImplementation(record as never);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
}

/** A harness whose telemetry also goes through that of the function, down to the lines on standard output. */
function loud(options: Options = {}): Harness {
  const h = new Harness(options);
  const real = createTelemetry('orders', 'DEBUG');
  for (const level of ['info', 'warn', 'error'] as const) {
    const record = h.telemetry[level].bind(h.telemetry);
    h.telemetry[level] = (message, fields) => {
      record(message, fields);
      real[level](message, fields);
    };
  }
  const count = h.telemetry.count.bind(h.telemetry);
  h.telemetry.count = (...args) => {
    count(...args);
    real.count(...args);
    real.flush();
  };
  return h;
}

/** Everything that leaves the process by another way than as the event itself. */
function everythingSaid(h: Harness): string {
  return JSON.stringify([
    written,
    h.telemetry.lines,
    h.telemetry.metrics,
    h.queue.deadLetters.map(({ attributes }) => attributes),
    h.queue.visibility,
    [...h.store.rows.values()].map(({ notifications: _, ...row }) => row),
  ]);
}

/** A meaning that gives one verdict, and whose handler throws the secret where the verdict is that it throws. */
function verdict(reason: Reason): Meaning {
  return {
    decode: (source) =>
      reason in NOT_OURS_REASONS
        ? { kind: 'not_ours', reason: reason as keyof typeof NOT_OURS_REASONS }
        : {
            kind: 'events',
            issues: [],
            events: [
              {
                eventId: 'o-1',
                payload: { secret: SECRET },
                payloadHash: 'v1:x',
                attributes: {},
                messageId: source.id ?? '',
              },
            ],
          },
    plan: () => {
      if (reason === 'handler_failed') throw new Error(`cannot read ${SECRET}`);
      return { kind: 'rejected', reason: reason as keyof typeof PERMANENT_REASONS };
    },
  };
}

describe('a secret in a body appears in no log, metric, error text or attribute', () => {
  captureOutput();
  it.each([...Object.keys(PERMANENT_REASONS), ...Object.keys(NOT_OURS_REASONS), 'handler_failed'] as Reason[])(
    '%s, as a verdict',
    async (reason) => {
      const h = loud({ meaning: verdict(reason) });
      await h.deliver(record('m1', { id: 'o-1', secret: SECRET }));
      expect(everythingSaid(h)).not.toContain(SECRET);
      expect(everythingSaid(h)).toContain(reason);
    },
  );

  const bodies: readonly [name: string, body: string, options: Options][] = [
    ['broken JSON', `{"id":"o-1","secret":"${SECRET}"`, {}],
    ['a member twice', `{"id":"o-1","secret":"${SECRET}","secret":"${SECRET}"}`, {}],
    ['an id of the wrong type', `{"id":{"secret":"${SECRET}"}}`, {}],
    [
      'a schema violation',
      `{"id":"o-1","secret":"${SECRET}"}`,
      { mapping: { jsonSchema: '{"properties":{"secret":{"type":"number"}}}' } },
    ],
    ['a number out of range', `{"id":"o-1","secret":"${SECRET}","n":1e400}`, {}],
    ['an item that is too large', `{"id":"o-1","secret":"${SECRET}","blob":"${'x'.repeat(420_000)}"}`, {}],
    [
      'a notification that is too large',
      `{"id":"o-1","secret":"${SECRET}","blob":"${'x'.repeat(300_000)}"}`,
      { mapping: { notification: '@' } },
    ],
    [
      'an expression that cannot be evaluated',
      `{"id":"o-1","secret":"${SECRET}"}`,
      { mapping: { businessItem: 'abs(secret)' } },
    ],
    ['a transient failure', `{"id":"o-1","secret":"${SECRET}"}`, {}],
  ];

  it.each(bodies)('%s', async (name, body, options) => {
    const h = loud(options);
    if (name === 'a transient failure') {
      h.store.commitFault = () => {
        throw new Error(`ValidationException: ${SECRET}`);
      };
    }
    await h.deliver(record('m1', body));
    expect(h.reasons()).toHaveLength(1);
    expect(everythingSaid(h)).not.toContain(SECRET);
  });
});

/** A record that is a secret but for its id. */
const secretly = (id: string, eventId: string, more: Parameters<typeof record>[2] = {}): SourceRecord =>
  record(id, { id: eventId, secret: SECRET }, more);

const cancelled = (...codes: string[]) => ({
  kind: 'cancelled' as const,
  // What AWS says of a reason, which nobody reads, repeats values.
  reasons: [codes.map((code): CancellationReason => ({ code, message: `${SECRET} is no key` }) as CancellationReason)],
  retried: false,
});

interface Scene {
  readonly options?: Options;
  /** What is wrong; what is thrown holds the secret. */
  readonly set?: (h: Harness) => void;
  /** By default one first delivery. */
  readonly records?: readonly SourceRecord[];
}

const mapped = declarativeMeaning(MAPPING);
const redelivered = [secretly('m1', 'o-1', { receiveCount: 2 })];
const leaseUntil = (ms: number) => (h: Harness) => {
  const decoded = mapped.decode(secretly('m1', 'o-1'));
  const payloadHash = decoded.kind === 'events' ? (decoded.events[0]?.payloadHash ?? '') : '';
  store(h, row({ payloadHash, leaseExpiresAtMs: START_MS + ms }));
};
const throwing = (method: 'commit' | 'readRows' | 'update') => (h: Harness) => {
  Object.assign(h.store, {
    [method]: () => Promise.reject(Object.assign(new TypeError(`cannot read ${SECRET}`), { secret: SECRET })),
  });
};

/** How each transient reason comes about; the compiler asks for a new one. */
const SCENES: Readonly<Record<TransientReason, Scene>> = {
  conflict: { set: (h) => (h.store.commitFault = () => cancelled('TransactionConflict', 'None')) },
  throttled: {
    set: (h) => (h.store.commitFault = () => ({ kind: 'throttled', name: 'ThrottlingException', retried: false })),
  },
  cancelled_unknown: { set: (h) => (h.store.commitFault = () => cancelled('None')) },
  commit_unknown: { set: (h) => (h.store.commitFault = () => ({ kind: 'unknown', name: 'TimeoutError' })) },
  commit_failed: {
    set: (h) =>
      (h.store.commitFault = () => ({
        kind: 'refused',
        name: 'AccessDeniedException',
        permanent: false,
        retried: false,
      })),
  },
  look_up_failed: { records: redelivered, set: (h) => (h.store.readFault = () => 'InternalServerError') },
  row_missing: { set: (h) => (h.store.commitFault = () => cancelled('ConditionalCheckFailed', 'None')) },
  row_newer: {
    records: redelivered,
    set: (h) => {
      leaseUntil(-1)(h);
      h.store.rows.set('o-1', { ...h.store.rows.get('o-1'), v: { N: '99' } });
    },
  },
  lease_held: { records: redelivered, set: leaseUntil(10_000) },
  takeover_failed: {
    records: redelivered,
    set: (h) => {
      leaseUntil(-60_000)(h);
      h.store.updateFault = () => 'failed';
    },
  },
  publish_failed: { set: (h) => (h.topic.fault = () => 'failed') },
  publish_unknown: { set: (h) => (h.topic.fault = () => 'lost') },
  mark_failed: { set: (h) => (h.store.updateFault = () => 'failed') },
  handler_failed: {
    options: {
      meaning: {
        ...mapped,
        plan: () => {
          throw Object.assign(new TypeError(`cannot read ${SECRET}`), { secret: SECRET });
        },
      },
    },
  },
  replan_exhausted: {
    options: {
      meaning: {
        ...mapped,
        plan: (event, items) => {
          const planned = mapped.plan(event, items);
          if (planned instanceof Promise || planned.kind !== 'plan') throw new Error('no plan');
          const writes = planned.plan.writes.map((write) => ({ ...write, onConditionFailed: 'replan' as const }));
          return { ...planned, plan: { ...planned.plan, writes } };
        },
      },
    },
    set: (h) => (h.store.commitFault = () => cancelled('None', 'ConditionalCheckFailed')),
  },
  deadline: {
    set: (h) => {
      h.store.commitFault = () => {
        h.clock.advance(28_500);
        return cancelled('TransactionConflict', 'None');
      };
    },
  },
  lane_blocked: {
    options: { settings: { source: 'sqs_fifo' } },
    records: [1, 2].map((n) => secretly(`m${n}`, `o-${n}`, { groupId: 'A' })),
    set: (h) => (h.topic.fault = () => 'failed'),
  },
  breaker_open: {
    records: Array.from({ length: 5 }, (_, i) => record(`m${i}`, `{"secret":"${SECRET}"`)),
  },
  quarantine_off: { options: { settings: { quarantine: false } }, records: [record('m1', `{"secret":"${SECRET}"`)] },
  quarantine_failed: {
    records: [record('m1', `{"secret":"${SECRET}"`)],
    set: (h) => {
      h.queue.refuseDeadLetters = true;
    },
  },
  commit_pending: {
    set: (h) =>
      (h.store.commitFault = (_events, call) =>
        call === 0
          ? { kind: 'unknown', name: 'TimeoutError' }
          : { kind: 'refused', name: 'ValidationException', permanent: true, retried: false }),
  },
  internal: { set: throwing('commit') },
};

describe('nor where it is transient', () => {
  captureOutput();
  it.each(Object.entries(SCENES))('%s', async (reason, { options, set, records }) => {
    const h = loud(options);
    set?.(h);
    const failed = await h.deliver(...(records ?? [secretly('m1', 'o-1')]));
    expect(failed).not.toEqual([]);
    expect(h.reasons()).toContain(reason);
    expect(everythingSaid(h)).not.toContain(SECRET);
    // The real lines were looked at: the message is in them, with the reason and its fixed text.
    expect(written.join('')).toContain(`"reason_text":"${reasonText(reason as Reason)}"`);
  });

  it.each(['commit', 'readRows', 'update'] as const)('%s throws it', async (method) => {
    const h = loud();
    throwing(method)(h);
    expect(await h.deliver(...redelivered)).toEqual(['m1']);
    expect(written.join('')).toContain('"error_name":"TypeError"');
    expect(everythingSaid(h)).not.toContain(SECRET);
  });

  it('a decoder throws it', async () => {
    const decode = () => {
      throw new SyntaxError(`Unexpected token in ${SECRET}`);
    };
    const h = loud({ meaning: { ...mapped, decode } });
    expect(await h.deliver(secretly('m1', 'o-1'))).toEqual(['m1']);
    expect(written.join('')).toContain('"error_name":"SyntaxError"');
    expect(everythingSaid(h)).not.toContain(SECRET);
  });

  it('a handler throws what is no Error', async () => {
    const plan = () => {
      throw `cannot read ${SECRET}`;
    };
    const h = loud({ meaning: { ...mapped, plan } });
    expect(await h.deliver(secretly('m1', 'o-1'))).toEqual(['m1']);
    expect(written.join('')).toContain('"error_name":"string"');
    expect(everythingSaid(h)).not.toContain(SECRET);
  });
});

describe('the vocabulary', () => {
  it('has one text for each reason, and each reason once', () => {
    const names = [PERMANENT_REASONS, TRANSIENT_REASONS, NOT_OURS_REASONS].flatMap((list) => Object.keys(list));
    expect(new Set(names).size).toBe(names.length);
  });
});
