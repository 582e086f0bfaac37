import type { Pipeline } from '../../../functions/src/core/pipeline.ts';
import type { BusinessWrite, DecodedEvent } from '../../../functions/src/core/types.ts';
import { type IdempotencyRecord, type PeerDeps, planOf, recordByRecord } from './peer.ts';

/**
 * The batch processor and the idempotency utility of Powertools for AWS Lambda around the same business write and publish,
 * used as their documentation says: the record handler is idempotent by the event's id, its payload is validated, and the
 * remaining time of the invocation ends an abandoned INPROGRESS record.
 *
 * The business write is ours: an item that must not exist and a counter. With its condition, a try after a crash between the
 * write and the end of the handler is refused for ever; without it, the counter counts twice.
 *
 * @see https://docs.powertools.aws.dev/lambda/typescript/latest/features/idempotency/#idempotency-request-flow
 * @see https://docs.powertools.aws.dev/lambda/typescript/latest/features/idempotency/#lambda-timeouts
 * @see https://docs.powertools.aws.dev/lambda/typescript/latest/features/batch/
 */
export function createPowertoolsLike(deps: PeerDeps, conditional: boolean): Pipeline {
  return {
    run: (records, invocation) =>
      recordByRecord(deps, records, invocation.deadlineMs, (event, signal) =>
        handle(deps, event, signal, invocation.deadlineMs, conditional),
      ),
  };
}

async function handle(
  deps: PeerDeps,
  event: DecodedEvent,
  signal: AbortSignal,
  deadlineMs: number,
  conditional: boolean,
): Promise<void> {
  const { services, clock } = deps;
  const { eventId, payloadHash } = event;
  const record: IdempotencyRecord = { status: 'INPROGRESS', inProgressUntilMs: deadlineMs, payloadHash };
  // Condition of the put: no record, an expired one, or one in progress whose invocation is over.
  const put = await services.putRecord(
    eventId,
    record,
    (old) => old.status === 'INPROGRESS' && old.inProgressUntilMs < clock.now(),
    signal,
  );
  if (put === 'failed') throw new Error('IdempotencyPersistenceLayerError');
  if (put !== 'put') {
    if (put.status === 'INPROGRESS') throw new Error('IdempotencyAlreadyInProgressError');
    if (put.payloadHash !== payloadHash) throw new Error('IdempotencyValidationError');
    return;
  }
  try {
    await handler(deps, event, signal, conditional);
  } catch (error) {
    // An exception of the handler deletes the record, so that the next try is a first one.
    if (!(await services.deleteRecord(eventId, signal))) throw new Error('IdempotencyPersistenceLayerError');
    throw error;
  }
  if (!(await services.updateRecord(eventId, { ...record, status: 'COMPLETED' }, signal))) {
    throw new Error('IdempotencyPersistenceLayerError');
  }
}

async function handler(deps: PeerDeps, event: DecodedEvent, signal: AbortSignal, conditional: boolean): Promise<void> {
  if (event.excluded === true) return;
  const planned = await planOf(deps, event, signal);
  if (planned?.kind !== 'plan') throw new Error('not planned');
  const writes = planned.plan.writes.map((write): BusinessWrite => {
    if (conditional || write.kind !== 'put') return write;
    const { condition: _, ...rest } = write;
    return rest;
  });
  if (!(await deps.services.writeBusiness(event, writes, signal))) throw new Error('not written');
  if (!(await deps.services.publish(planned.plan.notifications, signal))) throw new Error('not published');
}
