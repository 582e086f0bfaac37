import { deadLetter } from './dead-letter.ts';
import { leaseOwner } from './lease.ts';
import { applyRow } from './look-up.ts';
import type { PipelineContext } from './pipeline-context.ts';
import { readRows } from './read-rows.ts';
import type { PermanentReason, TransientReason } from './reasons.ts';
import { deliverAll, takeOverAll } from './stages.ts';
import type { DecodedEvent, DecodeIssue, Row } from './types.ts';
import { type EventWork, type RecordWork, recordVerdict, settle, verdictOf } from './work.ts';

/** A record with a permanent event, and what became of it. */
export type QuarantineOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'quarantined'; readonly reason: PermanentReason }
  | { readonly kind: 'failed'; readonly reason: TransientReason; readonly retryAtMs?: number };

/**
 * Rule 10: after a commit nothing is permanent. The rows of all event ids that can be read from the message are read
 * first. Pending ones are published from their stored bytes and marked; an event that turns out to be committed is sent,
 * not bad. Only what is provably uncommitted goes to the dead-letter queue, and only then is it acknowledged.
 */
export async function quarantineAll(
  ctx: PipelineContext,
  records: readonly RecordWork[],
): Promise<QuarantineOutcome[]> {
  if (records.length === 0) return [];
  if (!ctx.deadline.hasTime()) return records.map(() => ({ kind: 'failed', reason: 'deadline' }));
  const blockers = await finishCommitted(ctx, records);
  const outcomes = records.map((record): QuarantineOutcome | undefined => {
    const blocked = blockers.get(record);
    if (blocked !== undefined) return blocked;
    const verdict = recordVerdict(record);
    if (verdict.kind === 'done') return { kind: 'done' };
    if (verdict.kind === 'permanent') return undefined;
    return {
      kind: 'failed',
      reason: verdict.reason,
      ...(verdict.retryAtMs === undefined ? {} : { retryAtMs: verdict.retryAtMs }),
    };
  });
  await sendAll(ctx, records, outcomes);
  return outcomes.map((outcome) => outcome ?? { kind: 'failed', reason: 'quarantine_failed' });
}

async function sendAll(
  ctx: PipelineContext,
  records: readonly RecordWork[],
  outcomes: (QuarantineOutcome | undefined)[],
): Promise<void> {
  const sending: { index: number; reason: PermanentReason }[] = [];
  const messages = [];
  for (const [index, record] of records.entries()) {
    if (outcomes[index] !== undefined) continue;
    const verdict = recordVerdict(record);
    if (verdict.kind !== 'permanent') continue;
    const { message, dropped } = deadLetter(record.record, verdict.reason, verdict.eventId);
    if (dropped.length > 0) {
      ctx.telemetry.warn('attributes dropped from a quarantined message: no room beside the reason', {
        message_id: message.messageId,
        count: dropped.length,
      });
    }
    sending.push({ index, reason: verdict.reason });
    messages.push(message);
  }
  if (messages.length === 0) return;
  const failed = await ctx.queue.quarantine(messages, ctx.deadline.signal);
  for (const [position, { index, reason }] of sending.entries()) {
    outcomes[index] =
      failed[position] === false ? { kind: 'quarantined', reason } : { kind: 'failed', reason: 'quarantine_failed' };
  }
}

/** An event id of a record that is to be quarantined, as far as it could be read. */
interface Suspect {
  readonly record: RecordWork;
  readonly eventId: string;
  /** Undefined for a part of the message whose id is all that could be read. */
  readonly work: EventWork | undefined;
  readonly issue?: DecodeIssue;
}

