import { commitRound, commitRounds } from './commit.ts';
import { deliver, type Owned } from './deliver.ts';
import { lookUp } from './look-up.ts';
import { pairs } from './pairs.ts';
import type { PipelineContext } from './pipeline-context.ts';
import { planAll } from './plan.ts';
import type { Lane } from './publish.ts';
import { takeOver } from './takeover.ts';
import type { ProcessedEvent } from './types.ts';
import { type EventWork, ownedBy, type Staged, settle, staged, verdictOf } from './work.ts';

/**
 * Brings events to a verdict. Of several with one id the first goes through the stages, and the others wait for its
 * outcome: they are duplicates of what is now known to be sent, or go through the stages themselves.
 */
export async function settleEvents(ctx: PipelineContext, works: readonly EventWork[]): Promise<void> {
  let open = works.filter(isOpen);
  while (open.length > 0) {
    const firsts = new Map<string, EventWork>();
    const twins: { work: EventWork; first: EventWork }[] = [];
    for (const work of open) {
      const first = firsts.get(work.event.eventId);
      if (first === undefined) firsts.set(work.event.eventId, work);
      else twins.push({ work, first });
    }
    await runStages(ctx, [...firsts.values()]);
    open = [];
    for (const { work, first } of twins) if (!settledByTwin(work, first)) open.push(work);
    if (ctx.deadline.hasTime()) continue;
    for (const work of open) settle(work, { kind: 'transient', reason: 'deadline' });
    return;
  }
}

function isOpen(work: EventWork): boolean {
  return work.stage.at !== 'settled';
}

function settledByTwin(work: EventWork, first: EventWork): boolean {
  const verdict = verdictOf(first);
  if (verdict.kind !== 'sent' || verdict.payloadHash !== work.event.payloadHash) return false;
  settle(work, { kind: 'sent', how: 'duplicate', payloadHash: verdict.payloadHash });
  work.twin = true;
  return true;
}

/**
 * Section 3 of the design, for events with distinct ids: look up, plan, commit, take over, publish, mark. What is
 * committed is published while the next round is committed: nothing that an earlier commit owes waits for later ones,
 * which may take until the deadline.
 */
async function runStages(ctx: PipelineContext, works: readonly EventWork[]): Promise<void> {
  await lookUp(ctx, works);
  await planAll(ctx, works);
  await takeOverAll(ctx, works);
  const held = new Set<Lane>();
  let committed = works;
  for (const round of commitRounds(works)) {
    await Promise.all([deliverAll(ctx, committed, held), commitRound(ctx, round)]);
    await takeOverAll(ctx, round);
    committed = round;
  }
  await deliverAll(ctx, committed, held);
}

/** Takes the leases of events that an earlier attempt committed and did not finish. */
export async function takeOverAll(ctx: PipelineContext, works: readonly EventWork[]): Promise<void> {
  const claims: { work: EventWork; row: ProcessedEvent; owner: string }[] = [];
  for (const { work, stage } of staged(works, 'abandoned')) claims.push({ work, row: stage.row, owner: work.owner });
  const outcomes = await takeOver(ctx, claims);
  for (const [{ work, row }, outcome] of pairs(claims, outcomes)) {
    switch (outcome.kind) {
      case 'taken':
        ctx.telemetry.count('Takeovers', 1);
        work.stage = {
          at: 'owned',
          owned: ownedBy(work, row.notifications),
          how: 'recovered',
          payloadHash: row.payloadHash,
        };
        break;
      case 'sent':
        settle(work, { kind: 'sent', how: 'duplicate', payloadHash: row.payloadHash });
        break;
      case 'held':
        settle(work, { kind: 'transient', reason: 'lease_held', retryAtMs: outcome.untilMs });
        break;
      case 'failed':
        settle(work, { kind: 'transient', reason: outcome.reason });
        break;
    }
  }
}

/** Publishes and marks every event whose lease is ours; `held` as in `DeliverOptions`. */
export async function deliverAll(
  ctx: PipelineContext,
  works: readonly EventWork[],
  held = new Set<Lane>(),
): Promise<void> {
  const owned = staged(works, 'owned');
  const outcomes = await deliver(ctx, owned.map(ownedOf), { release: true, held });
  for (const [{ work, stage }, outcome] of pairs(owned, outcomes)) {
    if (outcome.kind === 'sent') {
      ctx.telemetry.count('Notifications', stage.owned.notifications.length);
      settle(work, { kind: 'sent', how: stage.how, payloadHash: stage.payloadHash });
    } else {
      settle(work, { kind: 'transient', reason: outcome.reason });
    }
  }
}

function ownedOf({ stage }: Staged<'owned'>): Owned {
  return stage.owned;
}
