import type { PipelineContext } from './pipeline-context.ts';
import { refusedNames, reportFailures } from './report-failures.ts';
import type { RecordWork } from './work.ts';

/**
 * Deletes what is finished before a record is tried that may crash the process: a crash sends the whole batch back, and
 * a neighbour that is deleted does not come back with it. A failed delete costs a redelivery, nothing else; so when none
 * succeeds, the time that is left is for the records that are still to be tried.
 */
export async function deleteFinished(ctx: PipelineContext, batch: readonly RecordWork[]): Promise<void> {
  const finished: { record: RecordWork; receiptHandle: string }[] = [];
  for (const record of batch) {
    const receiptHandle = record.record.receiptHandle;
    const done = record.state.at === 'done' || record.state.at === 'quarantined';
    if (done && !record.deleted && receiptHandle !== undefined) finished.push({ record, receiptHandle });
  }
  if (finished.length === 0 || ctx.deletes.failing) return;
  const failed = await ctx.queue.delete(
    finished.map((entry) => entry.receiptHandle),
    ctx.deadline.signal,
  );
  reportFailures(ctx, 'finished messages not deleted ahead', refusedNames(failed, finished.length));
  for (const [index, { record }] of finished.entries()) record.deleted = failed[index] === false;
  ctx.deletes.failing = !finished.some(({ record }) => record.deleted);
}
