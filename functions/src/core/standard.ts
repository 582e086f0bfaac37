import { abandonOpen, inSuspectOrder, mayKill } from './batch.ts';
import { breakerOpen, conclude } from './conclude.ts';
import { deleteFinished } from './finished.ts';
import { lookUp } from './look-up.ts';
import type { PipelineContext } from './pipeline-context.ts';
import { settleEvents } from './stages.ts';
import { type EventWork, eventsOf, hasPermanent, type RecordWork } from './work.ts';

/**
 * A batch without order: everything at once, the highest receive counts first, so that what is closest to the
 * dead-letter queue is begun while there is time. Records that may crash the process follow one by one.
 */
export async function runStandard(ctx: PipelineContext, batch: readonly RecordWork[]): Promise<void> {
  const ordered = [...batch].sort(mostReceivesFirst);
  const calm = ordered.filter(isCalm);
  const suspects = inSuspectOrder(ordered.filter(mayKill), ({ record }) => ({
    key: record.id ?? '',
    receives: record.receiveCount,
  }));
  await settleEvents(ctx, eventsOf(calm));
  // Quarantine what can be quarantined whatever the suspects turn out to be; the breaker counts the whole batch.
  const certain = breakerOpen(batch, suspects.length) ? calm.filter((record) => !hasPermanent(record)) : calm;
  await conclude(ctx, batch, certain);
  // What is committed already need not be planned again, and so crashes nothing: it is finished together.
  await lookUp(ctx, eventsOf(suspects));
  const known: RecordWork[] = [];
  const untried: RecordWork[] = [];
  for (const record of suspects) (record.events.some(isUncommitted) ? untried : known).push(record);
  await settleEvents(ctx, eventsOf(known));
  await conclude(
    ctx,
    batch,
    known.filter((record) => !hasPermanent(record)),
  );
  for (const record of untried) {
    if (!ctx.deadline.hasTime()) break;
    await deleteFinished(ctx, batch);
    await settleEvents(ctx, record.events);
    if (!hasPermanent(record)) await conclude(ctx, batch, [record]);
  }
  abandonOpen(untried, 'deadline');
  await conclude(ctx, batch, batch);
}

function isUncommitted(work: EventWork): boolean {
  return work.stage.at === 'uncommitted';
}

function mostReceivesFirst(a: RecordWork, b: RecordWork): number {
  return b.record.receiveCount - a.record.receiveCount;
}

function isCalm(record: RecordWork): boolean {
  return !mayKill(record);
}
