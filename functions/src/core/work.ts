import type { AttributeMap } from './attribute-value.ts';
import type { Owned } from './deliver.ts';
import type { Prepared } from './prepare.ts';
import type { NotOursReason, PermanentReason, TransientReason } from './reasons.ts';
import type { DecodedEvent, DecodeIssue, Notification, ProcessedEvent, SourceRecord } from './types.ts';

/** How an event came to be `sent` in the eyes of this delivery. */
export type SentHow =
  /** Committed, published and marked by this invocation. */
  | 'committed'
  /** Committed by an earlier attempt; published and marked now. */
  | 'recovered'
  /** Published and marked before. */
  | 'duplicate'
  /** A newer event had written the key: committed as sent, with nothing to publish. */
  | 'superseded';

export type Verdict =
  | { readonly kind: 'sent'; readonly how: SentHow; readonly payloadHash: string }
  | { readonly kind: 'not_ours'; readonly reason: NotOursReason }
  | { readonly kind: 'permanent'; readonly reason: PermanentReason }
  | { readonly kind: 'transient'; readonly reason: TransientReason; readonly retryAtMs?: number };

/** Where an event is on its way through the stages. */
export type Stage =
  | { readonly at: 'new' }
  /** Not known to be committed: to be planned. */
  | { readonly at: 'uncommitted' }
  | { readonly at: 'prepared'; readonly prepared: Prepared; readonly how: 'committed' | 'superseded' }
  /** Committed by an attempt whose lease is over: to be taken over. */
  | { readonly at: 'abandoned'; readonly row: ProcessedEvent }
  /** Committed, and the lease is ours: to be published. */
  | {
      readonly at: 'owned';
      readonly owned: Owned;
      readonly how: 'committed' | 'recovered';
      readonly payloadHash: string;
    }
  | { readonly at: 'settled'; readonly verdict: Verdict };

/** One event of one record in this invocation. It is settled once; only the look-up of rule 10 may settle it anew. */
export interface EventWork {
  readonly event: DecodedEvent;
  readonly receiveCount: number;
  readonly owner: string;
  readonly traceHeader?: string;
  /** Another event of the same message has this id and another payload: that a row names the message proves nothing. */
  readonly contested: boolean;
  stage: Stage;
  /** Judged by another copy in this batch, at no cost. */
  twin: boolean;
  /** Items that a handler asked to read, for this plan. */
  items: readonly (AttributeMap | undefined)[];
}

export type RecordState =
  | { readonly at: 'open' }
  | { readonly at: 'done' }
  | { readonly at: 'quarantined'; readonly reason: PermanentReason }
  | {
      readonly at: 'failed';
      readonly reason: TransientReason;
      readonly delaySeconds: number | undefined;
      /** What is permanent about a record that is held back from quarantine. */
      readonly permanentReason?: PermanentReason;
    };

/** One record of the batch. It is acknowledged when all of its events are sent or not ours. */
export interface RecordWork {
  readonly record: SourceRecord;
  readonly events: readonly EventWork[];
  /** Parts that hold no usable event; the look-up of rule 10 may find that one was committed by an earlier attempt. */
  issues: readonly DecodeIssue[];
  /** Parts beside these that the filter excludes; only counted. */
  readonly excluded?: number;
  readonly notOurs: NotOursReason | undefined;
  state: RecordState;
  /** Already deleted from the queue by us. */
  deleted: boolean;
}

/** An event that nothing was done about yet. */
export function newWork(
  event: DecodedEvent,
  delivery: Pick<EventWork, 'receiveCount' | 'owner'> & Partial<Pick<EventWork, 'traceHeader' | 'contested'>>,
): EventWork {
  return { event, contested: false, ...delivery, stage: { at: 'new' }, twin: false, items: [] };
}

/**
 * The events of records, in their order.
 *
 * Like everything that runs for every event, this and what follows are functions of the module and loops, not closures of
 * a batch: V8 drops machine code that no living closure has, and would compile it anew (docs/performance.md).
 */
export function eventsOf(records: readonly RecordWork[]): EventWork[] {
  const works: EventWork[] = [];
  for (const record of records) for (const work of record.events) works.push(work);
  return works;
}

/** The events that are at one stage now, each with what it knows there. */
export function staged<A extends Stage['at']>(works: readonly EventWork[], at: A): Staged<A>[] {
  const found: Staged<A>[] = [];
  for (const work of works) {
    if (work.stage.at === at) found.push({ work, stage: work.stage as Staged<A>['stage'] });
  }
  return found;
}

export interface Staged<A extends Stage['at']> {
  readonly work: EventWork;
  readonly stage: Extract<Stage, { readonly at: A }>;
}

export function eventIdOf(work: EventWork): string {
  return work.event.eventId;
}

/** A committed event whose lease this attempt has. */
export function ownedBy({ event, owner }: EventWork, notifications: readonly Notification[]): Owned {
  const { eventId, correlationId } = event;
  return { eventId, owner, notifications, ...(correlationId !== undefined && { correlationId }) };
}

export function settle(work: EventWork, verdict: Verdict): void {
  work.stage = { at: 'settled', verdict };
}

/** An event that nobody settled is never done. */
const UNSETTLED: Verdict = { kind: 'transient', reason: 'internal' };

export function verdictOf(work: EventWork): Verdict {
  return work.stage.at === 'settled' ? work.stage.verdict : UNSETTLED;
}

/** Whether a part of the record is permanent, whatever keeps the record in the queue for now. */
export function hasPermanent(record: RecordWork): boolean {
  return record.issues.length > 0 || record.events.some((work) => verdictOf(work).kind === 'permanent');
}

/** The verdict on a whole record: one transient event keeps it in the queue, then one permanent event quarantines it. */
export type RecordVerdict =
  | { readonly kind: 'done' }
  /** `eventId` is the key of the row, prefix included: what an operator looks up in `processed_events`. */
  | { readonly kind: 'permanent'; readonly reason: PermanentReason; readonly eventId: string | undefined }
  | { readonly kind: 'transient'; readonly reason: TransientReason; readonly retryAtMs: number | undefined };

export function recordVerdict(record: RecordWork): RecordVerdict {
  let permanent: RecordVerdict | undefined;
  let transient: Extract<RecordVerdict, { kind: 'transient' }> | undefined;
  for (const work of record.events) {
    const verdict = verdictOf(work);
    if (verdict.kind === 'transient') {
      const retryAtMs = earlier(transient?.retryAtMs, verdict.retryAtMs);
      transient = { kind: 'transient', reason: transient?.reason ?? verdict.reason, retryAtMs };
    }
    if (verdict.kind === 'permanent')
      permanent ??= { kind: 'permanent', reason: verdict.reason, eventId: work.event.eventId };
  }
  const issue = record.issues[0];
  if (issue !== undefined) permanent ??= { kind: 'permanent', reason: issue.reason, eventId: issue.eventId };
  return transient ?? permanent ?? { kind: 'done' };
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}
