import { describe, expect, it } from '@jest/globals';
import { declarativeMeaning } from '../../src/core/mapping.ts';
import { compileSchema } from '../../src/core/schema.ts';
import type { DecodedEvent, Meaning } from '../../src/core/types.ts';
import type { Options } from './harness.ts';
import { Harness, MAPPING, order, record } from './harness.ts';

const fifo = (options: Options = {}) =>
  new Harness({
    ...options,
    settings: { source: 'sqs_fifo', quarantine: false, maxReceiveCount: 5, ...options.settings },
  });

const failing = (h: Harness, ...ids: string[]) => {
  h.store.commitFault = (events) =>
    events.some(({ row }) => ids.some((id) => JSON.stringify(row.event_id).includes(`"${id}"`)))
      ? events.length > 1
        ? { kind: 'refused', name: 'AccessDeniedException', permanent: false, retried: false }
        : { kind: 'throttled', name: 'ThrottlingException', retried: false }
      : undefined;
};

describe('FIFO: one lane a group', () => {
  it('C-07: after a failure nothing later of the group is tried, and all of it comes back with one delay', async () => {
    const h = fifo();
    failing(h, 'a-1');
    const batch = ['A1', 'A2', 'A3'].map((id, i) => record(id, order(`a-${i + 1}`), { groupId: 'A' }));
    expect(await h.deliver(...batch)).toEqual(['A1', 'A2', 'A3']);
    expect(h.store.commits).toEqual([['a-1']]);
    expect(h.topic.ids).toEqual([]);
    expect(new Set(h.queue.visibility.map(({ seconds }) => seconds)).size).toBe(1);
    expect(h.queue.visibility).toHaveLength(3);
  });

  it('C-08: other groups go on, in order', async () => {
    const h = fifo();
    failing(h, 'a-1');
    const batch = [
      record('A1', order('a-1'), { groupId: 'A' }),
      record('B1', order('b-1'), { groupId: 'B' }),
      record('A2', order('a-2'), { groupId: 'A' }),
      record('B2', order('b-2'), { groupId: 'B' }),
      record('C1', order('c-1'), { groupId: 'C' }),
    ];
    expect(await h.deliver(...batch)).toEqual(['A1', 'A2']);
    expect([...h.store.rows.keys()].filter((id) => id.startsWith('b'))).toEqual(['b-1', 'b-2']);
    expect(h.store.status('c-1')).toBe('sent');
    expect(h.topic.ids.indexOf('b-1')).toBeLessThan(h.topic.ids.indexOf('b-2'));
  });

  it('C-09: the call for a later record of a group starts after the one before it is marked', async () => {
    const h = fifo({ mapping: { eventId: 'event', businessKey: 'event' } });
    const seen: string[] = [];
    h.store.commitFault = async (events) => {
      seen.push(`start ${JSON.stringify(events.map(({ row }) => row.event_id))} with ${h.topic.ids.length} published`);
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
      return undefined;
    };
    const batch = [1, 2].map((seq) => record(`A${seq}`, { id: 'a', event: `a-${seq}`, seq }, { groupId: 'A' }));
    expect(await h.deliver(...batch)).toEqual([]);
    expect(seen).toEqual(['start [{"S":"a-1"}] with 0 published', 'start [{"S":"a-2"}] with 1 published']);
  });

  it('the heads of all lanes share a transaction', async () => {
    const h = fifo();
    await h.deliver(
      ...['A', 'B', 'C'].flatMap((g) => [1, 2].map((n) => record(`${g}${n}`, order(`${g}-${n}`), { groupId: g }))),
    );
    expect(h.store.commits).toEqual([
      ['A-1', 'B-1', 'C-1'],
      ['A-2', 'B-2', 'C-2'],
    ]);
  });

  it('on its last receive a failing head is returned alone, and the lane goes on', async () => {
    const h = fifo();
    failing(h, 'a-1');
    const batch = [
      record('A1', order('a-1'), { groupId: 'A', receiveCount: 5 }),
      record('A2', order('a-2'), { groupId: 'A', receiveCount: 5 }),
    ];
    expect(await h.deliver(...batch)).toEqual(['A1']);
    expect(h.store.status('a-2')).toBe('sent');
  });

  it('without quarantine a permanent failure is returned without delay until SQS moves it', async () => {
    const h = fifo();
    expect(
      await h.deliver(record('A1', 'not json', { groupId: 'A' }), record('A2', order('a-2'), { groupId: 'A' })),
    ).toEqual(['A1', 'A2']);
    expect(h.queue.visibility.map(({ seconds }) => seconds)).toEqual([0, 0]);
    expect(h.queue.deadLetters).toEqual([]);
  });

  it('with quarantine the group goes on past the bad record, once that is in the dead-letter queue', async () => {
    const h = fifo({ settings: { quarantine: true } });
    h.store.afterCommit = () => expect(h.queue.deadLetters).toHaveLength(1);
    expect(
      await h.deliver(record('A1', 'not json', { groupId: 'A' }), record('A2', order('a-2'), { groupId: 'A' })),
    ).toEqual([]);
    expect(h.queue.deadLetters[0]).toMatchObject({ groupId: 'A', deduplicationId: 'A1' });
    expect(h.store.status('a-2')).toBe('sent');
  });

  it('with quarantine a dead-letter queue that refuses stops the lane', async () => {
    const h = fifo({ settings: { quarantine: true } });
    h.queue.refuseDeadLetters = true;
    expect(
      await h.deliver(record('A1', 'not json', { groupId: 'A' }), record('A2', order('a-2'), { groupId: 'A' })),
    ).toEqual(['A1', 'A2']);
    expect(h.store.status('a-2')).toBeUndefined();
  });

  it('with quarantine the breaker sees a bad deploy before the first record is quarantined', async () => {
    const schema = JSON.stringify({ required: ['never'] });
    const h = fifo({ settings: { quarantine: true }, mapping: { jsonSchema: schema } });
    const batch = Array.from({ length: 6 }, (_, i) => record(`A${i}`, order(`a-${i}`), { groupId: 'A' }));
    expect(await h.deliver(...batch)).toEqual(batch.map(({ id }) => id));
    expect(h.queue.deadLetters).toEqual([]);
    expect(h.telemetry.sum('BreakerOpen')).toBe(1);
  });

  it('a lane with a record that may crash the process follows after the others were deleted', async () => {
    const h = fifo();
    h.store.commitFault = (events) => {
      if (JSON.stringify(events).includes('"a-1"')) expect(h.queue.deleted).toEqual(['handle-B1']);
      return undefined;
    };
    expect(
      await h.deliver(
        record('A1', order('a-1'), { groupId: 'A', receiveCount: 3 }),
        record('B1', order('b-1'), { groupId: 'B' }),
      ),
    ).toEqual([]);
    expect.assertions(2);
  });
});

