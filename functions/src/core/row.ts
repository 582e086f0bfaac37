import type { AttributeMap, AttributeValue } from './attribute-value.ts';
import type { DecodedEvent, MessageAttribute, Notification, ProcessedEvent, Row } from './types.ts';

/** Version of the row's shape that this code writes. A newer one is transient, so that a rollback harms nothing. */
export const ROW_VERSION = 1;

const RELAY_SHARDS = 4;

/** The hash keys of the relay's sparse index. */
export const ALL_RELAY_SHARDS: readonly string[] = Array.from({ length: RELAY_SHARDS }, (_, shard) => String(shard));

/** Spreads rows in trouble over a few hash keys, so that an outage does not make one of them hot. */
export function relayShardOf(eventId: string): string {
  let sum = 0;
  for (let i = 0; i < eventId.length; i += 1) sum = (sum * 31 + eventId.charCodeAt(i)) >>> 0;
  return String(sum % RELAY_SHARDS);
}

/** TTL attributes are epoch seconds: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html */
export function expiresAtSeconds(nowMs: number, retentionDays: number): number {
  return Math.floor(nowMs / 1000) + Math.round(retentionDays * 86_400);
}

export interface NewRow {
  readonly event: DecodedEvent;
  readonly source: string;
  readonly notifications: readonly Notification[];
  readonly leaseOwner: string;
  readonly leaseExpiresAtMs: number;
  readonly nowMs: number;
  readonly retentionDays: number;
  /** True puts the row into the relay's index from the start (rule 9). */
  readonly inTrouble: boolean;
  readonly trace?: string;
}

/** The item that the commit puts: `pending`, or `sent` at once when there is nothing to publish. */
export function rowItem(row: NewRow): AttributeMap {
  const now = new Date(row.nowMs).toISOString();
  const pending = row.notifications.length > 0;
  return {
    event_id: { S: row.event.eventId },
    v: { N: String(ROW_VERSION) },
    status: { S: pending ? 'pending' : 'sent' },
    payload_hash: { S: row.event.payloadHash },
    notifications: { L: row.notifications.map(notificationValue) },
    lease_owner: { S: row.leaseOwner },
    lease_expires_at_ms: { N: String(pending ? row.leaseExpiresAtMs : 0) },
    created_at: { S: now },
    source: { S: row.source },
    message_id: { S: row.event.messageId },
    ...(row.event.correlationId === undefined ? {} : { correlation_id: { S: row.event.correlationId } }),
    ...(row.trace === undefined ? {} : { trace: { S: row.trace } }),
    ...(pending && row.inTrouble ? { relay_shard: { S: relayShardOf(row.event.eventId) } } : {}),
    // A pending row never carries the TTL attribute: DynamoDB would delete a notification that is still owed.
    ...(pending
      ? {}
      : { sent_at: { S: now }, expires_at: { N: String(expiresAtSeconds(row.nowMs, row.retentionDays)) } }),
  };
}

/** Bytes that the takeover and the mark may add to a row; an item that fits only without them could never be marked. */
export function markReserveBytes(notifications: number): number {
  const relayShard = 'relay_shard'.length + 1;
  const sentAt = 'sent_at'.length + 24;
  const expiresAt = 'expires_at'.length + 21;
  const snsMessageIds = 'sns_message_ids'.length + 3 + notifications * (1 + 36);
  return relayShard + sentAt + expiresAt + snsMessageIds;
}

function notificationValue(notification: Notification): AttributeValue {
  const attributes: Record<string, AttributeValue> = {};
  for (const [name, attribute] of Object.entries(notification.attributes)) {
    attributes[name] = { M: { type: { S: attribute.type }, value: { S: attribute.value } } };
  }
  return {
    M: {
      topic_arn: { S: notification.topicArn },
      message: { S: notification.message },
      attributes: { M: attributes },
      ...(notification.subject === undefined ? {} : { subject: { S: notification.subject } }),
      ...(notification.groupId === undefined ? {} : { group_id: { S: notification.groupId } }),
      ...(notification.deduplicationId === undefined ? {} : { deduplication_id: { S: notification.deduplicationId } }),
    },
  };
}

/** Reads a stored row. Whatever this version would not have written is unknown, and unknown is never judged. */
export function parseRow(item: AttributeMap): Row {
  const eventId = text(item.event_id) ?? '';
  const v = numeric(item.v);
  const status = text(item.status);
  const payloadHash = text(item.payload_hash);
  const leaseOwner = text(item.lease_owner);
  const leaseExpiresAtMs = numeric(item.lease_expires_at_ms);
  const notifications = parseNotifications(item.notifications);
  if (
    v === undefined ||
    v > ROW_VERSION ||
    (status !== 'pending' && status !== 'sent') ||
    payloadHash === undefined ||
    leaseOwner === undefined ||
    leaseExpiresAtMs === undefined ||
    notifications === undefined
  ) {
    return { eventId, unknown: true };
  }
  const row: ProcessedEvent = {
    eventId,
    v,
    status,
    payloadHash,
    notifications,
    leaseOwner,
    leaseExpiresAtMs,
    messageId: text(item.message_id) ?? '',
    createdAt: text(item.created_at) ?? '',
  };
  return row;
}

function parseNotifications(value: AttributeValue | undefined): readonly Notification[] | undefined {
  if (value === undefined || !('L' in value)) return undefined;
  const notifications: Notification[] = [];
  for (const entry of value.L) {
    const notification = 'M' in entry ? parseNotification(entry.M) : undefined;
    if (notification === undefined) return undefined;
    notifications.push(notification);
  }
  return notifications;
}

function parseNotification(map: AttributeMap): Notification | undefined {
  const topicArn = text(map.topic_arn);
  const message = text(map.message);
  if (topicArn === undefined || message === undefined) return undefined;
  const attributes: Record<string, MessageAttribute> = {};
  for (const [name, value] of Object.entries(
    map.attributes !== undefined && 'M' in map.attributes ? map.attributes.M : {},
  )) {
    if (!('M' in value)) return undefined;
    attributes[name] = { type: text(value.M.type) ?? 'String', value: text(value.M.value) ?? '' };
  }
  const subject = text(map.subject);
  const groupId = text(map.group_id);
  const deduplicationId = text(map.deduplication_id);
  return {
    topicArn,
    message,
    attributes,
    ...(subject === undefined ? {} : { subject }),
    ...(groupId === undefined ? {} : { groupId }),
    ...(deduplicationId === undefined ? {} : { deduplicationId }),
  };
}

function text(value: AttributeValue | undefined): string | undefined {
  return value !== undefined && 'S' in value ? value.S : undefined;
}

function numeric(value: AttributeValue | undefined): number | undefined {
  return value !== undefined && 'N' in value ? Number(value.N) : undefined;
}
