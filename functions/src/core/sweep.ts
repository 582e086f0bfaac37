import type { AttributeMap } from './attribute-value.ts';
import { unlessAborted } from './deadline.ts';
import { type RelayContext, relayRows } from './relay-rows.ts';

export interface SweepReport {
  readonly segment: number;
  readonly segments: number;
  readonly pending: number;
  /** False when the segment did not fit into its run: the rest of it waits for the next round of the sweep. */
  readonly complete: boolean;
}

/** Segments so that the whole table is read once in `sweepHours`, one segment a run. */
export function sweepSegments(sweepHours: number, intervalMinutes: number): number {
  return Math.max(1, Math.round((sweepHours * 60) / intervalMinutes));
}

/**
 * The segment of the run that is due at `nowMs`: chosen by the clock, so there is no cursor to keep or to lose. By the time
 * of the schedule, not of the start: starts jitter, and two of them on one side of a boundary would leave a segment out.
 * To the nearest interval: a run due at 10:05 that is a few ms early would otherwise read the segment of 10:00 again and
 * leave its own out. A rate begins with its rule, so its runs may lie half an interval off, where the boundary is now:
 * a segment that is left out there has its next turn a round later.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rate-expressions.html
 */
export function segmentAt(nowMs: number, segments: number, intervalMinutes: number): number {
  return Math.round(nowMs / (intervalMinutes * 60_000)) % segments;
}

/**
 * Reads one segment of the table for pending rows that the index cannot know: every redelivery crashed before its
 * takeover, or the commit was executed after its message was gone (design, rule 9).
 */
export async function sweepSegment(ctx: RelayContext, dueAtMs: number): Promise<SweepReport> {
  const { sweepHours, intervalMinutes } = ctx.settings;
  const segments = sweepSegments(sweepHours ?? 24, intervalMinutes);
  const segment = segmentAt(dueAtMs, segments, intervalMinutes);
  let pending = 0;
  let from: AttributeMap | undefined;
  do {
    if (!ctx.deadline.hasTime()) return incomplete(ctx, { segment, segments, pending, complete: false });
    const scan = ctx.store.scanPending(segment, segments, from, ctx.deadline.signal);
    const page = await unlessAborted(ctx.deadline, scan);
    if (page === undefined) return incomplete(ctx, { segment, segments, pending, complete: false });
    pending += page.rows.length;
    await relayRows(
      ctx,
      page.rows.map((row) => row.eventId),
    );
    from = page.next;
  } while (from !== undefined);
  return { segment, segments, pending, complete: true };
}

function incomplete(ctx: RelayContext, report: SweepReport): SweepReport {
  ctx.telemetry.error('a segment of the sweep did not fit into its run', { count: report.segment });
  return report;
}
