import type { LogFields } from '../ports.ts';
import { isPermanent } from './conclude.ts';
import type { PipelineContext } from './pipeline-context.ts';
import type { PermanentReason } from './reasons.ts';
import { utf8Bytes } from './size.ts';
import type { DecodeIssue } from './types.ts';
import { type EventWork, type RecordState, type RecordWork, verdictOf } from './work.ts';

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
      const { reason } = record.state;
      telemetry.error('quarantined', { ...recordFields(record), reason, ...sizeFields(record, reason) });
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
    ...(permanentReason === undefined
      ? {}
      : { permanent_reason: permanentReason, ...sizeFields(record, permanentReason) }),
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

/** A record's own fields, and those of the event that its line is about. */
function recordFields(work: RecordWork): LogFields {
  const { record } = work;
  return {
    ...(record.id === undefined ? {} : { message_id: record.id }),
    receive_count: record.receiveCount,
    ...(record.groupId === undefined ? {} : { group_id: record.groupId }),
    ...namedEvent(work),
  };
}

/**
 * The part that is permanent, or the only one. A line on several events names none of them: whoever searches for the id
 * would take it for what happened to that event.
 */
function namedEvent(record: RecordWork): LogFields {
  const { events, issues, state } = record;
  const [event] = events;
  const [issue] = issues;
  if (state.at !== 'open' && isPermanent(record)) {
    const permanent = events.find((work) => verdictOf(work).kind === 'permanent');
    if (permanent !== undefined) return eventFields(permanent);
    if (issue !== undefined) return issueFields(issue);
  }
  if (event !== undefined) return events.length === 1 ? eventFields(event) : {};
  return issue !== undefined && issues.length === 1 ? issueFields(issue) : {};
}

function issueFields({ eventId }: DecodeIssue): LogFields {
  return eventId === undefined ? {} : { event_id: eventId };
}

const SIZE_REASONS: ReadonlySet<PermanentReason> = new Set([
  'item_too_large',
  'transaction_too_large',
  'notification_too_large',
]);

/** How large the message is that holds too much: all that can be said of it without a piece of its body. */
function sizeFields({ record }: RecordWork, reason: PermanentReason): LogFields {
  return SIZE_REASONS.has(reason) ? { bytes: utf8Bytes(record.body) } : {};
}
