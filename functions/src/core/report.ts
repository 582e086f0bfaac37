import type { LogFields } from '../ports.ts';
import type { PipelineContext } from './pipeline-context.ts';
import type { EventWork, RecordState, RecordWork } from './work.ts';

type Failure = Omit<Extract<RecordState, { at: 'failed' }>, 'at'>;

/** The invocation ends before the record was decided: it counts as failed, like everything unsettled. */
const UNDECIDED: Failure = { reason: 'deadline', delaySeconds: undefined };

/** Counts what became of a batch, and logs what an operator may have to look for. The happy path logs one line. */
export function reportBatch(ctx: PipelineContext, batch: readonly RecordWork[]): void {
  const { telemetry, clock } = ctx;
  const now = clock.now();
  telemetry.count('Received', batch.length);
  telemetry.count('BatchSize', batch.length);
  let oldestMs = 0;
  let failed = 0;
  for (const record of batch) {
    if (record.record.sentAtMs !== undefined) oldestMs = Math.max(oldestMs, now - record.record.sentAtMs);
    for (const event of record.events) reportEvent(ctx, event);
    if (record.excluded !== undefined) telemetry.count('NotOurs', record.excluded, 'filtered');
    if (record.notOurs !== undefined) {
      telemetry.count('NotOurs', 1, record.notOurs);
      telemetry.info('not ours: acknowledged', { ...recordFields(record), reason: record.notOurs });
    }
    if (record.state.at === 'failed') {
      failed += 1;
      reportFailed(ctx, record, record.state);
    } else if (record.state.at === 'open') {
      failed += 1;
      reportFailed(ctx, record, UNDECIDED);
    } else if (record.state.at === 'quarantined') {
      telemetry.count('Quarantined', 1, record.state.reason);
      telemetry.error('quarantined', { ...recordFields(record), reason: record.state.reason });
    }
  }
  if (oldestMs > 0) telemetry.count('EventAge', oldestMs);
  telemetry.info('batch', { count: batch.length, failed });
}

function reportFailed(ctx: PipelineContext, record: RecordWork, failure: Failure): void {
  const { reason, permanentReason, delaySeconds } = failure;
  ctx.telemetry.count('Failed', 1, reason);
  if (reason === 'deadline') ctx.telemetry.count('DeferredAtDeadline', 1);
  if (reason === 'lease_held') ctx.telemetry.count('LeaseWaits', 1);
  ctx.telemetry.warn('failed: comes back', {
    ...recordFields(record),
    reason,
    ...(permanentReason === undefined ? {} : { permanent_reason: permanentReason }),
    ...(delaySeconds === undefined ? {} : { delay_seconds: delaySeconds }),
  });
}

function reportEvent(ctx: PipelineContext, event: EventWork): void {
  if (event.stage.at !== 'settled') return;
  const { verdict } = event.stage;
  if (verdict.kind === 'sent') ctx.telemetry.count(SENT_METRICS[verdict.how], 1);
  else if (verdict.kind === 'not_ours') ctx.telemetry.count('NotOurs', 1, verdict.reason);
  else if (verdict.reason === 'payload_mismatch') {
    ctx.telemetry.count('PayloadMismatches', 1);
    ctx.telemetry.error('another event with another payload already used this id', eventFields(event));
  }
}

const SENT_METRICS = {
  committed: 'Committed',
  recovered: 'Recovered',
  duplicate: 'Duplicates',
  superseded: 'Superseded',
} as const;

function eventFields({ event, receiveCount }: EventWork): LogFields {
  return {
    event_id: event.eventId,
    message_id: event.messageId,
    receive_count: receiveCount,
    ...(event.correlationId === undefined ? {} : { correlation_id: event.correlationId }),
  };
}

/** A record's own fields, and those of its event where it has exactly one. */
function recordFields({ record, events, issues }: RecordWork): LogFields {
  const [event] = events;
  const readable = issues[0]?.eventId;
  return {
    ...(record.id === undefined ? {} : { message_id: record.id }),
    receive_count: record.receiveCount,
    ...(record.groupId === undefined ? {} : { group_id: record.groupId }),
    ...(event !== undefined ? eventFields(event) : readable === undefined ? {} : { event_id: readable }),
  };
}
