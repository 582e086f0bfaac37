import { describe, expect, it } from '@jest/globals';
import { abandonOpen, inSuspectOrder, mayKill, openBatch } from '../../src/core/batch.ts';
import { declarativeMeaning } from '../../src/core/mapping.ts';
import type { Decoded, DecodedEvent, Planned, SourceRecord } from '../../src/core/types.ts';
import { failures, Harness, MAPPING, order, record } from './harness.ts';
import { event, hashOf, recordWork, settled, work, world } from './stage-world.ts';

describe('the answer names exactly the failed records of this batch', () => {
  it('C-02: a failing record without an id makes the batch fail loudly', async () => {
    const h = new Harness();
    h.store.commitFault = () => ({ kind: 'throttled', name: 'ThrottlingException', retried: false });
    const nameless = { ...record('m2', order('o-2')), id: undefined };
    await expect(h.invoke([record('m1', order('o-1')), nameless])).rejects.toThrow('a failing record has no id');
  });

  it('C-02: a record without an id that succeeds is no failure; no id is named twice', async () => {
    const h = new Harness();
    const nameless = { ...record('m2', order('o-2')), id: undefined };
    h.topic.fault = ({ message }) => (message.includes('o-3') ? 'failed' : undefined);
    expect(
      await h.deliver(record('m1', order('o-1')), nameless, record('m3', order('o-3')), record('m3', order('o-3'))),
    ).toEqual(['m3']);
  });

  it('C-03: every record failed: every record is named', async () => {
    const h = new Harness();
    h.store.commitFault = () => {
      throw new Error('a bug');
    };
    expect(await h.deliver(record('m1', order('o-1')), record('m2', order('o-2')))).toEqual(['m1', 'm2']);
    expect(h.reasons()).toEqual(['internal', 'internal']);
  });

  it('C-04: it resolves to an object with an array, after every write and publish has settled', async () => {
    const h = new Harness();
    let settled = false;
    const publish = h.topic.publish.bind(h.topic);
    h.topic.publish = async (...call) => {
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      settled = true;
      return publish(...call);
    };
    const answer = await h.invoke([record('m1', order('o-1'))]);
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(settled).toBe(true);
  });

  /** Plans all events but o-1, whose promise never settles: so much of the invocation passes while nothing happens. */
  function neverPlanned(passingMs: number): Harness {
    const meaning = declarativeMeaning(MAPPING);
    const h = new Harness({
      meaning: {
        decode: meaning.decode,
        plan: (event, items) => {
          if (event.eventId !== 'o-1') return meaning.plan(event, items);
          queueMicrotask(() => h.clock.advance(passingMs));
          return new Promise<Planned>(() => {});
        },
      },
    });
    return h;
  }

  it('C-04: a handler whose promise never settles costs its record, not the batch', async () => {
    const h = neverPlanned(29_900);
    expect(await h.deliver(record('m1', order('o-1'), { receiveCount: 3 }), record('m2', order('o-2')))).toEqual([
      'm1',
    ]);
    expect(h.store.status('o-2')).toBe('sent');
  });

  it('C-04: nor does it on its first receive, when nobody suspects it yet', async () => {
    const h = neverPlanned(14_250);
    expect(await h.deliver(record('m1', order('o-1')), record('m2', order('o-2')))).toEqual(['m1']);
    expect(h.reasons()).toEqual(['handler_failed']);
    expect(h.store.status('o-2')).toBe('sent');
  });

  it('C-06: nothing of an invocation is left in a warm container', async () => {
    const h = new Harness({ settings: { source: 'sqs_fifo', quarantine: false } });
    h.topic.fault = () => 'failed';
    expect(await h.deliver(record('A1', order('a-1'), { groupId: 'A' }))).toEqual(['A1']);
    h.topic.fault = () => undefined;
    expect(await h.deliver(record('A1', order('a-1'), { groupId: 'A', receiveCount: 2 }))).toEqual([]);
    expect(
      await h.deliver(record('A2', order('a-2'), { groupId: 'A' }), record('B1', order('b-1'), { groupId: 'B' })),
    ).toEqual([]);
  });
});

