import type { CommitOutcome } from '../ports.ts';
import { retryJitterMs } from './backoff.ts';
import { type CancellationVerdict, judgeCancellation } from './cancellation.ts';
import { halves, inRounds, packGroups } from './group.ts';
import { applyExisting, applyRow } from './look-up.ts';
import { pairs } from './pairs.ts';
import { inParallel } from './parallel.ts';
import type { PipelineContext } from './pipeline-context.ts';
import { planAgain, prepareWork } from './plan.ts';
import type { Prepared } from './prepare.ts';
import { topicGroupOf } from './publish.ts';
import { readRows } from './read-rows.ts';
import type { PermanentReason, TransientReason } from './reasons.ts';
import { type EventWork, eventIdOf, ownedBy, type Stage, settle } from './work.ts';

/** Conflicts are not retried by the SDK: this many tries of one event, with jitter, within one invocation. */
const CONFLICT_TRIES = 4;
/** Plans of one event whose items keep changing, within one invocation. */
const PLAN_TRIES = 4;

/**
 * The prepared events in the rounds that they are committed in. What shares an item with an earlier one, or a group of a
 * FIFO topic, follows it: each round is published before the next.
 */
export function commitRounds(works: readonly EventWork[]): EventWork[][] {
  return inRounds(works.filter(isPrepared), sharedOf);
}

function sharedOf(work: EventWork): readonly string[] {
  const { items, notifications } = preparedOf(work);
  const groups: string[] = [];
  for (const notification of notifications) {
    const group = topicGroupOf(notification);
    if (group !== undefined) groups.push(group);
  }
  return groups.length === 0 ? items : [...items, ...groups];
}

/** Commits the events of one round, which share no item: groups of them, side by side. */
export async function commitRound(ctx: PipelineContext, round: readonly EventWork[]): Promise<void> {
  const groups = packGroups(round, ctx.adaptive.groupSize(), preparedOf);
  await inParallel(ctx.settings.concurrency, groups, (group) => commitGroup(ctx, group));
}

function isPrepared(work: EventWork): boolean {
  return work.stage.at === 'prepared';
}

function stageOf(work: EventWork): Extract<Stage, { at: 'prepared' }> {
  if (work.stage.at !== 'prepared') throw new Error('not prepared');
  return work.stage;
}

function preparedOf(work: EventWork): Prepared {
  return stageOf(work).prepared;
}

async function commitGroup(ctx: PipelineContext, group: readonly EventWork[]): Promise<void> {
  const [first, second] = group;
  if (first === undefined) return;
  if (second === undefined) return commitAlone(ctx, first);
  if (!ctx.deadline.hasTime()) return settleAll(group, 'deadline');
  const outcome = await send(ctx, group);
  switch (outcome.kind) {
    case 'committed':
      ctx.adaptive.groupCommitted(group.length);
      for (const work of group) committed(work);
      return;
    case 'cancelled':
      return settleCancelled(ctx, group, outcome.reasons);
    case 'refused':
      // A whole-call failure names nobody, and a group never condemns: only a lone call may.
      return splitGroup(ctx, group);
    case 'throttled':
      return settleAll(group, 'throttled');
    case 'unknown':
      return confirm(ctx, group);
  }
}

/** Settles the guilty alone and sends the innocent again. */
async function settleCancelled(
  ctx: PipelineContext,
  group: readonly EventWork[],
  reasons: Extract<CommitOutcome, { kind: 'cancelled' }>['reasons'],
): Promise<void> {
  ctx.telemetry.count('GroupCancellations', 1);
  const judged = group.map((work, index) => ({
    work,
    verdict: judgeCancellation(reasons[index], preparedOf(work).policies),
  }));
  const guilty = judged.filter(({ verdict }) => verdict.kind !== 'innocent');
  ctx.adaptive.groupCancelled(
    group.length,
    guilty.some(({ verdict }) => verdict.kind !== 'exists'),
  );
  if (guilty.length === 0) return splitGroup(ctx, group);
  const innocent = judged.flatMap(({ work, verdict }) => (verdict.kind === 'innocent' ? [work] : []));
  const smaller = packGroups(innocent, ctx.adaptive.groupSize(), preparedOf);
  await Promise.all([
    inParallel(ctx.settings.concurrency, smaller, (next) => commitGroup(ctx, next)),
    inParallel(ctx.settings.concurrency, guilty, ({ work, verdict }) => settleGuilty(ctx, work, verdict)),
  ]);
}

async function settleGuilty(ctx: PipelineContext, work: EventWork, verdict: CancellationVerdict): Promise<void> {
  if (verdict.kind === 'exists') return applyExisting(ctx, work, verdict.row);
  if (verdict.kind === 'transient') await ctx.clock.sleep(retryJitterMs(0, ctx.random), ctx.deadline.signal);
  return commitAlone(ctx, work);
}

async function splitGroup(ctx: PipelineContext, group: readonly EventWork[]): Promise<void> {
  const [left, right] = halves(group);
  await commitGroup(ctx, left);
  await commitGroup(ctx, right);
}

