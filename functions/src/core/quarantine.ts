import { deadLetter } from './dead-letter.ts';
import { leaseOwner } from './lease.ts';
import { applyRow } from './look-up.ts';
import { pairs } from './pairs.ts';
import type { PipelineContext } from './pipeline-context.ts';
import { readRows } from './read-rows.ts';
import type { PermanentReason, TransientReason } from './reasons.ts';
import { refusedNames, reportFailures } from './report-failures.ts';
import { deliverAll, takeOverAll } from './stages.ts';
import type { DecodeIssue, ProcessedEvent } from './types.ts';
import { type EventWork, newWork, type RecordWork, recordVerdict, settle, verdictOf } from './work.ts';

/** A record with a permanent event, and what became of it. */
export type QuarantineOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'quarantined'; readonly reason: PermanentReason }
  | { readonly kind: 'failed'; readonly reason: TransientReason; readonly retryAtMs?: number };

/**
 * Rule 10: after a commit nothing is permanent. The rows of all event ids that can be read from the message are read
 * first. Pending ones are published from their stored bytes and marked; an event that turns out to be committed is sent,
 * not bad. Only what is provably uncommitted goes to the dead-letter queue, and only then is it acknowledged.
 *
 * @returns every record with what became of it, in no order.
 */
export async function quarantineAll(
  ctx: PipelineContext,
  records: readonly RecordWork[],
): Promise<(readonly [RecordWork, QuarantineOutcome])[]> {
  if (!ctx.deadline.hasTime()) return records.map((record) => [record, { kind: 'failed', reason: 'deadline' }]);
  const blockers = await finishCommitted(ctx, records);
  const settled: (readonly [RecordWork, QuarantineOutcome])[] = [];
  const condemned: Condemned[] = [];
  for (const record of records) {
    const blocker = blockers.get(record);
    const verdict = recordVerdict(record);
    if (blocker !== undefined) settled.push([record, blocker]);
    else if (verdict.kind === 'permanent') condemned.push({ record, reason: verdict.reason, eventId: verdict.eventId });
    else settled.push([record, verdict.kind === 'done' ? verdict : failedAs(verdict)]);
  }
  return [...settled, ...(await sendAll(ctx, condemned))];
}

/** A record that goes to the dead-letter queue, and why. */
interface Condemned {
  readonly record: RecordWork;
  readonly reason: PermanentReason;
  readonly eventId: string | undefined;
}

async function sendAll(
  ctx: PipelineContext,
  condemned: readonly Condemned[],
): Promise<(readonly [RecordWork, QuarantineOutcome])[]> {
  if (condemned.length === 0) return [];
  const messages = condemned.map(({ record, reason, eventId }) => {
    const { message, dropped } = deadLetter(record.record, reason, eventId);
    if (dropped.length > 0) {
      ctx.telemetry.warn('attributes dropped from a quarantined message: no room beside the reason', {
        message_id: message.messageId,
        count: dropped.length,
      });
    }
    return message;
  });
  const failed = await ctx.queue.quarantine(messages, ctx.deadline.signal);
  reportFailures(ctx, 'messages not quarantined', refusedNames(failed, messages.length));
  return condemned.map(({ record, reason }, position) => [
    record,
    // An answer that does not name a message has not sent it.
    failed[position] === false ? { kind: 'quarantined', reason } : { kind: 'failed', reason: 'quarantine_failed' },
  ]);
}

/** An event id of a record that is to be quarantined, as far as it could be read. */
interface Suspect {
  readonly record: RecordWork;
  readonly eventId: string;
  /** The event; or the part of the message whose id is all that could be read. */
  readonly found: { readonly work: EventWork } | { readonly issue: DecodeIssue };
}

/** Reads the rows and finishes what is committed; says which records cannot be quarantined now. */
async function finishCommitted(
  ctx: PipelineContext,
  records: readonly RecordWork[],
): Promise<ReadonlyMap<RecordWork, QuarantineOutcome>> {
  const suspects = records.flatMap(suspectsOf);
  const blockers = new Map<RecordWork, QuarantineOutcome>();
  const reads = await readRows(
    ctx,
    suspects.map((suspect) => suspect.eventId),
  );
  const works: EventWork[] = [];
  const rescues: { suspect: Suspect; row: ProcessedEvent; rescue: EventWork }[] = [];
  for (const [suspect, read] of pairs(suspects, reads)) {
    const block = (reason: TransientReason) => blockers.set(suspect.record, { kind: 'failed', reason });
    if (read.kind === 'failed') block('look_up_failed');
    else if (read.kind === 'absent') {
      if (ctx.unknownCommits.has(suspect.eventId)) block('commit_pending');
    } else if ('unknown' in read.value) block('row_newer');
    else {
      const row = read.value;
      if ('work' in suspect.found) {
        applyRow(ctx, suspect.found.work, row);
        works.push(suspect.found.work);
      }
      if (standsBy(suspect)) {
        const rescue = rescueOf(ctx.requestId, suspect, row);
        applyRow(ctx, rescue, row);
        rescues.push({ suspect, row, rescue });
      }
    }
  }
  await finish(ctx, [...works, ...rescues.map(({ rescue }) => rescue)]);
  for (const { suspect, row, rescue } of rescues) {
    const verdict = verdictOf(rescue);
    if (verdict.kind === 'transient') blockers.set(suspect.record, failedAs(verdict));
    else resolveIssue(suspect, row);
  }
  return blockers;
}

/**
 * A part of the message that no longer decodes, and whose row was committed by this very message: an earlier attempt
 * could read it, so it is sent, not bad. Unless the row may be that of another part with the same id.
 */
function resolveIssue({ record, found, eventId }: Suspect, row: ProcessedEvent): void {
  if (!('issue' in found) || row.messageId === '' || row.messageId !== record.record.id) return;
  if (record.events.some((work) => work.event.eventId === eventId)) return;
  const others = record.issues.filter((other) => other !== found.issue);
  if (!others.some((other) => other.eventId === eventId)) record.issues = others;
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
  const events = record.events
    .filter((work) => verdictOf(work).kind === 'permanent')
    .map((work): Suspect => ({ record, eventId: work.event.eventId, found: { work } }));
  const unread = record.issues.flatMap((issue): Suspect[] =>
    issue.eventId === undefined ? [] : [{ record, eventId: issue.eventId, found: { issue } }],
  );
  return [...events, ...unread];
}

/** Whether the row is not this message's event, as far as can be told: the message stays permanent. */
function standsBy({ found }: Suspect): boolean {
  return 'issue' in found || verdictOf(found.work).kind === 'permanent';
}

/**
 * The event of a row that stands under the id of a bad message: another event with the same id, or a part of the message
 * that no longer decodes. It is finished on its own account, under its own hash.
 */
function rescueOf(requestId: string, suspect: Suspect, row: ProcessedEvent): EventWork {
  const messageId = suspect.record.record.id ?? '';
  return newWork(
    {
      eventId: suspect.eventId,
      payload: {},
      payloadHash: row.payloadHash,
      attributes: {},
      messageId,
    },
    { receiveCount: suspect.record.record.receiveCount, owner: leaseOwner(requestId, messageId) },
  );
}

function failedAs({
  reason,
  retryAtMs,
}: {
  reason: TransientReason;
  retryAtMs?: number | undefined;
}): QuarantineOutcome {
  return { kind: 'failed', reason, ...(retryAtMs === undefined ? {} : { retryAtMs }) };
}
