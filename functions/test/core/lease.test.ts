import { describe, expect, it } from '@jest/globals';
import { leaseState } from '../../src/core/lease.ts';
import { Harness, order, record, START_MS } from './harness.ts';

const BOUNDS = { functionTimeoutMs: 30_000, leaseMarginMs: 1_000 };
const lease = (leaseExpiresAtMs: number, leaseOwner = 'other') =>
  leaseState({ leaseExpiresAtMs, leaseOwner }, 'us', START_MS, BOUNDS);

describe('whose lease it is', () => {
  it('C-25: half a minute in the past is over, 30 s in the future is live: everything is milliseconds', () => {
    expect(lease(START_MS - 30_000)).toEqual({ kind: 'over' });
    expect(lease(START_MS + 30_000)).toEqual({ kind: 'live', untilMs: START_MS + 30_000 });
    // Seconds in a field of milliseconds lie in 1970.
    expect(lease(Math.floor((START_MS + 30_000) / 1000))).toEqual({ kind: 'over' });
  });

  it('the last millisecond belongs to the next attempt', () => {
    expect(lease(START_MS)).toEqual({ kind: 'over' });
    expect(lease(START_MS + 1)).toEqual({ kind: 'live', untilMs: START_MS + 1 });
  });

  it('further away than the timeout and the margin is clock skew', () => {
    expect(lease(START_MS + 31_000)).toEqual({ kind: 'live', untilMs: START_MS + 31_000 });
    expect(lease(START_MS + 31_001)).toEqual({ kind: 'over' });
  });

  it('ours is ours, unless we gave it up', () => {
    expect(lease(START_MS + 5, 'us')).toEqual({ kind: 'ours' });
    expect(lease(START_MS - 5, 'us')).toEqual({ kind: 'ours' });
    expect(lease(0, 'us')).toEqual({ kind: 'over' });
  });
});

describe('a delivery that finds pending', () => {
  async function crashed(): Promise<Harness> {
    const h = new Harness();
    const publish = h.topic.publish.bind(h.topic);
    h.topic.publish = () => {
      throw new Error('process gone');
    };
    await h.deliver(record('m1', order('o-1')));
    h.topic.publish = publish;
    h.queue.visibility.length = 0;
    return h;
  }

  it('under a live lease neither publishes nor acknowledges; it comes back at the end of the lease or after its backoff', async () => {
    const h = await crashed();
    h.clock.advance(28_000);
    expect(await h.deliver(record('m1', order('o-1'), { receiveCount: 2 }))).toEqual(['m1']);
    expect(h.topic.ids).toEqual([]);
    expect(h.queue.visibility).toEqual([{ receiptHandle: 'handle-m1', seconds: 3 }]);
    expect(h.telemetry.sum('LeaseWaits')).toBe(1);
  });

  it('C-23: after the lease it takes over, publishes and marks: a crash never blocks its redelivery', async () => {
    const h = await crashed();
    h.clock.advance(31_000);
    expect(await h.deliver(record('m1', order('o-1'), { receiveCount: 2 }))).toEqual([]);
    expect(h.topic.ids).toEqual(['o-1']);
    expect(h.store.status('o-1')).toBe('sent');
    expect(h.telemetry.sum('Takeovers')).toBe(1);
    expect(h.telemetry.sum('Recovered')).toBe(1);
  });

  it('a takeover puts the row into the index of rows in trouble', async () => {
    const h = await crashed();
    h.clock.advance(31_000);
    h.topic.fault = () => {
      expect(h.store.rows.get('o-1')).toHaveProperty('relay_shard');
      return undefined;
    };
    await h.deliver(record('m1', order('o-1'), { receiveCount: 2 }));
    expect.assertions(1);
  });

  it('of two that saw the same expired lease, one publishes', async () => {
    const h = await crashed();
    h.clock.advance(31_000);
    const update = h.store.update.bind(h.store);
    h.store.update = async (updates) => {
      h.store.update = update;
      // Another attempt is quicker by one call.
      expect(await h.deliver(record('m1', order('o-1'), { receiveCount: 2 }))).toEqual([]);
      return update(updates);
    };
    expect(await h.deliver(record('m1', order('o-1'), { receiveCount: 2 }))).toEqual([]);
    expect(h.topic.ids).toEqual(['o-1']);
  });

  it('a failed publish gives the lease back, so that the redelivery need not wait', async () => {
    const h = new Harness();
    h.topic.fault = () => 'failed';
    await h.deliver(record('m1', order('o-1')));
    expect(h.store.rows.get('o-1')?.lease_expires_at_ms).toEqual({ N: '0' });
    expect(h.store.rows.get('o-1')).toHaveProperty('relay_shard');
    h.topic.fault = () => undefined;
    expect(await h.deliver(record('m1', order('o-1'), { receiveCount: 2 }))).toEqual([]);
    expect(h.topic.ids).toEqual(['o-1']);
  });
});

describe('the mark (rule 6)', () => {
  it('somebody else marked it: success', async () => {
    const h = new Harness();
    h.store.updateFault = (update) =>
      update.kind === 'mark' && h.store.status('o-1') === 'pending' ? 'executed_answer_lost' : undefined;
    expect(await h.deliver(record('m1', order('o-1')))).toEqual([]);
    expect(h.store.status('o-1')).toBe('sent');
  });

  it('the row is gone after the publish: acknowledged, with an error and a metric; failing would commit again', async () => {
    const h = new Harness();
    h.topic.fault = () => {
      h.store.rows.clear();
      return undefined;
    };
    const correlated = { attributes: { correlation_id: { type: 'String', value: 'c-1' } } };
    expect(await h.deliver({ ...record('m1', order('o-1')), ...correlated })).toEqual([]);
    expect(h.telemetry.sum('RowMissingAtMark')).toBe(1);
    expect(h.telemetry.lines.find(({ message }) => message.startsWith('row missing'))).toMatchObject({
      level: 'error',
      fields: { event_id: 'o-1', correlation_id: 'c-1' },
    });
  });

  it('a mark that fails is never an acknowledgement', async () => {
    const h = new Harness();
    h.store.updateFault = () => 'failed';
    expect(await h.deliver(record('m1', order('o-1')))).toEqual(['m1']);
    expect(h.reasons()).toEqual(['mark_failed']);
  });
});
