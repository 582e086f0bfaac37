import { describe, expect, it } from '@jest/globals';
import { judgeCancellation } from '../../src/core/cancellation.ts';
import { declarativeMeaning } from '../../src/core/mapping.ts';
import type { BusinessWrite, Meaning } from '../../src/core/types.ts';
import type { CancellationReason, CommitEvent, CommitOutcome } from '../../src/ports.ts';
import { Harness, MAPPING, order, record } from './harness.ts';

const codes = (...list: string[]): CancellationReason[] => list.map((code) => ({ code }));

describe('reasons of a cancelled transaction (rule 1)', () => {
  it.each([
    [['ConditionalCheckFailed', 'None'], { kind: 'exists', row: undefined }],
    [['ConditionalCheckFailed', 'ConditionalCheckFailed'], { kind: 'exists', row: undefined }],
    [['ConditionalCheckFailed', 'ThrottlingError'], { kind: 'exists', row: undefined }],
    [['None', 'ConditionalCheckFailed'], { kind: 'condition', policy: 'reject' }],
    [['TransactionConflict', 'None'], { kind: 'transient', reason: 'conflict' }],
    [['TransactionConflict', 'ConditionalCheckFailed'], { kind: 'transient', reason: 'conflict' }],
    [['ValidationError', 'TransactionConflict'], { kind: 'transient', reason: 'conflict' }],
    [['ThrottlingError', 'None'], { kind: 'transient', reason: 'throttled' }],
    [['ProvisionedThroughputExceeded', 'None'], { kind: 'transient', reason: 'throttled' }],
    [['RequestLimitExceeded', 'None'], { kind: 'transient', reason: 'throttled' }],
    [['ValidationError', 'SomethingNew'], { kind: 'transient', reason: 'cancelled_unknown' }],
    [['ValidationError', 'ConditionalCheckFailed'], { kind: 'permanent', reason: 'request_refused' }],
    [['None', 'None', 'None'], { kind: 'transient', reason: 'cancelled_unknown' }],
    [['ItemCollectionSizeLimitExceeded', 'None'], { kind: 'permanent', reason: 'request_refused' }],
    [['ValidationError', 'None'], { kind: 'permanent', reason: 'request_refused' }],
    [['None', 'ValidationError'], { kind: 'permanent', reason: 'request_refused' }],
    [['None', 'SomethingNew'], { kind: 'transient', reason: 'cancelled_unknown' }],
    [['None', 'None'], { kind: 'innocent' }],
    [['None'], { kind: 'transient', reason: 'cancelled_unknown' }],
    [[], { kind: 'transient', reason: 'cancelled_unknown' }],
  ] as const)('C-15: %j', (reasons, verdict) => {
    expect(judgeCancellation(codes(...reasons), ['reject'])).toEqual(verdict);
  });

  it('C-15: a pipeline never acknowledges on a reason that is not its own row', async () => {
    const sets = [
      ['TransactionConflict', 'None'],
      ['ThrottlingError', 'None'],
      ['ProvisionedThroughputExceeded', 'None'],
      ['None', 'None'],
      [],
    ];
    for (const set of sets) {
      const h = new Harness();
      h.store.commitFault = () => ({
        kind: 'cancelled',
        reasons: set.length === 0 ? [] : [codes(...set)],
        retried: false,
      });
      expect(await h.deliver(record('m1', order('o-1')))).toEqual(['m1']);
      expect(h.queue.deadLetters).toEqual([]);
    }
  });

  it('of several failed conditions a rejection wins over a new plan, and that over superseding', () => {
    expect(
      judgeCancellation(codes('None', 'ConditionalCheckFailed', 'ConditionalCheckFailed'), ['supersede', 'replan']),
    ).toEqual({ kind: 'condition', policy: 'replan' });
    expect(
      judgeCancellation(codes('None', 'ConditionalCheckFailed', 'ConditionalCheckFailed'), ['replan', 'reject']),
    ).toEqual({ kind: 'condition', policy: 'reject' });
    expect(judgeCancellation(codes('None', 'None', 'ConditionalCheckFailed'), ['reject', 'supersede'])).toEqual({
      kind: 'condition',
      policy: 'supersede',
    });
  });
});

