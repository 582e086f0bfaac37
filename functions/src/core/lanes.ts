import { inSuspectOrder, mayKill } from './batch.ts';
import { breakerOpen, conclude } from './conclude.ts';
import { deleteFinished } from './finished.ts';
import { lookUp } from './look-up.ts';
import type { PipelineContext } from './pipeline-context.ts';
import { planAll } from './plan.ts';
import { settleEvents } from './stages.ts';
import { hasPermanent, type RecordWork } from './work.ts';

/** The records of one FIFO group, or of one shard, in order. */
type Lane = readonly RecordWork[];

/**
 * A batch with order: one lane a group, in order inside the lane, lanes side by side. The first failure fails the rest of
 * its lane only. Lanes that hold a record which may crash the process follow one by one.
 */
export async function runLanes(ctx: PipelineContext, batch: readonly RecordWork[]): Promise<void> {
  const lanes = lanesOf(ctx, batch);
  const calm = lanes.filter((lane) => !lane.some(mayKill));
  await countPermanentsAhead(ctx, calm.flat());
  const held = [...(await runWaves(ctx, batch, calm, 'hold'))];
  const suspects = lanes.filter((lane) => lane.some(mayKill));
  const order = inSuspectOrder(suspects, ([head]) => ({
    key: head?.record.groupId ?? '',
    receives: head?.record.receiveCount ?? 0,
  }));
  for (const lane of order) held.push(...(await runWaves(ctx, batch, [lane], 'hold')));
  await finishHeld(ctx, batch, held);
}

/** Lanes that stand at a permanent head: all of these heads are judged at once, then each lane goes on or fails. */
async function finishHeld(ctx: PipelineContext, batch: readonly RecordWork[], held: readonly Lane[]): Promise<void> {
  await conclude(
    ctx,
    batch,
    held.flatMap((lane) => lane.slice(0, 1)),
  );
  for (const lane of held) {
    if (goesOn(ctx, lane, 1)) await runWaves(ctx, batch, [lane.slice(1)], 'judge');
  }
}

function lanesOf(ctx: PipelineContext, batch: readonly RecordWork[]): Lane[] {
  const lanes = new Map<string, RecordWork[]>();
  for (const record of batch) {
    const key = ctx.settings.source === 'sqs_fifo' ? (record.record.groupId ?? '') : 'shard';
    const lane = lanes.get(key);
    if (lane === undefined) lanes.set(key, [record]);
    else lane.push(record);
  }
  return [...lanes.values()];
}

/**
 * Quarantine happens inside a lane, long before the whole batch is judged. So that the breaker can see a bad deploy
 * before the first message is quarantined, everything is looked up and planned ahead. Not for a handler that reads: its
 * plan depends on what the earlier records of its lane write.
 */
async function countPermanentsAhead(ctx: PipelineContext, records: readonly RecordWork[]): Promise<void> {
  if (!ctx.settings.quarantine || ctx.meaning.reads !== undefined) return;
  const works = records.flatMap((record) => record.events);
  await lookUp(ctx, works);
  await planAll(ctx, works);
}

/**
 * One record of every live lane at a time. With `hold`, a lane stops at a permanent head as long as the records that
 * nobody tried yet could make this a bad deploy; answers the lanes that stand so, from their heads on.
 */
async function runWaves(
  ctx: PipelineContext,
  batch: readonly RecordWork[],
  lanes: readonly Lane[],
  permanents: 'hold' | 'judge',
): Promise<readonly Lane[]> {
  const held: Lane[] = [];
  let live = lanes.filter((lane) => lane.length > 0);
  while (live.length > 0) {
    const heads = live.flatMap((lane) => lane.slice(0, 1));
    // What is finished is deleted before a record that may kill the process: also what stands before it in its lane.
    if (heads.some(mayKill)) await deleteFinished(ctx, batch);
    await settleEvents(
      ctx,
      heads.flatMap((record) => record.events),
    );
    const holding = permanents === 'hold' && mayBeBadDeploy(ctx, batch);
    const stopped = live.filter(([head]) => holding && head !== undefined && hasPermanent(head));
    held.push(...stopped);
    live = live.filter((lane) => !stopped.includes(lane));
    await conclude(
      ctx,
      batch,
      live.flatMap((lane) => lane.slice(0, 1)),
    );
    live = live.filter((lane) => lane.length > 1 && goesOn(ctx, lane, 1)).map((lane) => lane.slice(1));
  }
  return held;
}

/** Whether the breaker would open if every record that nobody tried yet were permanent. */
function mayBeBadDeploy(ctx: PipelineContext, batch: readonly RecordWork[]): boolean {
  return ctx.settings.quarantine && breakerOpen(batch, batch.filter(isUntried).length);
}

function isUntried(record: RecordWork): boolean {
  if (record.state.at !== 'open' || hasPermanent(record)) return false;
  return record.events.some(({ stage }) => stage.at === 'new' || stage.at === 'uncommitted');
}

/** Whether a lane goes on after the record before `next`; if not, the rest of the lane fails with the same delay. */
function goesOn(ctx: PipelineContext, lane: Lane, next: number): boolean {
  const head = lane[next - 1];
  if (head?.state.at !== 'failed' || isLastReceive(ctx, head)) return true;
  for (const record of lane.slice(next)) {
    // One delay for the whole lane: a sibling that is still in flight blocks its group's head.
    record.state = { at: 'failed', reason: 'lane_blocked', delaySeconds: head.state.delaySeconds };
  }
  return false;
}

/**
 * On its last allowed receive a failing head is returned alone. SQS dead-letters it at the next receive anyway; if the
 * lane stopped, its siblings would use up their receives untried and follow it into the dead-letter queue.
 */
function isLastReceive(ctx: PipelineContext, record: RecordWork): boolean {
  return ctx.settings.maxReceiveCount !== null && record.record.receiveCount >= ctx.settings.maxReceiveCount;
}
