import type { AttributeMap } from './attribute-value.ts';
import { inParallel } from './parallel.ts';
import type { PipelineContext } from './pipeline-context.ts';
import { prepare } from './prepare.ts';
import { failureNames, reportFailures } from './report-failures.ts';
import { rowItem } from './row.ts';
import type { Plan, Planned, ReadKey } from './types.ts';
import { type EventWork, settle } from './work.ts';

/** Plans every event that is not known to be committed, and checks the plans against all limits. */
export async function planAll(ctx: PipelineContext, works: readonly EventWork[]): Promise<void> {
  const open = works.filter(isUncommitted);
  if (!ctx.deadline.hasTime()) {
    for (const work of open) settle(work, { kind: 'transient', reason: 'deadline' });
    return;
  }
  await readDeclared(ctx, open);
  await inParallel(ctx.settings.concurrency, open, planOne.bind(undefined, ctx));
}

function isUncommitted(work: EventWork): boolean {
  return work.stage.at === 'uncommitted';
}

/** The reads that a handler declared, for all events together. */
async function readDeclared(ctx: PipelineContext, works: readonly EventWork[]): Promise<void> {
  const declare = ctx.meaning.reads;
  if (declare === undefined) return;
  const wanted: { work: EventWork; keys: readonly ReadKey[] }[] = [];
  for (const work of works) {
    try {
      wanted.push({ work, keys: declare(work.event) });
    } catch (error) {
      handlerFailed(ctx, work, error);
    }
  }
  const keys = wanted.flatMap((entry) => entry.keys);
  const reads = keys.length === 0 ? [] : await ctx.store.readItems(keys, ctx.deadline.signal);
  reportFailures(ctx, 'items not read', failureNames(reads));
  let next = 0;
  for (const entry of wanted) {
    const mine = reads.slice(next, next + entry.keys.length);
    next += entry.keys.length;
    const items: (AttributeMap | undefined)[] = mine.map((read) => (read.kind === 'found' ? read.value : undefined));
    if (mine.length < entry.keys.length || mine.some((read) => read.kind === 'failed')) {
      settle(entry.work, { kind: 'transient', reason: 'look_up_failed' });
    } else {
      entry.work.items = items;
    }
  }
}

async function planOne(ctx: PipelineContext, work: EventWork): Promise<void> {
  if (work.stage.at !== 'uncommitted') return;
  if (!ctx.deadline.hasTime()) return settle(work, { kind: 'transient', reason: 'deadline' });
  try {
    const planned = ctx.meaning.plan(work.event, work.items);
    // Awaiting only what is a promise keeps the declarative path free of a microtask an event.
    const result = planned instanceof Promise ? await inTime(ctx, planned) : planned;
    if (result.kind === 'plan') prepareWork(ctx, work, result.plan, 'committed');
    else settle(work, { kind: 'permanent', reason: result.reason });
  } catch (error) {
    handlerFailed(ctx, work, error);
  }
}

/**
 * A promise that never settles costs half of the time that is left, and its own event: the rest of the batch is then
 * still committed and published.
 */
async function inTime(ctx: PipelineContext, planned: Promise<Planned>): Promise<Planned> {
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    cancel = ctx.clock.alarm(ctx.deadline.halfwayMs(), () => reject(new HandlerTimeout('a plan took too long')));
  });
  try {
    return await Promise.race([planned, late]);
  } finally {
    cancel();
  }
}

class HandlerTimeout extends Error {
  override readonly name = 'HandlerTimeout';
}

/** Reads again and plans again: the items that the plan was made from have changed. */
export async function planAgain(ctx: PipelineContext, work: EventWork): Promise<void> {
  work.stage = { at: 'uncommitted' };
  await planAll(ctx, [work]);
}

/** Checks a plan and puts the event into the `prepared` stage, or settles it as permanent. */
export function prepareWork(
  ctx: Pick<PipelineContext, 'settings' | 'clock' | 'leaseExpiresAtMs'>,
  work: EventWork,
  plan: Plan,
  how: 'committed' | 'superseded',
): void {
  const row = rowItem({
    event: work.event,
    source: ctx.settings.source,
    notifications: plan.notifications,
    leaseOwner: work.owner,
    leaseExpiresAtMs: ctx.leaseExpiresAtMs,
    nowMs: ctx.clock.now(),
    retentionDays: ctx.settings.retentionDays,
    // With a single allowed receive every commit may be the last: SQS moves the message before a redelivery (rule 9).
    inTrouble: work.receiveCount > 1 || ctx.settings.maxReceiveCount === 1,
    ...(work.traceHeader === undefined ? {} : { trace: work.traceHeader }),
  });
  const prepared = prepare(plan, row, ctx.settings);
  if (prepared.ok) work.stage = { at: 'prepared', prepared: prepared.value, how };
  else settle(work, { kind: 'permanent', reason: prepared.reason });
}

/** An exception out of a handler is transient: it may be a bug of one deploy, and the message must survive it. */
function handlerFailed(ctx: PipelineContext, work: EventWork, error: unknown): void {
  ctx.telemetry.error('handler threw', {
    event_id: work.event.eventId,
    ...(work.event.correlationId !== undefined && { correlation_id: work.event.correlationId }),
    message_id: work.event.messageId,
    receive_count: work.receiveCount,
    reason: 'handler_failed',
    error_name: error instanceof Error ? error.name : typeof error,
  });
  settle(work, { kind: 'transient', reason: 'handler_failed' });
}
