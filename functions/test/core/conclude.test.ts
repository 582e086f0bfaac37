import { describe, expect, it } from '@jest/globals';
import { breakerOpen, conclude, failRecord } from '../../src/core/conclude.ts';
import type { EventWork, RecordState } from '../../src/core/work.ts';
import { record, START_MS } from './harness.ts';
import { hashOf, recordWork, row, settled, store, work, world } from './stage-world.ts';

const sent = () => settled('s', { kind: 'sent', how: 'committed', payloadHash: hashOf('a') });
const held = (retryAtMs?: number) =>
  settled('h', { kind: 'transient', reason: 'lease_held', ...(retryAtMs === undefined ? {} : { retryAtMs }) });
const bad = (eventId = 'b') => settled(eventId, { kind: 'permanent', reason: 'schema_violation' });
const of = (...events: EventWork[]) => recordWork('m1', { events });

describe('what becomes of a record', () => {
  it('done only when every event is sent or not ours; an event that nobody settled is never done', async () => {
    const w = world();
    const records = [
      of(sent(), settled('f', { kind: 'not_ours', reason: 'filtered' })),
      of(sent(), held()),
      of(work()),
    ];
    await conclude(w.ctx, records, records);
    expect(records.map(({ state }) => state)).toEqual([
      { at: 'done' },
      { at: 'failed', reason: 'lease_held', delaySeconds: 8 },
      { at: 'failed', reason: 'internal', delaySeconds: 8 },
    ]);
  });

  it('is decided once', async () => {
    const w = world();
    const state: RecordState = { at: 'failed', reason: 'lane_blocked', delaySeconds: 3 };
    const records = [recordWork('m1', { events: [sent()], state }), recordWork('m2', { events: [bad()], state })];
    await conclude(w.ctx, records, records);
    expect(records.map((it) => it.state)).toEqual([state, state]);
    expect(w.h.queue.deadLetters).toEqual([]);
  });

  it('comes back at the end of the lease in whole seconds, or after its backoff, whichever is sooner', () => {
    const w = world();
    for (const [retryAtMs, seconds] of [
      [START_MS + 2_001, 3],
      [START_MS + 60_000, 8],
      [START_MS - 5_000, 0],
      [undefined, 8],
    ] as const) {
      const it = of();
      failRecord(w.ctx, it, 'lease_held', retryAtMs);
      expect(it.state).toEqual({ at: 'failed', reason: 'lease_held', delaySeconds: seconds });
    }
  });

  it('of a permanent one: quarantined, done after all, or back until the lease ends', async () => {
    const w = world();
    store(w.h, row({ eventId: 'b-2', status: 'sent' }));
    store(w.h, row({ eventId: 'b-3', leaseExpiresAtMs: START_MS + 2_000 }));
    const records = ['b-1', 'b-2', 'b-3'].map((id) => of(bad(id)));
    await conclude(w.ctx, records, records);
    expect(records.map(({ state }) => state)).toEqual([
      { at: 'quarantined', reason: 'schema_violation' },
      { at: 'done' },
      { at: 'failed', reason: 'lease_held', delaySeconds: 2 },
    ]);
  });

  it.each([
    ['sqs', 8],
    ['sqs_fifo', 0],
    ['kinesis', 8],
  ] as const)('with quarantine off it is returned (%s: %d s), and nothing is sent', async (source, delaySeconds) => {
    const w = world({ settings: { quarantine: false, source } });
    const it = of(bad());
    await conclude(w.ctx, [it], [it]);
    expect(it.state).toEqual({
      at: 'failed',
      reason: 'quarantine_off',
      delaySeconds,
      permanentReason: 'schema_violation',
    });
    expect([w.h.queue.deadLetters, w.h.store.reads]).toEqual([[], []]);
  });

  it('with the breaker open it is returned with its backoff, and that is counted once', async () => {
    const w = world();
    const records = Array.from({ length: 5 }, () => of(bad()));
    await conclude(w.ctx, records, records);
    expect(records[4]?.state).toEqual({
      at: 'failed',
      reason: 'breaker_open',
      delaySeconds: 8,
      permanentReason: 'schema_violation',
    });
    expect(w.h.telemetry.metrics).toEqual([{ metric: 'BreakerOpen', value: 1, reason: undefined }]);
  });
});

describe('the breaker', () => {
  const batch = (permanents: number, others: number) => [
    ...Array.from({ length: permanents }, () => of(bad())),
    ...Array.from({ length: others }, () => of(sent())),
  ];

  it.each([
    [5, 0, 0, true],
    [4, 0, 0, false],
    [3, 2, 0, true],
    [3, 3, 0, false],
    [2, 3, 0, false],
    [2, 3, 1, true],
    [2, 4, 1, false],
    [0, 5, 3, true],
  ])('%d permanent, %d others, %d undecided: %p', (permanents, others, undecided, open) => {
    expect(breakerOpen(batch(permanents, others), undecided)).toBe(open);
  });

  it.each<[RecordState, boolean]>([
    [{ at: 'quarantined', reason: 'not_json' }, true],
    [{ at: 'failed', reason: 'breaker_open', delaySeconds: 1 }, true],
    [{ at: 'failed', reason: 'quarantine_off', delaySeconds: 1 }, true],
    [{ at: 'failed', reason: 'quarantine_failed', delaySeconds: 1 }, true],
    [{ at: 'failed', reason: 'throttled', delaySeconds: 1 }, false],
    [{ at: 'done' }, false],
    [{ at: 'open' }, false],
  ])('a record that is %j counts: %p', (state, counts) => {
    expect(breakerOpen(Array.from({ length: 5 }, () => recordWork('m', { events: [sent()], state })))).toBe(counts);
  });

  it('a failed record is judged by its reason, not by a permanent event in it', () => {
    const state: RecordState = { at: 'failed', reason: 'lease_held', delaySeconds: 1 };
    expect(breakerOpen(Array.from({ length: 5 }, () => recordWork('m', { events: [bad()], state })))).toBe(false);
  });

  it('a part that cannot be read counts', () => {
    const unread = () => recordWork('m', { source: record('m', ''), issues: [{ reason: 'not_json' }] });
    expect(breakerOpen(Array.from({ length: 5 }, unread))).toBe(true);
  });
});
