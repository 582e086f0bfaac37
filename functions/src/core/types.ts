import type { AttributeMap } from './attribute-value.ts';
import type { JsonObject } from './json-value.ts';
import type { NotOursReason, PermanentReason } from './reasons.ts';

/** Where records come from. It decides how a batch is ordered and answered, never what an event means. */
export type SourceKind = 'sqs' | 'sqs_fifo' | 'kinesis' | 'dynamodb_stream';

/** A message attribute of SQS or SNS. Binary values are base64 text here. */
export interface MessageAttribute {
  readonly type: string;
  readonly value: string;
}

/** One message or stream record, in the shape that every source is translated into. */
export interface SourceRecord {
  /** SQS messageId, or the sequence number of a stream record. Undefined or empty when the source delivered none. */
  readonly id: string | undefined;
  readonly body: string;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
  /** How often the message was received, this time included; 1 or more. Streams deliver no count: 1. */
  readonly receiveCount: number;
  readonly receiptHandle?: string;
  readonly groupId?: string;
  readonly deduplicationId?: string;
  /** When the producer sent it, epoch milliseconds; for the age of events. */
  readonly sentAtMs?: number;
  readonly traceHeader?: string;
}

/** An event as `decode` finds it: its ids and its fingerprint, nothing more. */
export interface DecodedEvent {
  /** The row's key: the producer's id behind the optional fixed prefix. */
  readonly eventId: string;
  /** The unwrapped event. */
  readonly payload: JsonObject;
  /** `v1:` and SHA-256 of the canonical fingerprint. */
  readonly payloadHash: string;
  /**
   * Whether the operator's filter excludes the event; absent: it does not. It is decoded all the same, since a filter that
   * was made stricter after the commit must not acknowledge a pending event (G4).
   */
  readonly excluded?: boolean;
  readonly correlationId?: string;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
  readonly messageId: string;
  readonly groupId?: string;
  readonly sentAtMs?: number;
}

/** A part of a message that holds no usable event. `eventId` where it could be read all the same (design, rule 10). */
export interface DecodeIssue {
  readonly reason: PermanentReason;
  readonly eventId?: string;
}

export type Decoded =
  | {
      readonly kind: 'events';
      readonly events: readonly DecodedEvent[];
      readonly issues: readonly DecodeIssue[];
      /** Parts that the filter excludes and that have no id, so that nothing but their number is known; absent: none. */
      readonly excluded?: number;
    }
  | { readonly kind: 'not_ours'; readonly reason: NotOursReason };

/** What a failed condition of a business write means. */
export type OnConditionFailed =
  /** The event is rejected: permanent, `business_rejected`. */
  | 'reject'
  /** The items that the plan was made from have changed: read them again and plan again. */
  | 'replan'
  /** A newer event already wrote the key: the row is committed as sent, without business writes or notifications. */
  | 'supersede';

interface Condition {
  readonly expression: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: AttributeMap;
}

/** One business write, in attribute-value form. Every attribute name in an expression is a placeholder. */
export type BusinessWrite = {
  readonly table: string;
  readonly key: AttributeMap;
  readonly condition?: Condition;
  readonly onConditionFailed: OnConditionFailed;
} & (
  | { readonly kind: 'put'; readonly item: AttributeMap }
  | {
      readonly kind: 'update';
      readonly expression: string;
      readonly names?: Readonly<Record<string, string>>;
      readonly values?: AttributeMap;
    }
  | { readonly kind: 'delete' }
  | { readonly kind: 'check'; readonly condition: Condition }
);

/** The exact bytes that will be published, stored in the commit; a retry publishes these and renders nothing again. */
export interface Notification {
  readonly topicArn: string;
  readonly message: string;
  readonly subject?: string;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
  readonly groupId?: string;
  readonly deduplicationId?: string;
}

export interface Plan {
  readonly writes: readonly BusinessWrite[];
  readonly notifications: readonly Notification[];
}

export type Planned =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | { readonly kind: 'rejected'; readonly reason: PermanentReason };

/** An item that a handler asks to read before it plans. */
export interface ReadKey {
  readonly table: string;
  readonly key: AttributeMap;
}

/**
 * What an event means: the declarative mapping and the handler are the two implementations. All of it is pure; an
 * exception out of `plan` is transient (`handler_failed`).
 */
export interface Meaning {
  decode(record: SourceRecord): Decoded;
  /** Keys to read before `plan`; undefined for a meaning that reads nothing. */
  readonly reads?: (event: DecodedEvent) => readonly ReadKey[];
  /** `items` in the order of `reads`; undefined for an item that does not exist. */
  plan(event: DecodedEvent, items: readonly (AttributeMap | undefined)[]): Planned | Promise<Planned>;
}

/** A row of processed_events, as read. */
export interface ProcessedEvent {
  readonly eventId: string;
  readonly v: number;
  readonly status: 'pending' | 'sent';
  readonly payloadHash: string;
  readonly notifications: readonly Notification[];
  readonly leaseOwner: string;
  /** Until when the owner may still be publishing, epoch milliseconds; 0 once it gave up. */
  readonly leaseExpiresAtMs: number;
  readonly messageId: string;
  readonly createdAt: string;
}

/** A row that this code cannot judge: a newer version, or not in the shape that this version writes. */
export interface UnknownRow {
  readonly eventId: string;
  readonly unknown: true;
}

export type Row = ProcessedEvent | UnknownRow;
