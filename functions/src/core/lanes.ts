import { inSuspectOrder, mayKill } from './batch.ts';
import { breakerOpen, conclude, isPermanent } from './conclude.ts';
import { deleteFinished } from './finished.ts';
import { lookUp } from './look-up.ts';
import type { PipelineContext } from './pipeline-context.ts';
import { planAll } from './plan.ts';
import { settleEvents } from './stages.ts';
import { eventsOf, hasPermanent, type RecordWork } from './work.ts';

/** The records of one FIFO group, or of one shard, that are left, in order. */
interface Lane {
  readonly head: RecordWork;
  readonly rest: readonly RecordWork[];
}

/**
 * A batch with order: one lane a group, in order inside the lane, lanes side by side. The first failure fails the rest of
 * its lane only. Lanes that hold a record which may crash the process follow one by one.
 */
export async function runLanes(ctx: PipelineContext, batch: readonly RecordWork[]): Promise<void> {
  const lanes = lanesOf(batch);
  const suspects = lanes.filter((lane) => recordsOf(lane).some(mayKill));
  const calm = lanes.filter((lane) => !suspects.includes(lane));
  await countPermanentsAhead(ctx, calm.flatMap(recordsOf));
  let held = await runWaves(ctx, batch, calm, 'hold');
  const order = inSuspectOrder(suspects, ({ head: { record } }) => ({
    key: String(record.groupId),
    receives: record.receiveCount,
  }));
  for (const lane of order) {
    held = [...held, ...(await runWaves(ctx, batch, [lane], 'hold'))];
    if (looksLikeBadDeploy(ctx, batch)) continue;
    // Before the next suspect is tried: it may kill the process, again and again, and what is held would never be tried.
    await finishHeld(ctx, batch, held);
    held = [];
  }
  await finishHeld(ctx, batch, held);
}

/** Lanes that stand at a permanent head: all of these heads are judged at once, then each lane goes on or fails. */
async function finishHeld(ctx: PipelineContext, batch: readonly RecordWork[], held: readonly Lane[]): Promise<void> {
  await conclude(
    ctx,
    batch,
    held.map(({ head }) => head),
  );
  for (const lane of held) if (goesOn(ctx, lane)) await runWaves(ctx, batch, behind(lane), 'judge');
}

function lanesOf(batch: readonly RecordWork[]): Lane[] {
  const lanes = new Map<string | undefined, { head: RecordWork; rest: RecordWork[] }>();
  for (const record of batch) {
    // Records of a stream have no group: a shard is one lane.
    const lane = lanes.get(record.record.groupId);
    if (lane === undefined) lanes.set(record.record.groupId, { head: record, rest: [] });
    else lane.rest.push(record);
  }
  return [...lanes.values()];
}

function recordsOf({ head, rest }: Lane): RecordWork[] {
  return [head, ...rest];
}

/** The lane without its head; none when that was the last. */
function behind({ rest }: Lane): Lane[] {
  const [head] = rest;
  return head === undefined ? [] : [{ head, rest: rest.slice(1) }];
}

/**
 * Quarantine happens inside a lane, long before the whole batch is judged. So that the breaker can see a bad deploy
 * before the first message is quarantined, everything is looked up and planned ahead. Not for a handler that reads: its
 * plan depends on what the earlier records of its lane write.
 */
async function countPermanentsAhead(ctx: PipelineContext, records: readonly RecordWork[]): Promise<void> {
  if (!ctx.settings.quarantine || ctx.meaning.reads !== undefined) return;
  const works = eventsOf(records);
  await lookUp(ctx, works);
  await planAll(ctx, works);
}

/**
 * One record of every live lane at a time. With `hold`, a lane stops at a permanent head while this looks like a bad
 * deploy; answers the lanes that stand so.
 */
async function runWaves(
  ctx: PipelineContext,
  batch: readonly RecordWork[],
  lanes: readonly Lane[],
  permanents: 'hold' | 'judge',
): Promise<Lane[]> {
  const held: Lane[] = [];
  let live = lanes;
  while (live.length > 0) {
    const heads = live.map(({ head }) => head);
    // What is finished is deleted before a record that may kill the process: also what stands before it in its lane.
    if (heads.some(mayKill)) await deleteFinished(ctx, batch);
    await settleEvents(ctx, eventsOf(heads));
    const holding = permanents === 'hold' && looksLikeBadDeploy(ctx, batch);
    const stopped = live.filter(({ head }) => holding && hasPermanent(head));
    const going = live.filter((lane) => !stopped.includes(lane));
    held.push(...stopped);
    await conclude(
      ctx,
      batch,
      going.map(({ head }) => head),
    );
    live = going.filter((lane) => goesOn(ctx, lane)).flatMap(behind);
  }
  return held;
}

/**
 * Whether several records, and more than half of those that are decided, are permanent, and the breaker would open if all
 * that nobody tried yet were too. A single one says nothing: it goes, and its lane goes on, since waiting for the others
 * would leave the lane untried whenever one of these kills the process.
 */
function looksLikeBadDeploy(ctx: PipelineContext, batch: readonly RecordWork[]): boolean {
  // A shard is one lane of up to 10,000 records, and nothing of it is quarantined: it is not counted for each of them.
  if (!ctx.settings.quarantine) return false;
  const permanent = batch.filter(isPermanent).length;
  const untried = batch.filter(isUntried).length;
  return permanent > 1 && permanent * 2 > batch.length - untried && breakerOpen(batch, untried);
}

/** Its turn has not come; not one that is planned already, known to be permanent, or blocked by its lane's head. */
function isUntried(record: RecordWork): boolean {
  if (record.state.at !== 'open' || hasPermanent(record)) return false;
  return record.events.some(({ stage }) => stage.at === 'new');
}

/** Whether a lane goes on after its head; if not, its rest fails with the same delay. */
function goesOn(ctx: PipelineContext, { head, rest }: Lane): boolean {
  if (head.state.at !== 'failed' || isLastReceive(ctx, head)) return true;
  for (const record of rest) {
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