/** A meaning that writes down what it plans, and what it reads when told to. */
function spying(reads: boolean): { readonly meaning: Meaning; readonly seen: string[] } {
  const seen: string[] = [];
  const own = declarativeMeaning(MAPPING);
  const meaning: Meaning = {
    ...own,
    ...(reads && {
      reads: (event: DecodedEvent) => {
        seen.push(`read ${event.eventId}`);
        return [];
      },
    }),
    plan: (event, items) => {
      seen.push(`plan ${event.eventId}`);
      return own.plan(event, items);
    },
  };
  return { meaning, seen };
}

describe('FIFO: what is planned ahead of its turn', () => {
  const pair = () => [1, 2].map((n) => record(`A${n}`, order(`a-${n}`), { groupId: 'A' }));

  it.each([
    [true, false, ['plan a-1', 'plan a-2', 'commit']],
    [false, false, ['plan a-1', 'commit', 'plan a-2']],
    [true, true, ['read a-1', 'plan a-1', 'commit', 'read a-2', 'plan a-2']],
  ])('quarantine %s, a handler that reads %s: %j first', async (quarantine, reads, first) => {
    const { meaning, seen } = spying(reads);
    const h = fifo({ settings: { quarantine }, meaning });
    h.store.afterCommit = () => seen.push('commit');
    expect(await h.deliver(...pair())).toEqual([]);
    expect(seen.slice(0, first.length)).toEqual(first);
  });

  it('what is finished is deleted by the answer, not one by one, while nobody is suspected', async () => {
    const h = fifo();
    expect(await h.deliver(...pair())).toEqual([]);
    expect(h.queue.deleted).toEqual([]);
  });
});

