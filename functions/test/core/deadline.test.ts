import { describe, expect, it } from '@jest/globals';
import { backoffSeconds } from '../../src/core/backoff.ts';
import { Harness, order, record } from './harness.ts';

describe('the deadline', () => {
  it('C-31: stops taking new work while there is time to answer, and returns what it did not start', async () => {
    const h = new Harness({ settings: { functionTimeoutMs: 3_000, grouping: false, concurrency: 1 } });
    h.store.afterCommit = () => h.clock.advance(400);
    const batch = Array.from({ length: 10 }, (_, i) => record(`m${i + 1}`, order(`o-${i + 1}`)));
    const failed = await h.deliver(...batch);
    expect(failed).toContain('m10');
    expect(failed).not.toHaveLength(0);
    expect(h.clock.now()).toBeLessThan(Date.parse('2026-01-01T00:00:03Z'));
    // Whatever is not named is sent; whatever is named and committed is still pending or sent, never lost.
    for (const { id } of batch)
      if (!failed.includes(id ?? '')) expect(h.store.status(`o-${id?.slice(1)}`)).toBe('sent');
    expect(h.telemetry.sum('DeferredAtDeadline')).toBeGreaterThan(0);
  });

  it('C-31: on FIFO the rest of each unfinished group is returned', async () => {
    const h = new Harness({ settings: { source: 'sqs_fifo', functionTimeoutMs: 3_000, quarantine: false } });
    h.store.afterCommit = () => h.clock.advance(800);
    const batch = ['A', 'B'].flatMap((g) =>
      [1, 2, 3, 4].map((n) => record(`${g}${n}`, order(`${g}-${n}`), { groupId: g })),
    );
    expect(await h.deliver(...batch)).toEqual(['A2', 'A3', 'A4', 'B2', 'B3', 'B4'].sort());
  });

  it('an aborted commit has an unknown outcome: failed, and the next delivery finds the row', async () => {
    const h = new Harness();
    h.store.commitFault = (events) => {
      h.clock.advance(29_600);
      h.store.execute(events);
      return { kind: 'unknown', name: 'AbortError' };
    };
    expect(await h.deliver(record('m1', order('o-1')))).toEqual(['m1']);
    expect(h.reasons()).toEqual(['commit_unknown']);
    h.store.commitFault = () => undefined;
    h.clock.advance(31_000);
    expect(await h.deliver(record('m1', order('o-1'), { receiveCount: 2 }))).toEqual([]);
    expect(h.store.items.size).toBe(1);
  });

  it('the highest receive counts go first', async () => {
    const h = new Harness({ settings: { grouping: false, concurrency: 1 } });
    await h.deliver(record('m1', order('o-1')), record('m2', order('o-2'), { receiveCount: 2 }));
    expect(h.store.commits).toEqual([['o-2'], ['o-1']]);
  });
});

describe('backoff', () => {
  const bounds = { backoffBaseSeconds: 10, backoffCapSeconds: 900 };

  it.each([
    [1, 5, 10],
    [2, 10, 20],
    [7, 320, 640],
    [8, 450, 900],
    [12, 450, 900],
    [1000, 450, 900],
  ])('at receive %d between %d and %d seconds', (receives, least, most) => {
    expect(backoffSeconds(receives, bounds, { next: () => 0 })).toBe(least);
    expect(backoffSeconds(receives, bounds, { next: () => 0.999999 })).toBe(most);
  });

  it('never beyond the 12 hours of SQS', () => {
    expect(backoffSeconds(30, { backoffBaseSeconds: 10, backoffCapSeconds: 90_000 }, { next: () => 0.99 })).toBe(
      43_200,
    );
  });
});
