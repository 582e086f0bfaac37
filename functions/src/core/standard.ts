import { inSuspectOrder, mayKill } from './batch.ts';
import { breakerOpen, conclude } from './conclude.ts';
import { deleteFinished } from './finished.ts';
import { lookUp } from './look-up.ts';
import type { PipelineContext } from './pipeline-context.ts';
import { settleEvents } from './stages.ts';
import { eventsOf, hasPermanent, type RecordWork } from './work.ts';

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
  const known = suspects.filter((record) => !record.events.some((work) => work.stage.at === 'uncommitted'));
  await settleEvents(ctx, eventsOf(known));
  await conclude(
    ctx,
    batch,
    known.filter((record) => !hasPermanent(record)),
  );
  for (const record of suspects) {
    if (known.includes(record)) continue;
    await deleteFinished(ctx, batch);
    await settleEvents(ctx, record.events);
    if (!hasPermanent(record)) await conclude(ctx, batch, [record]);
  }
  await conclude(ctx, batch, batch);
}

function mostReceivesFirst(a: RecordWork, b: RecordWork): number {
  return b.record.receiveCount - a.record.receiveCount;
}

function isCalm(record: RecordWork): boolean {
  return !mayKill(record);
}
