import { describe, expect, it } from '@jest/globals';
import type { Options } from './harness.ts';
import { Harness, order, record } from './harness.ts';

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

describe('FIFO: a record that may crash the process', () => {
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
  const bad = (group: string, receiveCount = 3) => record(`${group}1`, { total: 1 }, { groupId: group, receiveCount });
  const quarantining = () => fifo({ settings: { quarantine: true, maxReceiveCount: 5 } });

  it('not one of ten bad lanes is quarantined, although they are tried one by one', async () => {
    const h = quarantining();
    const batch = [...'ABCDEFGHIJ'].map((group) => bad(group));
    expect(await h.deliver(...batch)).toEqual(batch.map(({ id }) => id));
    expect(h.queue.deadLetters).toEqual([]);
    expect(h.telemetry.sum('BreakerOpen')).toBe(1);
  });

  it('nor are the bad ones among fresh records, as long as the suspects are not tried', async () => {
    const h = quarantining();
    const batch = [...'ABC'].map((group) => bad(group, 1)).concat([...'DEF'].map((group) => bad(group)));
    expect(await h.deliver(...batch)).toHaveLength(6);
    expect(h.queue.deadLetters).toEqual([]);
  });

  it('a few bad ones are quarantined after the suspects were tried, and their lanes go on', async () => {
    const h = quarantining();
    const good = [...'DEF'].map((group) =>
      record(`${group}1`, order(`${group}-1`), { groupId: group, receiveCount: 3 }),
    );
    const rest = record('A2', order('a-2'), { groupId: 'A', receiveCount: 3 });
    h.store.afterCommit = () => {
      const tried = good.every(({ id }) => h.store.rows.has(`${id?.[0]}-1`));
      expect(h.queue.deadLetters).toHaveLength(tried && h.store.rows.has('a-2') ? 2 : 0);
    };
    expect(await h.deliver(bad('A'), rest, bad('B', 1), ...good)).toEqual([]);
    expect(h.queue.deadLetters).toHaveLength(2);
    expect(h.store.status('a-2')).toBe('sent');
    expect.hasAssertions();
  });

  it('a bad one is quarantined before the suspects where these could not open the breaker', async () => {
    const h = quarantining();
    h.store.afterCommit = () => {
      if (h.store.rows.has('z-1')) expect(h.queue.deadLetters).toHaveLength(1);
    };
    const calm = [...'BCDE'].map((group) => record(`${group}1`, order(`${group}-1`), { groupId: group }));
    const suspect = record('Z1', order('z-1'), { groupId: 'Z', receiveCount: 3 });
    expect(await h.deliver(bad('A', 1), ...calm, suspect)).toEqual([]);
    expect(h.queue.deadLetters).toHaveLength(1);
    expect.hasAssertions();
  });

  it('when the breaker opens, the rest of a held lane fails with its head', async () => {
    const h = quarantining();
    const rest = record('A2', order('a-2'), { groupId: 'A', receiveCount: 3 });
    const batch = [bad('A'), rest, ...[...'BCDEF'].map((group) => bad(group))];
    expect(await h.deliver(...batch)).toHaveLength(7);
    expect(h.store.rows.size).toBe(0);
    const ofA = h.queue.visibility.filter(({ receiptHandle }) => receiptHandle.startsWith('handle-A'));
    expect(new Set(ofA.map(({ seconds }) => seconds)).size).toBe(1);
    expect(ofA).toHaveLength(2);
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