/**
 * After an unknown outcome the rows tell what happened so far. What is not there is sent once more; what is there
 * carries our lease. A call that executes later than its answer fails on the row that exists by then.
 */
async function confirm(ctx: PipelineContext, group: readonly EventWork[]): Promise<void> {
  const again = group.some(({ event }) => ctx.unknownCommits.has(event.eventId));
  for (const { event } of group) ctx.unknownCommits.add(event.eventId);
  if (again || !ctx.deadline.hasTime()) return settleAll(group, 'commit_unknown');
  const reads = await readRows(ctx, group.map(eventIdOf));
  const absent: EventWork[] = [];
  for (const [work, read] of pairs(group, reads)) {
    if (read.kind === 'found') applyRow(ctx, work, read.value);
    else if (read.kind === 'absent') absent.push(work);
    else settle(work, { kind: 'transient', reason: 'commit_unknown' });
  }
  return commitGroup(ctx, absent);
}

/** The only place that may find an event permanent: a call that holds nothing but this event. */
async function commitAlone(ctx: PipelineContext, work: EventWork): Promise<void> {
  const tries: Tries = { conflicts: 1, plans: 1 };
  while (ctx.deadline.hasTime()) {
    const outcome = await send(ctx, [work]);
    switch (outcome.kind) {
      case 'committed':
        ctx.adaptive.groupCommitted(1);
        return committed(work);
      case 'unknown':
        return confirm(ctx, [work]);
      case 'throttled':
        return fail(work, 'throttled');
      case 'refused':
        return outcome.permanent ? condemn(ctx, work, 'request_refused') : fail(work, 'commit_failed');
      case 'cancelled':
        await settleAlone(ctx, work, judgeCancellation(outcome.reasons[0], preparedOf(work).policies), tries);
    }
    if (work.stage.at !== 'prepared') return;
  }
  fail(work, 'deadline');
}

/** How often one event was sent with another event in its way, and how often it was planned. */
interface Tries {
  conflicts: number;
  plans: number;
}

/** What the cancellation of a lone call says of its event, which stays `prepared` when it is to be sent once more. */
async function settleAlone(
  ctx: PipelineContext,
  work: EventWork,
  verdict: CancellationVerdict,
  tries: Tries,
): Promise<void> {
  switch (verdict.kind) {
    case 'exists':
      return applyExisting(ctx, work, verdict.row);
    case 'innocent':
      return fail(work, 'cancelled_unknown');
    case 'permanent':
      return condemn(ctx, work, verdict.reason);
    case 'transient':
      if (verdict.reason !== 'conflict' || tries.conflicts >= CONFLICT_TRIES) return fail(work, verdict.reason);
      await ctx.clock.sleep(retryJitterMs(tries.conflicts, ctx.random), ctx.deadline.signal);
      tries.conflicts += 1;
      return;
    case 'condition':
      if (verdict.policy === 'reject') return condemn(ctx, work, 'business_rejected');
      if (verdict.policy === 'supersede')
        return prepareWork(ctx, work, { writes: [], notifications: [] }, 'superseded');
      if (tries.plans >= PLAN_TRIES) return fail(work, 'replan_exhausted');
      tries.plans += 1;
      return planAgain(ctx, work);
  }
}

/** An earlier try, of the SDK's or ours, may still be executed: then an answer proves nothing about the event. */
function condemn(ctx: PipelineContext, work: EventWork, reason: PermanentReason): void {
  if (ctx.unknownCommits.has(work.event.eventId)) fail(work, 'commit_pending');
  else settle(work, { kind: 'permanent', reason });
}

/** Sends one transaction and counts what it consumed; a cancelled one reports nothing, so its units are computed. */
async function send(ctx: PipelineContext, group: readonly EventWork[]): Promise<CommitOutcome> {
  const prepared = group.map(preparedOf);
  const outcome = await ctx.store.commit(prepared, ctx.deadline.signal);
  if (outcome.kind === 'committed') ctx.telemetry.count('WriteUnits', outcome.writeUnits);
  if (outcome.kind === 'cancelled')
    ctx.telemetry.count(
      'WriteUnits',
      prepared.reduce((sum, event) => sum + event.writeUnits, 0),
    );
  if ('name' in outcome) ctx.telemetry.warn('commit failed', { error_name: outcome.name, count: group.length });
  if ('retried' in outcome && outcome.retried) for (const { event } of group) ctx.unknownCommits.add(event.eventId);
  return outcome;
}

function committed(work: EventWork): void {
  const { prepared, how } = stageOf(work);
  const payloadHash = work.event.payloadHash;
  if (prepared.notifications.length === 0) return settle(work, { kind: 'sent', how, payloadHash });
  work.stage = {
    at: 'owned',
    owned: ownedBy(work, prepared.notifications),
    how: 'committed',
    payloadHash,
  };
}

function fail(work: EventWork, reason: TransientReason): void {
  settle(work, { kind: 'transient', reason });
}

function settleAll(group: readonly EventWork[], reason: TransientReason): void {
  for (const work of group) fail(work, reason);
}
