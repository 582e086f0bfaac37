import type { AttributeMap } from './core/attribute-value.ts';
import type { Reason } from './core/reasons.ts';
import type { BusinessWrite, MessageAttribute, Notification, ReadKey, Row } from './core/types.ts';

/** Milliseconds since the epoch, and timers. The simulation passes a virtual one. */
export interface Clock {
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once at `atMs`; the returned function cancels it. */
  alarm(atMs: number, callback: () => void): () => void;
}

/** Uniform in [0, 1). */
export interface Random {
  next(): number;
}

/** One event's part of a commit: its own row first, then its business writes. */
export interface CommitEvent {
  readonly row: AttributeMap;
  readonly writes: readonly BusinessWrite[];
}

export interface CancellationReason {
  readonly code: string;
  /** The existing row of a failed put of processed_events; absent for every other reason. */
  readonly row?: Row;
}

/**
 * The answer to one TransactWriteItems. Only `committed`, `cancelled` and `refused` say what happened; `unknown` may
 * have been executed, or may be executed later.
 */
export type CommitOutcome =
  | { readonly kind: 'committed'; readonly writeUnits: number }
  | {
      readonly kind: 'cancelled';
      /** For each event, the reason of its row and then of each of its writes; empty when the answer had none. */
      readonly reasons: readonly (readonly CancellationReason[])[];
      /** True when the SDK sent the call more than once: an earlier try may still be executed. */
      readonly retried: boolean;
    }
  | { readonly kind: 'refused'; readonly name: string; readonly permanent: boolean; readonly retried: boolean }
  | { readonly kind: 'throttled'; readonly name: string; readonly retried: boolean }
  | { readonly kind: 'unknown'; readonly name: string };

/** Conditional changes of one row; each is all or nothing, and an update of a missing row fails its condition. */
export type RowUpdate =
  | {
      /** Condition: pending, owner and expiry as read. */
      readonly kind: 'takeover';
      readonly eventId: string;
      readonly fromOwner: string;
      readonly fromExpiresAtMs: number;
      readonly owner: string;
      readonly expiresAtMs: number;
      readonly relayShard: string;
    }
  | {
      /** Condition: pending. Removes `relay_shard`. */
      readonly kind: 'mark';
      readonly eventId: string;
      readonly sentAt: string;
      readonly expiresAtSeconds: number;
      readonly snsMessageIds: readonly string[];
    }
  | {
      /** Condition: pending and ours. Sets the lease to 0. */
      readonly kind: 'release';
      readonly eventId: string;
      readonly owner: string;
      readonly relayShard: string;
    };

export type RowUpdateOutcome =
  | { readonly kind: 'done' }
  /** The condition failed; `row` is what is there instead, null when there is none, undefined when it is not known. */
  | { readonly kind: 'condition_failed'; readonly row: Row | null | undefined }
  | { readonly kind: 'failed'; readonly name: string };

export type Read<T> =
  | { readonly kind: 'found'; readonly value: T }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly name: string };

export interface EventStore {
  /** One TransactWriteItems; at most 100 actions and 4 MB, no item twice: the caller sees to that. */
  commit(events: readonly CommitEvent[], signal: AbortSignal): Promise<CommitOutcome>;
  /** Strongly consistent, in the order asked; any number of ids. */
  readRows(eventIds: readonly string[], signal: AbortSignal): Promise<readonly Read<Row>[]>;
  /** Strongly consistent, in the order asked; for handlers that read first. */
  readItems(keys: readonly ReadKey[], signal: AbortSignal): Promise<readonly Read<AttributeMap>[]>;
  /** At most 25 a call, no row twice; in the order asked. */
  update(updates: readonly RowUpdate[], signal: AbortSignal): Promise<readonly RowUpdateOutcome[]>;
}

export interface TroubledPage {
  readonly rows: readonly Row[];
  /** Pass it back to read on; undefined at the end. */
  readonly next?: AttributeMap;
}