/** Reads the rows and finishes what is committed; says which records cannot be quarantined now. */
async function finishCommitted(
  ctx: PipelineContext,
  records: readonly RecordWork[],
): Promise<Map<RecordWork, QuarantineOutcome>> {
  const suspects = records.flatMap(suspectsOf);
  const blockers = new Map<RecordWork, QuarantineOutcome>();
  if (suspects.length === 0) return blockers;
  const reads = await readRows(
    ctx,
    suspects.map((suspect) => suspect.eventId),
  );
  const rescues: { suspect: Suspect; rescue: EventWork; committedBy: string }[] = [];
  for (const [index, suspect] of suspects.entries()) {
    const read = reads[index];
    if (read?.kind === 'found') {
      if (suspect.work !== undefined) applyRow(ctx, suspect.work, read.value);
      const rescue = rescueOf(ctx.requestId, suspect, read.value);
      if (rescue !== undefined) {
        applyRow(ctx, rescue, read.value);
        rescues.push({ suspect, rescue, committedBy: 'unknown' in read.value ? '' : read.value.messageId });
      }
    } else if (read?.kind === 'absent') {
      if (ctx.unknownCommits.has(suspect.eventId))
        blockers.set(suspect.record, { kind: 'failed', reason: 'commit_pending' });
    } else {
      blockers.set(suspect.record, { kind: 'failed', reason: 'look_up_failed' });
    }
  }
  const works = suspects.flatMap((suspect) => (suspect.work === undefined ? [] : [suspect.work]));
  await finish(ctx, [...works, ...rescues.map(({ rescue }) => rescue)]);
  for (const { suspect, rescue, committedBy } of rescues) {
    const verdict = verdictOf(rescue);
    if (verdict?.kind === 'sent') resolveIssue(suspect, committedBy);
    if (verdict?.kind !== 'transient') continue;
    blockers.set(suspect.record, {
      kind: 'failed',
      reason: verdict.reason,
      ...(verdict.retryAtMs === undefined ? {} : { retryAtMs: verdict.retryAtMs }),
    });
  }
  return blockers;
}

/**
 * A part of the message that no longer decodes, and whose row was committed by this very message: an earlier attempt
 * could read it, so it is sent, not bad. Unless the row is that of another part with the same id.
 */
function resolveIssue({ record, issue, eventId }: Suspect, committedBy: string): void {
  if (record.events.some((work) => work.event.eventId === eventId)) return;
  if (issue !== undefined && committedBy !== '' && committedBy === record.record.id) {
    record.issues = record.issues.filter((other) => other !== issue);
  }
}

/** Two suspects may name one row: the first takes it over, the second is told by the row. */
async function finish(ctx: PipelineContext, works: readonly EventWork[]): Promise<void> {
  const seen = new Set<string>();
  for (const work of works) {
    if (work.stage.at === 'settled') continue;
    if (seen.has(work.event.eventId)) settle(work, { kind: 'transient', reason: 'lease_held' });
    seen.add(work.event.eventId);
  }
  await takeOverAll(ctx, works);
  await deliverAll(ctx, works);
}

function suspectsOf(record: RecordWork): Suspect[] {
  const works = record.events
    .filter((work) => verdictOf(work)?.kind === 'permanent')
    .map((work) => ({ record, eventId: work.event.eventId, work }));
  const unread = record.issues.flatMap((issue) =>
    issue.eventId === undefined ? [] : [{ record, eventId: issue.eventId, work: undefined, issue }],
  );
  return [...works, ...unread];
}

/**
 * A row that is pending under this id, but is not this message's event as far as can be told: another event with the same
 * id, or a part of the message that no longer decodes. It is finished on its own account, under its own hash, and the
 * message stays permanent.
 */
function rescueOf(requestId: string, suspect: Suspect, row: Row): EventWork | undefined {
  const stands = suspect.work === undefined || verdictOf(suspect.work)?.kind === 'permanent';
  if (!stands) return undefined;
  const payloadHash = 'unknown' in row ? '' : row.payloadHash;
  const messageId = suspect.record.record.id ?? '';
  const event: DecodedEvent = {
    eventId: suspect.eventId,
    producerId: suspect.eventId,
    payload: {},
    payloadHash,
    attributes: {},
    messageId,
  };
  return {
    event,
    receiveCount: suspect.record.record.receiveCount,
    owner: leaseOwner(requestId, messageId),
    contested: false,
    stage: { at: 'new' },
    twin: false,
    items: [],
  };
}
