import { describe, expect, it } from '@jest/globals';
import { Harness, order, record, START_MS } from './harness.ts';

describe('a first delivery: commit, publish, mark, acknowledge, always in this order', () => {
  it('commits the row and the business item together, publishes and marks', async () => {
    const h = new Harness();
    h.store.afterCommit = () => {
      expect(h.store.status('o-1')).toBe('pending');
      expect(h.topic.published).toEqual([]);
    };
    expect(await h.deliver(record('m1', order('o-1')))).toEqual([]);
    expect(h.store.status('o-1')).toBe('sent');
    expect([...h.store.items.values()]).toEqual([{ pk: { S: 'o-1' }, id: { S: 'o-1' }, amount: { N: '10' } }]);
    expect(h.topic.ids).toEqual(['o-1']);
    expect(h.store.updates).toHaveLength(1);
  });

  it('a batch of 100 without duplicates needs 16 calls: 2 commits, 10 publishes, 4 marks, no read', async () => {
    const h = new Harness();
    const records = Array.from({ length: 100 }, (_, i) => record(`m${i}`, order(`o-${i}`)));
    expect(await h.deliver(...records)).toEqual([]);
    expect([h.store.commits.length, h.topic.calls.length, h.store.updates.length, h.store.reads.length]).toEqual([
      2, 10, 4, 0,
    ]);
    expect(h.store.items.size).toBe(100);
  });

  it('with grouping off every event has a transaction of its own', async () => {
    const h = new Harness({ settings: { grouping: false } });
    await h.deliver(...Array.from({ length: 7 }, (_, i) => record(`m${i}`, order(`o-${i}`))));
    expect(h.store.commits.map((group) => group.length)).toEqual([1, 1, 1, 1, 1, 1, 1]);
  });

  it('C-26: the TTL is written with sent, in whole epoch seconds, and never on a pending row', async () => {
    const h = new Harness({ settings: { retentionDays: 7 } });
    h.store.afterCommit = () => expect(h.store.rows.get('o-1')).not.toHaveProperty('expires_at');
    await h.deliver(record('m1', order('o-1')));
    expect(START_MS).toBe(Date.parse('2026-01-01T00:00:00Z'));
    expect(h.store.rows.get('o-1')?.expires_at).toEqual({ N: '1767830400' });
  });

  it('the lease ends one margin after the deadline of the invocation, in milliseconds', async () => {
    const h = new Harness();
    h.store.afterCommit = () => {
      expect(h.store.rows.get('o-1')?.lease_expires_at_ms).toEqual({ N: String(START_MS + 30_000 + 1_000) });
      expect(h.store.rows.get('o-1')?.lease_owner).toEqual({ S: 'request-1/m1' });
    };
    await h.deliver(record('m1', order('o-1')));
  });

  it('the happy path stays out of the index of rows in trouble; a commit at a later receive is in it until the mark', async () => {
    const h = new Harness();
    const seen: unknown[] = [];
    h.store.afterCommit = () => seen.push([...h.store.rows.values()].at(-1)?.relay_shard !== undefined);
    await h.deliver(record('m1', order('o-1')));
    await h.deliver(record('m2', order('o-2'), { receiveCount: 2 }));
    expect(seen).toEqual([false, true]);
    expect(h.store.rows.get('o-2')).not.toHaveProperty('relay_shard');
  });

  it('with a single allowed receive every commit is in the index', async () => {
    const h = new Harness({ settings: { maxReceiveCount: 1 } });
    h.store.afterCommit = () => expect(h.store.rows.get('o-1')).toHaveProperty('relay_shard');
    await h.deliver(record('m1', order('o-1')));
    expect.assertions(1);
  });

  it('an event without a notification is sent by its commit', async () => {
    const h = new Harness({
      meaning: {
        decode: (source) => ({
          kind: 'events',
          issues: [],
          events: [
            {
              eventId: 'o-1',
              payload: {},
              payloadHash: 'v1:x',
              attributes: {},
              messageId: source.id ?? '',
            },
          ],
        }),
        plan: () => ({ kind: 'plan', plan: { writes: [], notifications: [] } }),
      },
    });
    expect(await h.deliver(record('m1', order('o-1')))).toEqual([]);
    expect(h.store.status('o-1')).toBe('sent');
    expect(h.store.rows.get('o-1')).toHaveProperty('expires_at');
    expect(h.topic.calls).toEqual([]);
    expect(h.store.updates).toEqual([]);
  });
});