describe('FIFO: a record that may crash the process', () => {
  it('makes its whole lane wait for the others, and lanes change their order on every receive', async () => {
    for (const [receiveCount, expected] of [
      [3, ['c-1', 'a-1', 'a-2', 'b-1', 'b-2']],
      [4, ['c-1', 'b-1', 'b-2', 'a-1', 'a-2']],
    ] as const) {
      const h = fifo();
      const batch = [...'AB'].flatMap((group) => [
        record(`${group}1`, order(`${group.toLowerCase()}-1`), { groupId: group, receiveCount }),
        record(`${group}2`, order(`${group.toLowerCase()}-2`), { groupId: group }),
      ]);
      expect(await h.deliver(...batch, record('C1', order('c-1'), { groupId: 'C' }))).toEqual([]);
      expect(h.store.commits.flat()).toEqual(expected);
    }
  });

  it('what is finished ahead of it in its own lane is deleted before it is tried', async () => {
    const h = fifo();
    h.store.commitFault = (events) => {
      if (JSON.stringify(events).includes('"a-2"')) expect(h.queue.deleted).toEqual(['handle-A1']);
      return undefined;
    };
    const batch = [
      record('A1', order('a-1'), { groupId: 'A', receiveCount: 3 }),
      record('A2', order('a-2'), { groupId: 'A', receiveCount: 3 }),
    ];
    expect(await h.deliver(...batch)).toEqual([]);
    expect.assertions(2);
  });
});

