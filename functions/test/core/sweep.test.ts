import { describe, expect, it } from '@jest/globals';
import type { RelayContext } from '../../src/core/relay-rows.ts';
import { segmentAt, sweepSegment, sweepSegments } from '../../src/core/sweep.ts';
import { START_MS } from './harness.ts';
import { row, type StageWorld, store, world } from './stage-world.ts';

const context = (w: StageWorld, sweepHours: number | null = 1): RelayContext => ({
  ...w.ctx,
  store: w.h.store,
  settings: { ...w.h.settings, graceMs: 0, intervalMinutes: 5, sweepHours },
  owner: 'relay/us',
  tally: { relayed: 0, failed: 0, oldestMs: 0 },
});

/** The seventh run of an hour that has twelve. */
const DUE_MS = START_MS + 30 * 60_000;

const abandoned = (eventId: string) => row({ eventId, leaseExpiresAtMs: START_MS - 1 });

describe('one segment of the sweep', () => {
  it('is read page by page, and what is pending in it is relayed', async () => {
    const w = world();
    const ctx = context(w);
    const pages = [
      { rows: [abandoned('o-1'), abandoned('o-2')], next: { event_id: { S: 'o-2' } } },
      { rows: [abandoned('o-3')] },
    ];
    for (const { rows } of pages) for (const it of rows) store(w.h, it);
    const asked: unknown[] = [];
    w.h.store.scanPending = async (...args: unknown[]) => {
      asked.push(args.slice(0, 3));
      return pages[asked.length - 1] ?? { rows: [] };
    };
    expect(await sweepSegment(ctx, DUE_MS)).toEqual({ segment: 6, segments: 12, pending: 3, complete: true });
    expect(asked).toEqual([
      [6, 12, undefined],
      [6, 12, { event_id: { S: 'o-2' } }],
    ]);
    expect(w.h.topic.ids).toEqual(['o-1', 'o-2', 'o-3']);
    expect(ctx.tally.relayed).toBe(3);
    expect(w.h.telemetry.lines).toEqual([]);
  });

  it.each<[string, (w: StageWorld) => void, number]>([
    [
      'there is no time left to begin it',
      (w) => {
        w.h.clock.advance(29_000);
      },
      0,
    ],
    [
      'there is no time left to read on',
      (w) => {
        w.h.store.scanPending = async () => {
          w.h.clock.advance(29_000);
          return { rows: [row()], next: { event_id: { S: 'o-1' } } };
        };
      },
      1,
    ],
    [
      'the deadline aborts its call',
      (w) => {
        w.h.store.scanPending = async () => {
          w.h.clock.advance(29_600);
          throw new Error('Request aborted');
        };
      },
      0,
    ],
  ])('is not complete when %s, and an error names it', async (_, prepare, pending) => {
    const w = world();
    prepare(w);
    expect(await sweepSegment(context(w), DUE_MS)).toEqual({ segment: 6, segments: 12, pending, complete: false });
    expect(w.h.telemetry.lines).toStrictEqual([
      { level: 'error', message: 'a segment of the sweep did not fit into its run', fields: { count: 6 } },
    ]);
  });

  it('is one of a day when nobody says in how many hours the table is to be read', async () => {
    expect(await sweepSegment(context(world(), null), DUE_MS)).toMatchObject({ segments: 288, complete: true });
  });
});

describe('the segments', () => {
  it.each([
    [24, 5, 288],
    [1, 60, 1],
    [1, 7, 9],
    [1, 120, 1],
    [0.1, 60, 1],
  ])('of %d hours, with a run every %d minutes, are %d', (hours, minutes, segments) => {
    expect(sweepSegments(hours, minutes)).toBe(segments);
  });

  it('follow each other with the schedule, and begin again', () => {
    expect([0, 300_000, 600_000, 900_000].map((ms) => segmentAt(ms, 3, 5))).toEqual([0, 1, 2, 0]);
  });

  it('are each read once, by runs that are some early and some late', () => {
    const runs = [-4, 299_997, 600_006, 899_001, 1_201_000].map((ms) => segmentAt(START_MS + ms, 5, 5));
    expect(runs.map((segment) => (segment - (runs[0] ?? 0) + 5) % 5)).toEqual([0, 1, 2, 3, 4]);
  });

  it('have their boundary half an interval from the time that a run is due', () => {
    expect([149_999, 150_000, 449_999, 450_000].map((ms) => segmentAt(ms, 3, 5))).toEqual([0, 1, 1, 2]);
  });
});
