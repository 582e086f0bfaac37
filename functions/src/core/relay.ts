import type { Clock, Notifier, Random, RelayStore, Telemetry } from '../ports.ts';
import type { AttributeMap } from './attribute-value.ts';
import { startDeadline, unlessAborted } from './deadline.ts';
import type { Invocation } from './pipeline.ts';
import { type RelayContext, relayRows } from './relay-rows.ts';
import { ALL_RELAY_SHARDS } from './row.ts';
import type { RelaySettings } from './settings.ts';
import { type SweepReport, sweepSegment } from './sweep.ts';

export interface RelayDeps {
  readonly settings: RelaySettings;
  readonly store: RelayStore;
  readonly notifier: Notifier;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
}

/** What one run of the relay did. */
export interface RelayReport {
  /** Rows in the index of rows in trouble, after the run. */
  readonly inTrouble: number;
  /**
   * Seconds since its commit (`created_at`) of the oldest row that this run found pending, in the index or by its sweep,
   * and whether it published it or not; 0 when there was none.
   */
  readonly oldestSeconds: number;
  /** Events whose stored notifications this run published and marked. */
  readonly relayed: number;
  /** Events that it tried and could not finish. */
  readonly failed: number;
  readonly sweep: SweepReport | undefined;
}

/** A run of the relay is due at a time of the schedule's, and begins a little later, not always by the same. */
export interface RelayInvocation extends Invocation {
  /** When the schedule says that the run is due, epoch milliseconds; by default it is now. */
  readonly dueAtMs?: number;
}

export interface Relay {
  run(invocation: RelayInvocation): Promise<RelayReport>;
}

/** Keys read from the index at once; also the most events whose leases are taken before they are published. */
const PAGE = 50;

/**
 * Publishes the stored notifications of committed events that no message brings back any more. Several runs at once are
 * harmless: each row is taken by a conditional update, like everywhere else.
 */
export function createRelay(deps: RelayDeps): Relay {
  return {
    run: async (invocation) => {
      const { settings, clock, telemetry } = deps;
      const deadline = startDeadline(clock, invocation.deadlineMs, settings.deadlineMarginMs);
      const tally = { relayed: 0, failed: 0, oldestMs: 0 };
      const ctx: RelayContext = { ...deps, deadline, owner: `relay/${invocation.requestId}`, tally };
      try {
        // An index that cannot be read must not keep the sweep from running: it is then all that there is.
        const [index] = await Promise.allSettled([relayIndex(ctx)]);
        const sweep =
          settings.sweepHours === null ? undefined : await sweepSegment(ctx, invocation.dueAtMs ?? clock.now());
        if (index.status === 'rejected') throw index.reason;
        const report: RelayReport = {
          inTrouble: await countTroubled(ctx),
          oldestSeconds: Math.round(tally.oldestMs / 1000),
          relayed: tally.relayed,
          failed: tally.failed,
          sweep,
        };
        telemetry.count('RowsInTrouble', report.inTrouble);
        telemetry.count('OldestRowInTrouble', report.oldestSeconds);
        telemetry.count('Relayed', report.relayed);
        telemetry.count('RelayFailed', report.failed);
        if (sweep !== undefined) telemetry.count('SweepIncomplete', sweep.complete ? 0 : 1);
        telemetry.info('relay', { count: report.relayed, failed: report.failed });
        return report;
      } finally {
        deadline.close();
      }
    },
  };
}

async function relayIndex(ctx: RelayContext): Promise<void> {
  for (const shard of ALL_RELAY_SHARDS) await relayShard(ctx, shard);
}

/** One shard of the index, the lease that has been over longest first. A row that fails moves to the end by its new lease. */
async function relayShard(ctx: RelayContext, shard: string): Promise<void> {
  const before = ctx.clock.now() - ctx.settings.graceMs;
  let from: AttributeMap | undefined;
  do {
    if (!ctx.deadline.hasTime()) return;
    const query = ctx.store.queryTroubled(shard, before, PAGE, from, ctx.deadline.signal);
    const page = await unlessAborted(ctx.deadline, query);
    if (page === undefined) return;
    await relayRows(ctx, page.eventIds);
    from = page.next;
  } while (from !== undefined);
}

/** At the deadline, what is counted so far: a run that was busy to its end must still say what it did. */
async function countTroubled(ctx: RelayContext): Promise<number> {
  let rows = 0;
  for (const shard of ALL_RELAY_SHARDS) {
    if (ctx.deadline.signal.aborted) break;
    const counted = await unlessAborted(ctx.deadline, ctx.store.countTroubled(shard, ctx.deadline.signal));
    rows += counted?.rows ?? 0;
  }
  return rows;
}