describe('FIFO with quarantine: a bad deploy that only suspects show', () => {
  const schema = JSON.stringify({ required: ['good'] });
  const quarantining = () =>
    fifo({ settings: { quarantine: true, maxReceiveCount: 5 }, mapping: { jsonSchema: schema } });
  /** `A2` is the second of group A, with the id `a-2`. */
  const inGroup = (name: string, event: object, receiveCount: number) => {
    const id = `${name[0]?.toLowerCase()}-${name.slice(1)}`;
    return record(name, { ...order(id), ...event }, { groupId: name[0] ?? '', receiveCount });
  };
  const bad = (name: string, receiveCount = 3) => inGroup(name, {}, receiveCount);
  const good = (name: string, receiveCount = 3) => inGroup(name, { good: true }, receiveCount);
  const dead = (h: Harness) => h.queue.deadLetters.map(({ messageId }) => messageId);

  it('of ten bad lanes that are tried one by one only the first is quarantined: one says nothing', async () => {
    const h = quarantining();
    const batch = [...'ABCDEFGHIJ'].map((group) => bad(`${group}1`));
    expect(await h.deliver(...batch)).toEqual(batch.slice(1).map(({ id }) => id));
    expect(dead(h)).toEqual(['A1']);
    expect(h.telemetry.sum('BreakerOpen')).toBe(1);
  });

  it('none is when they can be seen to be bad before any is tried', async () => {
    const h = quarantining();
    const batch = [...'ABCDEFGHIJ'].map((group) => record(`${group}1`, {}, { groupId: group, receiveCount: 3 }));
    expect(await h.deliver(...batch)).toHaveLength(10);
    expect(dead(h)).toEqual([]);
  });

  it('none of the bad ones among fresh records is, as long as suspects are not tried that may be bad too', async () => {
    const h = quarantining();
    const batch = [...'ABC'].map((group) => bad(`${group}1`, 1)).concat([...'DEF'].map((group) => bad(`${group}1`)));
    expect(await h.deliver(...batch)).toHaveLength(6);
    expect(dead(h)).toEqual([]);
  });

  it('a few bad ones are quarantined at once where the suspects could not make more of them', async () => {
    const h = quarantining();
    h.store.afterCommit = () => expect(dead(h)).toEqual(h.store.rows.has('z-1') ? ['A1', 'B1'] : []);
    const calm = [...'CDEF'].map((group) => good(`${group}1`, 1));
    expect(await h.deliver(bad('A1', 1), bad('B1', 1), ...calm, good('Z1'))).toEqual([]);
    expect.assertions(3);
  });

  it('what holds no event is decided before its turn: two bad ones of six are not held for three of those', async () => {
    const own = declarativeMeaning({ ...MAPPING, jsonSchema: schema }, compileSchema);
    const h = fifo({
      settings: { quarantine: true },
      meaning: {
        ...own,
        decode: (source) => (source.body === '[]' ? { kind: 'not_ours', reason: 'no_events' } : own.decode(source)),
      },
    });
    h.store.afterCommit = () => expect(dead(h)).toEqual(['A1', 'B1']);
    const empty = [...'NOP'].map((group) => record(`${group}1`, '[]', { groupId: group, receiveCount: 3 }));
    // `D1` is the first suspect: were the empty ones undecided, the two bad ones would look like a bad deploy.
    expect(await h.deliver(bad('A1', 1), bad('B1', 1), good('D1'), ...empty)).toEqual([]);
    expect.assertions(2);
  });

  it('a single bad one is not held back for a suspect that may kill the process: its lane goes on', async () => {
    const h = quarantining();
    h.store.afterCommit = () => {
      if (h.store.rows.has('k-1'))
        expect([...h.queue.deleted].sort()).toEqual(['handle-A1', 'handle-A2', 'handle-A3', 'handle-A4']);
    };
    expect(await h.deliver(bad('A1'), good('A2'), good('A3'), good('A4'), good('K1'))).toEqual([]);
    expect.assertions(2);
  });

  it('what is blocked behind a failed head is decided: two bad ones of six are not held for it', async () => {
    const h = quarantining();
    failing(h, 'a-1');
    h.store.afterCommit = () => expect(dead(h)).toEqual(['B1', 'C1']);
    const lane = ['A1', 'A2', 'A3', 'A4'].map((name) => good(name));
    expect(await h.deliver(...lane, bad('B1'), bad('C1'), good('D1'))).toEqual(['A1', 'A2', 'A3', 'A4']);
    expect(h.reasons().sort()).toEqual([
      'lane_blocked',
      'lane_blocked',
      'lane_blocked',
      'schema_violation',
      'schema_violation',
      'throttled',
    ]);
    expect.assertions(3);
  });

  it('on the last receive a held lane goes on behind its head, and what it finds is judged at once', async () => {
    const h = quarantining();
    const batch = [...'ABC'].flatMap((group) => [bad(`${group}1`, 5), bad(`${group}2`, 5)]);
    expect(await h.deliver(...batch)).toEqual(['A2', 'B1', 'B2', 'C1', 'C2']);
    expect(dead(h)).toEqual(['A1']);
    expect(h.reasons().filter((reason) => reason === 'breaker_open')).toHaveLength(5);
  });

  it('with quarantine off nothing is held and nothing planned ahead: it is returned in its turn', async () => {
    const h = fifo({ mapping: { jsonSchema: schema } });
    const batch = [...'ABCDEF'].map((group) => bad(`${group}1`));
    expect(await h.deliver(...batch, good('G1'))).toEqual(batch.map(({ id }) => id));
    expect(h.telemetry.sum('BreakerOpen')).toBe(0);
    expect(h.store.status('g-1')).toBe('sent');
  });

  it('with quarantine off a lane goes on behind its head before the next lane is tried, however many are bad', async () => {
    const h = fifo({ settings: { maxReceiveCount: 5 }, mapping: { jsonSchema: schema } });
    const batch = [bad('A1', 5), good('A2', 5), bad('B1', 5), good('B2', 5), good('C1', 5)];
    expect(await h.deliver(...batch)).toEqual(['A1', 'B1']);
    expect([...h.store.rows.keys()]).toEqual(['a-2', 'b-2', 'c-1']);
  });

  it('several are released as soon as good ones outweigh them, and their lanes go on before the next suspect', async () => {
    const h = quarantining();
    const seen: string[] = [];
    h.store.afterCommit = () => seen.push(`${dead(h)} after ${h.store.rows.size}`);
    const batch = [bad('A1'), bad('B1'), good('B2'), good('C1'), good('D1'), good('E1'), good('F1')];
    expect(await h.deliver(...batch)).toEqual([]);
    // A1 alone says nothing; B1 makes two of two, until C1 and D1 are decided.
    expect(seen).toEqual(['A1 after 1', 'A1 after 2', 'A1,B1 after 3', 'A1,B1 after 4', 'A1,B1 after 5']);
    expect(h.store.status('b-2')).toBe('sent');
  });

  it('when the breaker opens, the rest of a held lane fails with its head, with one delay', async () => {
    const h = quarantining();
    const batch = [bad('A1'), bad('B1'), good('B2'), ...[...'CDEF'].map((group) => bad(`${group}1`))];
    expect(await h.deliver(...batch)).toEqual(['B1', 'B2', 'C1', 'D1', 'E1', 'F1']);
    expect(h.store.rows.size).toBe(0);
    const ofB = h.queue.visibility.filter(({ receiptHandle }) => receiptHandle.startsWith('handle-B'));
    expect(new Set(ofB.map(({ seconds }) => seconds)).size).toBe(1);
    expect(ofB).toHaveLength(2);
  });
});

describe('streams: one lane a shard', () => {
  it('C-41: stops at the first failure and answers with its sequence number alone', async () => {
    const h = new Harness({ settings: { source: 'kinesis', quarantine: false, maxReceiveCount: null } });
    failing(h, 'o-2', 'o-4');
    const batch = ['s1', 's2', 's3', 's4'].map((id, i) => record(id, order(`o-${i + 1}`)));
    expect(await h.deliver(...batch)).toEqual(['s2']);
    expect(h.store.status('o-1')).toBe('sent');
    expect(h.store.status('o-3')).toBeUndefined();
  });
});