describe('the commit of one event', () => {
  const conflict: CommitOutcome = {
    kind: 'cancelled',
    reasons: [codes('None', 'TransactionConflict')],
    retried: false,
  };

  it('C-17: a conflict is tried again with jitter, and the event has one effect', async () => {
    const h = new Harness();
    h.store.commitFault = (_events, call) => (call < 2 ? conflict : undefined);
    expect(await h.deliver(record('m1', order('o-1')))).toEqual([]);
    expect(h.store.items.size).toBe(1);
    expect(h.telemetry.sum('Failed')).toBe(0);
  });

  it('C-17: retries are bounded, and only their end is counted', async () => {
    const h = new Harness();
    h.store.commitFault = () => conflict;
    expect(await h.deliver(record('m1', order('o-1')))).toEqual(['m1']);
    expect(h.store.commits).toHaveLength(4);
    expect(h.telemetry.sum('Failed', 'conflict')).toBe(1);
  });

  it('C-19: after a time-out the commit is sent anew; whichever of the two is executed, there is one effect', async () => {
    for (const executed of [true, false]) {
      const h = new Harness();
      h.store.commitFault = (_events, call) =>
        call > 0 ? undefined : executed ? 'executed_answer_lost' : { kind: 'unknown', name: 'TimeoutError' };
      expect(await h.deliver(record('m1', order('o-1')))).toEqual([]);
      expect(h.store.items.size).toBe(1);
      expect(h.topic.ids).toEqual(['o-1']);
    }
  });

  it('C-21: our own lost write is recognised by its lease, and the notification is published', async () => {
    const h = new Harness();
    h.store.commitFault = (_events, call) => (call === 0 ? 'executed_answer_lost' : undefined);
    h.store.readFault = () => undefined;
    expect(await h.deliver(record('m1', order('o-1')))).toEqual([]);
    expect(h.topic.ids).toEqual(['o-1']);
    expect(h.telemetry.sum('Committed')).toBe(1);
  });

  it('C-30: without the row in the reason it is read once, consistently; a row that is gone is transient', async () => {
    const h = new Harness();
    await h.deliver(record('m1', order('o-1')));
    h.store.hideRows = true;
    expect(await h.deliver(record('m2', order('o-1')))).toEqual([]);
    expect(h.store.reads).toEqual([['o-1']]);
    h.store.commitFault = () => ({
      kind: 'cancelled',
      reasons: [codes('ConditionalCheckFailed', 'None')],
      retried: false,
    });
    expect(await h.deliver(record('m3', order('o-3')))).toEqual(['m3']);
    expect(h.reasons()).toEqual(['row_missing']);
  });

  it('a rejection proves nothing while an earlier try of the call may still be executed', async () => {
    const h = new Harness();
    h.store.commitFault = () => ({
      kind: 'cancelled',
      reasons: [codes('None', 'ConditionalCheckFailed')],
      retried: true,
    });
    expect(await h.deliver(record('m1', order('o-1')))).toEqual(['m1']);
    expect(h.queue.deadLetters).toEqual([]);
    expect(h.reasons()).toEqual(['commit_pending']);
  });

  it('access denied is transient', async () => {
    const h = new Harness();
    h.store.commitFault = () => ({ kind: 'refused', name: 'AccessDeniedException', permanent: false, retried: false });
    expect(await h.deliver(record('m1', order('o-1')))).toEqual(['m1']);
    expect(h.reasons()).toEqual(['commit_failed']);
  });
});

