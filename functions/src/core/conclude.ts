import type { PipelineContext } from './pipeline-context.ts';
import { quarantineAll } from './quarantine.ts';
import type { PermanentReason, TransientReason } from './reasons.ts';
import { delaySeconds } from './visibility.ts';
import { hasPermanent, type RecordWork, recordVerdict } from './work.ts';

/** A batch smaller than this says nothing about a deploy. */
const BREAKER_MIN_BATCH = 5;

/** Turns the verdicts on events into the state of their records: done, failed, or quarantined. */
export async function conclude(
  ctx: PipelineContext,
  batch: readonly RecordWork[],
  records: readonly RecordWork[],
): Promise<void> {
  const permanent: { record: RecordWork; reason: PermanentReason }[] = [];
  for (const record of records) {
    if (record.state.at !== 'open') continue;
    const verdict = recordVerdict(record);
    if (verdict.kind === 'done') record.state = { at: 'done' };
    else if (verdict.kind === 'transient') failRecord(ctx, record, verdict.reason, verdict.retryAtMs);
    else permanent.push({ record, reason: verdict.reason });
  }
  if (permanent.length === 0) return;
  if (!ctx.settings.quarantine) {
    for (const { record, reason } of permanent) failQuarantineOff(ctx, record, reason);
  } else if (breakerOpen(batch)) {
    ctx.telemetry.count('BreakerOpen', 1);
    for (const { record, reason } of permanent) failRecord(ctx, record, 'breaker_open', undefined, reason);
  } else {
    const outcomes = await quarantineAll(
      ctx,
      permanent.map(({ record }) => record),
    );
    for (const [record, outcome] of outcomes) {
      if (outcome.kind === 'done') record.state = { at: 'done' };
      else if (outcome.kind === 'quarantined') record.state = { at: 'quarantined', reason: outcome.reason };
      else failRecord(ctx, record, outcome.reason, outcome.retryAtMs);
    }
  }
}

/**
 * More than half of a batch of at least five is permanent: that is a bad deploy or a wrong mapping rather than bad
 * messages, and it must not empty the queue into the dead-letter queue.
 */
export function breakerOpen(batch: readonly RecordWork[], undecided = 0): boolean {
  if (batch.length < BREAKER_MIN_BATCH) return false;
  const permanent = batch.filter(isPermanent).length;
  return (permanent + undecided) * 2 > batch.length;
}

/** Why a permanent record is returned. A quarantine whose answer was lost may have reached the dead-letter queue. */
const HELD_BACK: ReadonlySet<TransientReason> = new Set(['breaker_open', 'quarantine_off', 'quarantine_failed']);

/** Whether the record is permanent, whatever was done about it. */
export function isPermanent(record: RecordWork): boolean {
  if (record.state.at === 'quarantined') return true;
  return record.state.at === 'failed' ? HELD_BACK.has(record.state.reason) : hasPermanent(record);
}

export function failRecord(
  ctx: PipelineContext,
  record: RecordWork,
  reason: TransientReason,
  retryAtMs: number | undefined,
  permanentReason?: PermanentReason,
): void {
  const seconds = delaySeconds(ctx, record.record.receiveCount, retryAtMs);
  record.state = { at: 'failed', reason, delaySeconds: seconds, ...(permanentReason && { permanentReason }) };
}

/**
 * Without quarantine SQS moves a permanent failure after its last receive. On FIFO it blocks its group until then, so it
 * comes back without delay; on a standard queue it harms nobody and backs off.
 */
function failQuarantineOff(ctx: PipelineContext, record: RecordWork, permanentReason: PermanentReason): void {
  if (ctx.settings.source !== 'sqs_fifo') return failRecord(ctx, record, 'quarantine_off', undefined, permanentReason);
  record.state = { at: 'failed', reason: 'quarantine_off', delaySeconds: 0, permanentReason };
}
