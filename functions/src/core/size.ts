import type { AttributeMap, AttributeValue } from './attribute-value.ts';
import { parseDecimal } from './decimal.ts';
import { WRITE_UNIT_BYTES } from './limits.ts';
import type { BusinessWrite, MessageAttribute, Notification } from './types.ts';

/**
 * Sizes as DynamoDB counts them.
 * docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 *
 * AWS calls the size of a number approximate. Ours is its storage form, two digits a byte, pairs aligned at the decimal
 * point: never less than the published rule gives.
 */
export function utf8Bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

export function itemBytes(item: AttributeMap): number {
  let bytes = 0;
  for (const name of Object.keys(item)) bytes += utf8Bytes(name) + valueBytes(item[name] as AttributeValue);
  return bytes;
}

/** A key with its names: what a delete or a condition check brings into a transaction. */
export function keyBytes(key: AttributeMap): number {
  return itemBytes(key);
}

/** Of the value alone: what the limits of keys are about. */
export function valueBytes(value: AttributeValue): number {
  if ('S' in value) return utf8Bytes(value.S);
  if ('N' in value) return numberBytes(value.N);
  if ('BOOL' in value || 'NULL' in value) return 1;
  if ('B' in value) return value.B.byteLength;
  if ('L' in value) return 3 + value.L.length + sum(value.L, valueBytes);
  if ('M' in value) return 3 + Object.keys(value.M).length + itemBytes(value.M);
  if ('SS' in value) return sum(value.SS, utf8Bytes);
  if ('NS' in value) return sum(value.NS, numberBytes);
  return sum(value.BS, byteLength);
}

function byteLength(bytes: Uint8Array): number {
  return bytes.byteLength;
}

function sum<T>(elements: readonly T[], bytesOf: (element: T) => number): number {
  let bytes = 0;
  for (const element of elements) bytes += bytesOf(element);
  return bytes;
}

/** Digits with no zero at either end: the usual case, without taking the number apart. */
const SHORT_WHOLE_NUMBER = /^[1-9](?:[0-9]{0,20}[1-9])?$/;

/** One byte, one for two digits, and one more for a sign. */
function numberBytes(text: string): number {
  if (SHORT_WHOLE_NUMBER.test(text)) return 1 + Math.ceil(text.length / 2);
  const decimal = parseDecimal(text);
  if (decimal === undefined) return utf8Bytes(text);
  const odd = decimal.exponent % 2 === 0 ? 0 : 1;
  return 1 + Math.ceil((decimal.digits.length + odd) / 2) + (decimal.negative ? 1 : 0);
}

/** What a write stores, as far as one can tell without the item: that of a put, else the key and the values that it sets. */
export function writtenBytes(write: BusinessWrite): number {
  switch (write.kind) {
    case 'put':
      return itemBytes(write.item);
    case 'update':
      return keyBytes(write.key) + itemBytes(write.values ?? {});
    case 'delete':
    case 'check':
      return keyBytes(write.key);
  }
}

/** The values of a condition are not stored, but travel with their write: they count to the 4 MB of a transaction. */
export function conditionBytes(write: BusinessWrite): number {
  return itemBytes(write.condition?.values ?? {});
}

/** Write units of one item: one for each started KB, twice that inside of a transaction. */
export function writeUnits(bytes: number, transactional: boolean): number {
  return Math.max(1, Math.ceil(bytes / WRITE_UNIT_BYTES)) * (transactional ? 2 : 1);
}

/** Attributes of a message in SQS or SNS: name, type and value count. Binary values count as the bytes they stand for. */
export function attributesBytes(attributes: Readonly<Record<string, MessageAttribute>>): number {
  let bytes = 0;
  for (const name of Object.keys(attributes)) {
    const attribute = attributes[name] as MessageAttribute;
    const binary = attribute.type === 'Binary' || attribute.type.startsWith('Binary.');
    bytes += utf8Bytes(name) + utf8Bytes(attribute.type);
    bytes += binary ? Buffer.byteLength(attribute.value, 'base64') : utf8Bytes(attribute.value);
  }
  return bytes;
}

/** A message in SQS: its body and its attributes. */
export function messageBytes(body: string, attributes: Readonly<Record<string, MessageAttribute>>): number {
  return utf8Bytes(body) + attributesBytes(attributes);
}

/** The part of a call's limit that a notification takes. AWS does not say whether the subject counts: it does here. */
export function notificationBytes(notification: Notification): number {
  const subject = notification.subject === undefined ? 0 : utf8Bytes(notification.subject);
  return messageBytes(notification.message, notification.attributes) + subject;
}