describe('a group never condemns', () => {
  it('a whole call that is refused is split until the guilty event is alone', async () => {
    const h = new Harness();
    h.store.commitFault = (events) =>
      events.some(({ row }) => JSON.stringify(row.event_id).includes('"bad"'))
        ? { kind: 'refused', name: 'ValidationException', permanent: true, retried: false }
        : undefined;
    const batch = Array.from({ length: 9 }, (_, i) => record(`m${i}`, order(`o-${i}`)));
    expect(await h.deliver(...batch, record('m9', order('bad')))).toEqual([]);
    expect(h.queue.deadLetters.map(({ messageId }) => messageId)).toEqual(['m9']);
    expect(h.store.items.size).toBe(9);
  });

  it.each<[string, CommitOutcome]>([
    ['the whole call', { kind: 'refused', name: 'ValidationException', permanent: true, retried: false }],
    ['by a reason', { kind: 'cancelled', reasons: [codes('None', 'ValidationError')], retried: false }],
  ])(
    'a sort key above 1,024 bytes, which the plan does not tell from a hash key, is refused alone (%s)',
    async (_, no) => {
      const meaning: Meaning = {
        decode: declarativeMeaning(MAPPING).decode,
        plan: async (event) => {
          const key = { pk: { S: event.eventId }, sk: { S: 'x'.repeat(event.eventId === 'long' ? 1_025 : 1_024) } };
          const write: BusinessWrite = { kind: 'put', table: 'orders', key, item: key, onConditionFailed: 'reject' };
          return { kind: 'plan', plan: { writes: [write], notifications: [] } };
        },
      };
      const isLong = ({ writes }: CommitEvent) => JSON.stringify(writes).includes('x'.repeat(1_025));
      const h = new Harness({ meaning });
      h.store.commitFault = (events) => {
        if (!events.some(isLong)) return undefined;
        if (no.kind !== 'cancelled') return no;
        return { ...no, reasons: events.map((event) => codes('None', isLong(event) ? 'ValidationError' : 'None')) };
      };
      const batch = Array.from({ length: 4 }, (_, i) => record(`m${i}`, order(`o-${i}`)));
      expect(await h.deliver(...batch, record('m9', order('long')))).toEqual([]);
      expect(h.queue.deadLetters).toHaveLength(1);
      expect(h.queue.deadLetters[0]).toMatchObject({
        messageId: 'm9',
        attributes: { error_type: { value: 'request_refused' } },
      });
      expect(h.store.items.size).toBe(4);
    },
  );

  it('on a cancellation the guilty are settled alone and the innocent are sent again together', async () => {
    const h = new Harness();
    await h.deliver(record('m0', order('o-3')));
    const batch = Array.from({ length: 8 }, (_, i) => record(`m${i + 1}`, order(`o-${i}`)));
    expect(await h.deliver(...batch)).toEqual([]);
    expect(h.store.commits.map((group) => group.length)).toEqual([1, 8, 7]);
    expect(h.telemetry.sum('GroupCancellations')).toBe(1);
    expect(h.telemetry.sum('Duplicates')).toBe(1);
  });

  it('a cancellation that names nobody splits the group', async () => {
    const h = new Harness();
    h.store.commitFault = (events) =>
      events.length > 1
        ? { kind: 'cancelled', reasons: events.map(() => codes('None', 'None')), retried: false }
        : undefined;
    expect(await h.deliver(record('m1', order('o-1')), record('m2', order('o-2')))).toEqual([]);
    expect(h.store.commits.map((group) => group.length)).toEqual([2, 1, 1]);
  });

  it('groups shrink with conflicts and grow again', async () => {
    const h = new Harness();
    const batch = (n: number) => Array.from({ length: 50 }, (_, i) => record(`m${n}-${i}`, order(`o-${n}-${i}`)));
    h.store.commitFault = (events) =>
      events.length > 10
        ? {
            kind: 'cancelled',
            reasons: events.map((_, i) => codes('None', i === 0 ? 'TransactionConflict' : 'None')),
            retried: false,
          }
        : undefined;
    expect(await h.deliver(...batch(1))).toEqual([]);
    expect(Math.max(...h.store.commits.slice(-3).map((group) => group.length))).toBeLessThanOrEqual(10);
    h.store.commitFault = () => undefined;
    for (let n = 2; n < 14; n += 1) await h.deliver(...batch(n));
    expect(Math.max(...h.store.commits.slice(-2).map((group) => group.length))).toBe(50);
  });

  it('once first deliveries turn out to be duplicates, rows are read before they cancel a group', async () => {
    const h = new Harness();
    const batch = Array.from({ length: 50 }, (_, i) => record(`m${i}`, order(`o-${i}`)));
    await h.deliver(...batch);
    await h.deliver(...batch);
    const before = h.store.commits.length;
    await h.deliver(...batch);
    expect(h.store.commits).toHaveLength(before);
    expect(h.store.reads.at(-1)).toHaveLength(50);
  });

  it('a group whose answer is lost is confirmed by its rows, and published', async () => {
    const h = new Harness();
    h.store.commitFault = (_events, call) => (call === 0 ? 'executed_answer_lost' : undefined);
    expect(await h.deliver(...Array.from({ length: 5 }, (_, i) => record(`m${i}`, order(`o-${i}`))))).toEqual([]);
    expect(h.store.commits).toHaveLength(1);
    expect(h.topic.ids).toHaveLength(5);
  });
});

describe('a handler that reads first', () => {
  function counter(h0?: Harness) {
    return new Harness({
      ...(h0 === undefined ? {} : { on: h0 }),
      meaning: {
        decode: (source) => ({
          kind: 'events',
          issues: [],
          events: [
            {
              eventId: source.id ?? '',
              payload: {},
              payloadHash: `v1:${source.id}`,
              attributes: {},
              messageId: source.id ?? '',
            },
          ],
        }),
        reads: () => [{ table: 'orders', key: { pk: { S: 'counter' } } }],
        plan: (_event, [item]) => {
          const version = item?.version !== undefined && 'N' in item.version ? Number(item.version.N) : 0;
          const put = {
            kind: 'put',
            table: 'orders',
            key: { pk: { S: 'counter' } },
            item: { pk: { S: 'counter' }, version: { N: String(version + 1) } },
            onConditionFailed: 'replan',
          } as const;
          const condition =
            item === undefined
              ? { expression: 'attribute_not_exists(#pk)', names: { '#pk': 'pk' } }
              : { expression: 'version = :version', values: { ':version': { N: String(version) } } };
          return { kind: 'plan', plan: { writes: [{ ...put, condition }], notifications: [] } };
        },
      },
    });
  }

  it('plans again from a fresh read when the item has changed', async () => {
    const h = counter();
    expect(await h.deliver(record('m1', order('x')), record('m2', order('x')), record('m3', order('x')))).toEqual([]);
    expect([...h.store.items.values()]).toEqual([{ pk: { S: 'counter' }, version: { N: '3' } }]);
  });

  it('gives up for this delivery when the item changes every time', async () => {
    const h = counter();
    h.store.commitFault = () => ({
      kind: 'cancelled',
      reasons: [codes('None', 'ConditionalCheckFailed')],
      retried: false,
    });
    expect(await h.deliver(record('m1', order('x')))).toEqual(['m1']);
    expect(h.reasons()).toEqual(['replan_exhausted']);
  });
});
