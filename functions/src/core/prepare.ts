import type { AttributeMap, AttributeValue } from './attribute-value.ts';
import { normaliseDecimal } from './decimal.ts';
import type { Result } from './json-value.ts';
import {
  EXPRESSION_MAX_BYTES,
  HASH_KEY_MAX_BYTES,
  ITEM_MAX_BYTES,
  SORT_KEY_MAX_BYTES,
  TRANSACTION_MAX_ACTIONS,
  TRANSACTION_MAX_BYTES,
} from './limits.ts';
import { checkNotification } from './notification.ts';
import type { PermanentReason } from './reasons.ts';
import { markReserveBytes } from './row.ts';
import { conditionBytes, itemBytes, utf8Bytes, valueBytes, writeUnits, writtenBytes } from './size.ts';
import type { BusinessWrite, Notification, OnConditionFailed, Plan } from './types.ts';

/** An event that is ready to be committed: checked against every limit that AWS would refuse it for. */
export interface Prepared {
  readonly row: AttributeMap;
  readonly writes: readonly BusinessWrite[];
  readonly policies: readonly OnConditionFailed[];
  readonly notifications: readonly Notification[];
  /** Canonical names of the items that the transaction touches, the row's own first. */
  readonly items: readonly string[];
  readonly bytes: number;
  /** Write units of the transaction's part: two for each begun KB of each item, as DynamoDB charges transactions. */
  readonly writeUnits: number;
}

export interface PrepareRules {
  readonly processedEventsTable: string;
  readonly topicMaxBytes: number;
}

/**
 * Checks a plan before the first call to AWS. What passes here commits or fails for a reason that lies outside of the
 * event; what does not pass harms no neighbour, because it never enters a group.
 */
export function prepare(plan: Plan, row: AttributeMap, rules: PrepareRules): Result<Prepared, PermanentReason> {
  for (const notification of plan.notifications) {
    const broken = checkNotification(notification, {
      topicMaxBytes: rules.topicMaxBytes,
      topicFifo: notification.topicArn.endsWith('.fifo'),
    });
    if (broken !== undefined) return { ok: false, reason: broken };
  }
  if (plan.writes.length + 1 > TRANSACTION_MAX_ACTIONS) return { ok: false, reason: 'transaction_too_large' };

  const rowBytes = itemBytes(row);
  if (rowBytes + markReserveBytes(plan.notifications.length) > ITEM_MAX_BYTES)
    return { ok: false, reason: 'item_too_large' };
  let bytes = rowBytes;
  let units = writeUnits(rowBytes, true);
  const items = [itemName(rules.processedEventsTable, { event_id: row.event_id as AttributeValue })];
  for (const write of plan.writes) {
    if (!isStorableKey(write.key)) return { ok: false, reason: 'business_key_invalid' };
    if (longestExpressionBytes(write) > EXPRESSION_MAX_BYTES) return { ok: false, reason: 'transaction_too_large' };
    const written = writtenBytes(write);
    if (written > ITEM_MAX_BYTES) return { ok: false, reason: 'item_too_large' };
    bytes += written + conditionBytes(write);
    units += writeUnits(written, true);
    items.push(itemName(write.table, write.key));
  }
  if (bytes > TRANSACTION_MAX_BYTES) return { ok: false, reason: 'transaction_too_large' };
  // The transaction refuses an item that stands in it twice, condition checks included.
  if (new Set(items).size < items.length) return { ok: false, reason: 'transaction_self_conflict' };
  return {
    ok: true,
    value: {
      row,
      writes: plan.writes,
      policies: plan.writes.map((write) => write.onConditionFailed),
      notifications: plan.notifications,
      items,
      bytes,
      writeUnits: units,
    },
  };
}

/** The limit is on each expression alone. Their names and values have one of 2 MB, which their item is too small for. */
function longestExpressionBytes(write: BusinessWrite): number {
  const condition = write.condition === undefined ? 0 : utf8Bytes(write.condition.expression);
  return write.kind === 'update' ? Math.max(condition, utf8Bytes(write.expression)) : condition;
}

/** One name for one item, however its key is written: 1, 1.0 and 1e0 are one number in DynamoDB. */
export function itemName(table: string, key: AttributeMap): string {
  const parts = Object.keys(key)
    .sort()
    .map((name) => [name, keyText(key[name] as AttributeValue)]);
  return JSON.stringify([table, ...parts]);
}

function keyText(value: AttributeValue): string {
  if ('S' in value) return `S${value.S}`;
  if ('N' in value) return `N${normaliseDecimal(value.N)}`;
  // Keys are of no other type: only what `isStorableKey` lets pass gets a name.
  return `B${Buffer.from((value as { readonly B: Uint8Array }).B).toString('base64')}`;
}

/**
 * Whether DynamoDB can store the key, as far as the key alone tells. Which of two attributes is the sort key is known to
 * the table only: a handler names attributes, and its function may not describe tables. One of the two is it, so both
 * above its 1,024 bytes are refused here. A sort key of 1,025 to 2,048 bytes beside a shorter hash key is found by
 * DynamoDB: its group is refused and split, and the event, refused alone, is permanent as `request_refused`. The
 * declarative mapping knows its sort key and has checked it (`business-write.ts`).
 */
function isStorableKey(key: AttributeMap): boolean {
  const values = Object.values(key);
  if (values.length === 0 || values.length > 2 || !values.every(isKeyValue)) return false;
  const sizes = values.map(valueBytes);
  return Math.max(...sizes) <= HASH_KEY_MAX_BYTES && (sizes.length === 1 || Math.min(...sizes) <= SORT_KEY_MAX_BYTES);
}

function isKeyValue(value: AttributeValue): boolean {
  if ('S' in value) return value.S !== '' && value.S.isWellFormed();
  return 'N' in value || ('B' in value && value.B.length > 0);
}
