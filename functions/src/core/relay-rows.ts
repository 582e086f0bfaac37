import type { RelayStore } from '../ports.ts';
import type { DeliveryContext } from './context.ts';
import { deliver } from './deliver.ts';
import { leaseState } from './lease.ts';
import { pairs } from './pairs.ts';
import { readRows } from './read-rows.ts';
import type { RelaySettings } from './settings.ts';
import { takeOver } from './takeover.ts';

export interface RelayContext extends DeliveryContext {
  readonly store: RelayStore;
  readonly settings: RelaySettings;
  readonly owner: string;
  /** Counters of this run. */
  readonly tally: { relayed: number; failed: number; oldestMs: number };
}

/** Reads the rows consistently, then takes over, publishes and marks those that are pending with their lease over. */
export async function relayRows(ctx: RelayContext, eventIds: readonly string[]): Promise<void> {
  const now = ctx.clock.now();
  const claims = [];
  for (const read of await readRows(ctx, eventIds)) {
    if (read.kind === 'failed') ctx.tally.failed += 1;
    if (read.kind !== 'found') continue;
    const row = read.value;
    if ('unknown' in row) {
      // After a rollback for good nobody publishes it: then this line, run after run, is what says so.
      ctx.telemetry.warn('left to a newer version', { event_id: row.eventId, reason: 'row_newer' });
      continue;
    }
    if (row.status !== 'pending') continue;
    const createdMs = Date.parse(row.createdAt);
    if (Number.isFinite(createdMs)) ctx.tally.oldestMs = Math.max(ctx.tally.oldestMs, now - createdMs);
    // Judged at the time that it is: against an earlier one, a live lease would be too far away to be true.
    const lease = leaseState(row, ctx.owner, now, ctx.settings);
    const justOver = row.leaseExpiresAtMs <= now && row.leaseExpiresAtMs > now - ctx.settings.graceMs;
    if (lease.kind === 'over' && !justOver) claims.push({ row, owner: ctx.owner });
  }
  const outcomes = await takeOver(ctx, claims);
  const owned = pairs(claims, outcomes).flatMap(([{ row, owner }, outcome]) =>
    outcome.kind === 'taken' ? [{ eventId: row.eventId, owner, notifications: row.notifications }] : [],
  );
  ctx.tally.failed += outcomes.filter((outcome) => outcome.kind === 'failed').length;
  const delivered = await deliver(ctx, owned, { release: false });
  for (const [{ eventId }, outcome] of pairs(owned, delivered)) {
    if (outcome.kind === 'sent') {
      ctx.tally.relayed += 1;
    } else {
      ctx.tally.failed += 1;
      ctx.telemetry.error('not relayed', { event_id: eventId, reason: outcome.reason });
    }
  }
}