describe('one bad record harms no other', () => {
  it('C-12: copies of one event in a batch: one effect, no failure, no error in the log', async () => {
    const h = new Harness();
    const batch = [
      record('m1', order('o-1')),
      record('m2', order('o-2')),
      record('m3', order('o-1')),
      record('m4', order('o-1')),
    ];
    expect(await h.deliver(...batch)).toEqual([]);
    expect(h.store.items.size).toBe(2);
    expect(h.topic.ids.sort()).toEqual(['o-1', 'o-2']);
    expect(h.telemetry.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('C-13: a copy with another payload is a mismatch; a copy of a failing event is judged for itself', async () => {
    const h = new Harness();
    let failed = false;
    h.store.commitFault = (events) => {
      const hit = !failed && events.some(({ row }) => JSON.stringify(row.event_id).includes('o-2'));
      if (hit && events.length > 1)
        return { kind: 'refused', name: 'ValidationException', permanent: true, retried: false };
      if (!hit) return undefined;
      failed = true;
      return { kind: 'throttled', name: 'ThrottlingException', retried: false };
    };
    const batch = [
      record('m1', order('o-1')),
      record('m2', order('o-1', { amount: 99 })),
      record('m3', order('o-2')),
      record('m4', order('o-2')),
    ];
    expect(await h.deliver(...batch)).toEqual(['m3']);
    expect(h.store.status('o-2')).toBe('sent');
    expect(h.queue.deadLetters.map(({ messageId, attributes }) => [messageId, attributes.error_type?.value])).toEqual([
      ['m2', 'payload_mismatch'],
    ]);
    expect(h.topic.ids.sort()).toEqual(['o-1', 'o-2']);
  });

  it('C-14: events that write one item never share a transaction, and all of them are judged', async () => {
    const h = new Harness({ mapping: { businessKey: 'key', onExistingKey: 'overwrite' } });
    const batch = Array.from({ length: 4 }, (_, i) =>
      record(`m${i}`, order(`o-${i}`, { key: i < 3 ? 'hot' : 'cold' })),
    );
    expect(await h.deliver(...batch)).toEqual([]);
    expect(h.store.commits).toEqual([['o-0', 'o-3'], ['o-1'], ['o-2']]);
  });

  it('C-14: an event that writes one item twice is permanent on its own, before any call', async () => {
    const meaning = declarativeMeaning(MAPPING);
    const h = new Harness({
      meaning: {
        decode: meaning.decode,
        plan: async (event, items) => {
          const planned = await meaning.plan(event, items);
          if (planned.kind !== 'plan' || event.eventId !== 'o-1') return planned;
          return { kind: 'plan', plan: { ...planned.plan, writes: [...planned.plan.writes, ...planned.plan.writes] } };
        },
      },
    });
    expect(await h.deliver(record('m1', order('o-1')), record('m2', order('o-2')))).toEqual([]);
    expect(h.queue.deadLetters.map(({ attributes }) => attributes.error_type?.value)).toEqual([
      'transaction_self_conflict',
    ]);
    expect(h.store.commits).toEqual([['o-2']]);
  });

  it('keys that are one number in DynamoDB are one key: 1, 1.0 and 1e0', async () => {
    const h = new Harness({
      mapping: { businessHashKey: { name: 'pk', type: 'N' }, businessKey: 'key', onExistingKey: 'overwrite' },
    });
    await h.deliver(
      record('m1', '{"id":"o-1","key":1}'),
      record('m2', '{"id":"o-2","key":1.0}'),
      record('m3', '{"id":"o-3","key":10e-1}'),
    );
    expect(h.store.commits).toEqual([['o-1'], ['o-2'], ['o-3']]);
  });

  it('a handler that throws fails its own record, without a delay for the others', async () => {
    const meaning = declarativeMeaning(MAPPING);
    const h = new Harness({
      meaning: {
        decode: meaning.decode,
        plan: (event, items) => {
          if (event.eventId === 'o-1') throw new TypeError('a bug in the handler');
          return meaning.plan(event, items);
        },
      },
    });
    expect(await h.deliver(record('m1', order('o-1')), record('m2', order('o-2')))).toEqual(['m1']);
    expect(h.reasons()).toEqual(['handler_failed']);
  });

  it('a record that came back twice already is planned last, after the finished ones were deleted', async () => {
    const meaning = declarativeMeaning(MAPPING);
    const planned: string[] = [];
    const h = new Harness({
      meaning: {
        decode: meaning.decode,
        plan: (event, items) => {
          planned.push(`${event.eventId} after ${h.queue.deleted.length} deletes`);
          return meaning.plan(event, items);
        },
      },
    });
    await h.deliver(
      record('m1', order('o-1'), { receiveCount: 3 }),
      record('m2', order('o-2')),
      record('m3', order('o-3'), { receiveCount: 3 }),
    );
    expect(planned).toEqual(['o-2 after 0 deletes', 'o-1 after 1 deletes', 'o-3 after 2 deletes']);
  });

  it('who stands behind a suspect on one receive stands before it on the next, so that a killer starves nobody', async () => {
    const meaning = declarativeMeaning(MAPPING);
    const orders: string[][] = [];
    const h = new Harness({
      meaning: {
        decode: meaning.decode,
        plan: (event) => {
          orders.at(-1)?.push(event.eventId);
          throw new Error('comes back');
        },
      },
    });
    for (const receiveCount of [3, 4, 5]) {
      orders.push([]);
      await h.deliver(record('m1', order('o-1'), { receiveCount }), record('m2', order('o-2'), { receiveCount }));
    }
    expect(orders).toEqual([
      ['o-1', 'o-2'],
      ['o-2', 'o-1'],
      ['o-1', 'o-2'],
    ]);
  });

  it('the whole batch twice through one container: every record is acknowledged and nothing happens twice', async () => {
    const h = new Harness();
    const batch = Array.from({ length: 30 }, (_, i) => record(`m${i}`, order(`o-${i}`)));
    expect(failures(await h.invoke(batch))).toEqual([]);
    expect(failures(await h.invoke(batch))).toEqual([]);
    expect(h.topic.ids).toHaveLength(30);
  });
});

describe('a batch is opened record by record', () => {
  /** One record in a world whose decoder does as it is told. */
  function opened(decode: () => Decoded, source: SourceRecord = record('m1', {})) {
    const w = world({ meaning: { decode, plan: () => ({ kind: 'rejected', reason: 'business_rejected' }) } });
    return { works: openBatch(w.ctx, [source]), lines: w.h.telemetry.lines };
  }
  const events = (...all: DecodedEvent[]): Decoded => ({ kind: 'events', events: all, issues: [] });
  const nameless = (): SourceRecord => ({ ...record('m1', {}), id: undefined });

  it('its events are tried by this delivery of this message to this invocation', () => {
    const source = { ...record('m1', {}, { receiveCount: 2 }), traceHeader: 'Root=1-2-3' };
    const issues = [{ reason: 'not_json' }] as const;
    const { works, lines } = opened(() => ({ kind: 'events', events: [event()], issues }), source);
    expect(works).toStrictEqual([
      {
        record: source,
        state: { at: 'open' },
        deleted: false,
        events: [
          {
            event: event(),
            receiveCount: 2,
            owner: 'request/m1',
            traceHeader: 'Root=1-2-3',
            contested: false,
            stage: { at: 'new' },
            twin: false,
            items: [],
          },
        ],
        issues,
        notOurs: undefined,
      },
    ]);
    expect(lines).toEqual([]);
  });

  it('one without a trace and without an id', () => {
    const { works } = opened(() => events(event()), nameless());
    expect(works[0]?.events).toStrictEqual([work('o-1', { owner: 'request/' })]);
  });

  it('one that is not ours holds no events', () => {
    const { works } = opened(() => ({ kind: 'not_ours', reason: 'no_events' }));
    expect(works).toStrictEqual([recordWork('m1', { source: record('m1', {}), notOurs: 'no_events' })]);
  });

  it.each([
    [record('m1', {}), new TypeError('a bug'), { message_id: 'm1', reason: 'internal', error_name: 'TypeError' }],
    [nameless(), 'a bug', { reason: 'internal', error_name: 'string' }],
  ])(
    'one whose decoder throws comes back after the visibility timeout, with an error (%#)',
    (source, thrown, fields) => {
      const { works, lines } = opened(() => {
        throw thrown;
      }, source);
      const state = { at: 'failed', reason: 'internal', delaySeconds: undefined } as const;
      expect(works).toStrictEqual([recordWork('m1', { source, state })]);
      expect(lines).toStrictEqual([{ level: 'error', message: 'decoder threw', fields }]);
    },
  );

  it('an id that two events of one message claim with different payloads is contested, copies are not', () => {
    const of = (eventId: string, digit: string) => event(eventId, { payloadHash: hashOf(digit) });
    const { works } = opened(() => events(of('o-1', 'a'), of('o-2', 'a'), of('o-2', 'a'), of('o-1', 'b')));
    expect(works[0]?.events.map((it) => [it.event.eventId, it.contested])).toEqual([
      ['o-1', true],
      ['o-2', false],
      ['o-2', false],
      ['o-1', true],
    ]);
  });
});

describe('a batch that is given up', () => {
  it('settles what nobody settled, and nothing else', () => {
    const sent = () => settled('o-1', { kind: 'sent', how: 'committed', payloadHash: hashOf('a') });
    const records = [
      recordWork('m1', { events: [sent(), work('o-2')] }),
      recordWork('m2', { events: [work('o-3', { stage: { at: 'uncommitted' } })] }),
    ];
    abandonOpen(records, 'internal');
    const given = { at: 'settled', verdict: { kind: 'transient', reason: 'internal' } };
    expect(records.map(({ events }) => events.map(({ stage }) => stage))).toEqual([[sent().stage, given], [given]]);
  });
});

describe('suspects', () => {
  it('are records that came back twice already', () => {
    const suspected = [1, 2, 3, 4].map((receiveCount) =>
      mayKill(recordWork('m1', { source: record('m1', {}, { receiveCount }) })),
    );
    expect(suspected).toEqual([false, false, true, true]);
  });

  it.each([
    [
      [3, 3, 3, 3],
      ['a1', 'a2', 'b', 'c'],
    ],
    [
      [4, 4, 4, 4],
      ['c', 'b', 'a1', 'a2'],
    ],
    [
      [3, 4, 3, 3],
      ['c', 'b', 'a1', 'a2'],
    ],
    [
      [3, 5, 4, 3],
      ['a1', 'a2', 'b', 'c'],
    ],
  ])('received %j times are tried in the order %j: by key, turned by the highest count', (receives, expected) => {
    for (const arrival of [
      ['b', 'a1', 'c', 'a2'],
      ['a1', 'a2', 'b', 'c'],
      ['c', 'b', 'a1', 'a2'],
    ]) {
      const order = inSuspectOrder(arrival, (name) => ({
        key: name.charAt(0),
        receives: receives[arrival.indexOf(name)] ?? 0,
      }));
      expect(order).toEqual(expected);
    }
  });
});