/** What only the relay needs. Rows come strongly consistent from `readRows` before anything is decided. */
export interface RelayStore extends EventStore {
  /** Keys of one shard of the sparse index whose lease ended before `beforeMs`, the one longest over first. */
  queryTroubled(
    relayShard: string,
    beforeMs: number,
    limit: number,
    from: AttributeMap | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly eventIds: readonly string[]; readonly next?: AttributeMap }>;
  /** How many rows one shard of the index holds, lease over or not. Counts the index and reads no row. */
  countTroubled(relayShard: string, signal: AbortSignal): Promise<{ readonly rows: number }>;
  /** One page of one segment of a scan: the pending rows in it. */
  scanPending(
    segment: number,
    segments: number,
    from: AttributeMap | undefined,
    signal: AbortSignal,
  ): Promise<TroubledPage>;
}

export interface PublishEntry {
  readonly notification: Notification;
}

export type PublishOutcome =
  | { readonly kind: 'published'; readonly snsMessageId: string }
  | { readonly kind: 'failed'; readonly name: string; readonly unknown: boolean };

export interface Notifier {
  /** One PublishBatch: at most 10 entries, one topic, within its byte limit. In the order asked; never rejects. */
  publish(topicArn: string, entries: readonly PublishEntry[], signal: AbortSignal): Promise<readonly PublishOutcome[]>;
}

export interface QuarantinedMessage {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
  readonly groupId?: string;
  readonly deduplicationId?: string;
}

/** Failed entries come back as the error's name in the same place: `[false, 'AccessDenied']` says that the second failed. */
export type Failed = false | string;

export interface VisibilityChange {
  readonly receiptHandle: string;
  readonly seconds: number;
}

export interface SourceQueue {
  /** Any number; the adapter sends chunks of 10. Seconds, 0 to 43,200. Best effort, never rejects. */
  changeVisibility(entries: readonly VisibilityChange[], signal: AbortSignal): Promise<readonly Failed[]>;
  /** Deletes finished messages before a message that may crash the process is tried. Best effort, never rejects. */
  delete(receiptHandles: readonly string[], signal: AbortSignal): Promise<readonly Failed[]>;
  /** Sends to the dead-letter queue; only false means that it is there. Never rejects. */
  quarantine(messages: readonly QuarantinedMessage[], signal: AbortSignal): Promise<readonly Failed[]>;
}

/** Fields that a log line may carry. There is no field for a body, on purpose. */
export interface LogFields {
  readonly event_id?: string;
  readonly message_id?: string;
  readonly correlation_id?: string;
  readonly receive_count?: number;
  readonly group_id?: string;
  readonly reason?: Reason;
  /** What is permanent about a message that is held back from quarantine. */
  readonly permanent_reason?: Reason;
  readonly error_name?: string;
  readonly delay_seconds?: number;
  readonly count?: number;
  readonly failed?: number;
  /** Of the message's body, in UTF-8, where what is permanent about it is a size. */
  readonly bytes?: number;
  readonly path?: string;
}

/**
 * Metrics of one invocation; names are the metric names in CloudWatch. `WriteUnits` are those of commits, cancelled
 * ones too; marks, releases and take-overs are not in them.
 */
export type MetricName =
  | 'Received'
  | 'Committed'
  | 'Duplicates'
  | 'Recovered'
  | 'Superseded'
  | 'NotOurs'
  | 'LeaseWaits'
  | 'Takeovers'
  | 'Quarantined'
  | 'Failed'
  | 'DeferredAtDeadline'
  | 'BreakerOpen'
  | 'Notifications'
  | 'EventAge'
  | 'BatchSize'
  | 'GroupCancellations'
  | 'WriteUnits'
  | 'PayloadMismatches'
  | 'RowMissingAtMark'
  | 'RowsInTrouble'
  | 'OldestRowInTrouble'
  | 'Relayed'
  | 'RelayFailed'
  | 'SweepIncomplete';

export interface Telemetry {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** `reason` becomes a dimension of the metrics that are counted by reason. */
  count(metric: MetricName, value: number, reason?: Reason): void;
}
