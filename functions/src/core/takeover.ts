import type { RowUpdate, RowUpdateOutcome } from '../ports.ts';
import type { DeliveryContext } from './context.ts';
import { leaseEndMs, leaseState } from './lease.ts';
import { BATCH_STATEMENT_MAX } from './limits.ts';
import { chunks, inParallel } from './parallel.ts';
import type { TransientReason } from './reasons.ts';
import { failureNames, NOT_ANSWERED, reportFailures } from './report-failures.ts';
import { relayShardOf } from './row.ts';
import type { ProcessedEvent } from './types.ts';

/** A pending row whose lease is over, and who wants it. */
export interface Claim {
  readonly row: ProcessedEvent;
  readonly owner: string;
}

export type ClaimOutcome =
  | { readonly kind: 'taken' }
  /** Somebody else published and marked it meanwhile. */
  | { readonly kind: 'sent' }
  | { readonly kind: 'held'; readonly untilMs: number }
  | { readonly kind: 'failed'; readonly reason: TransientReason };

/**
 * Takes leases by conditional updates: pending, and owner and expiry still as read. Of two attempts that saw the same
 * expired lease, one gets it; the other sees a live lease or a sent row.
 */
export async function takeOver(ctx: DeliveryContext, claims: readonly Claim[]): Promise<ClaimOutcome[]> {
  const answers: RowUpdateOutcome[] = [];
  const pieces = await inParallel(ctx.settings.concurrency, chunks(claims, BATCH_STATEMENT_MAX), async (piece) => {
    if (!ctx.deadline.hasTime()) return piece.map((): ClaimOutcome => ({ kind: 'failed', reason: 'deadline' }));
    const updates = piece.map((claim) => takeoverUpdate(ctx, claim));
    const outcomes = await ctx.store.update(updates, ctx.deadline.signal);
    return piece.map((claim, index) => {
      const outcome = outcomes[index] ?? NOT_ANSWERED;
      answers.push(outcome);
      return claimOutcome(ctx, claim, outcome);
    });
  });
  reportFailures(ctx, 'leases not taken over', failureNames(answers));
  return pieces.flat();
}

function takeoverUpdate(ctx: DeliveryContext, { row, owner }: Claim): RowUpdate {
  // Never further than the consumer's own timeout from now: others would take a longer lease for clock skew.
  const deadlineMs = Math.min(ctx.deadline.atMs, ctx.clock.now() + ctx.settings.functionTimeoutMs);
  return {
    kind: 'takeover',
    eventId: row.eventId,
    fromOwner: row.leaseOwner,
    fromExpiresAtMs: row.leaseExpiresAtMs,
    owner,
    expiresAtMs: leaseEndMs(deadlineMs, ctx.settings),
    relayShard: relayShardOf(row.eventId),
  };
}

function claimOutcome(ctx: DeliveryContext, claim: Claim, outcome: RowUpdateOutcome): ClaimOutcome {
  if (outcome.kind === 'done') return { kind: 'taken' };
  if (outcome.kind !== 'condition_failed') return { kind: 'failed', reason: 'takeover_failed' };
  const row = outcome.row;
  if (row === null || row === undefined) return { kind: 'failed', reason: 'takeover_failed' };
  if ('unknown' in row) return { kind: 'failed', reason: 'row_newer' };
  if (row.status === 'sent') return { kind: 'sent' };
  const lease = leaseState(row, claim.owner, ctx.clock.now(), ctx.settings);
  // Ours: an earlier try of this very call was executed and its answer lost.
  if (lease.kind === 'ours') return { kind: 'taken' };
  return lease.kind === 'live'
    ? { kind: 'held', untilMs: lease.untilMs }
    : { kind: 'failed', reason: 'takeover_failed' };
}
