import { hash } from 'node:crypto';
import { isStorable, parseDecimal } from './decimal.ts';
import { writeJson } from './json.ts';
import { ExactNumber, isJson } from './json-value.ts';
import {
  ATTRIBUTE_NAME_MAX_CHARACTERS,
  FIFO_ID_MAX_CHARACTERS,
  NOTIFICATION_ATTRIBUTES_MAX,
  SUBJECT_MAX_CHARACTERS,
} from './limits.ts';
import type { PermanentReason } from './reasons.ts';
import { notificationBytes } from './size.ts';
import type { MessageAttribute, Notification } from './types.ts';

export interface NotificationRules {
  readonly topicMaxBytes: number;
  readonly topicFifo: boolean;
}

/** What SQS accepts in a message, and so every subscriber of that kind. .../APIReference/API_SendMessage.html */
const FOREIGN_CHARACTERS = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const CONTROL_CHARACTERS = /[\p{Cc}\u2028\u2029]/u;
/** MessageGroupId and MessageDeduplicationId. docs.aws.amazon.com/sns/latest/api/API_Publish.html */
const FIFO_ID = new RegExp(`^[A-Za-z0-9!"#$%&'()*+,\\-./:;<=>?@[\\\\\\]^_\`{|}~]{1,${FIFO_ID_MAX_CHARACTERS}}$`);
const ATTRIBUTE_NAME = new RegExp(`^[A-Za-z0-9_.-]{1,${ATTRIBUTE_NAME_MAX_CHARACTERS}}$`);
const ATTRIBUTE_TYPE = /^(?:String|String\.Array|Number|Binary)(?:\.[A-Za-z0-9_.-]+)?$/;

/**
 * Checks everything that SNS would refuse, or would accept and then drop, before the first call of an event. Undefined
 * when the notification can be published.
 */
export function checkNotification(notification: Notification, rules: NotificationRules): PermanentReason | undefined {
  if (!isMessageText(notification.message)) return 'notification_invalid';
  if (notification.subject !== undefined && !isSubject(notification.subject)) return 'notification_invalid';
  const names = Object.keys(notification.attributes);
  if (names.length > NOTIFICATION_ATTRIBUTES_MAX) return 'notification_invalid';
  for (const name of names) {
    if (!isAttributeName(name) || !isAttribute(notification.attributes[name])) return 'notification_invalid';
  }
  const { groupId, deduplicationId } = notification;
  if (groupId === undefined ? rules.topicFifo : !FIFO_ID.test(groupId)) return 'notification_invalid';
  if (deduplicationId === undefined ? rules.topicFifo : !FIFO_ID.test(deduplicationId)) return 'notification_invalid';
  if (!rules.topicFifo && deduplicationId !== undefined) return 'notification_invalid';
  return notificationBytes(notification) > rules.topicMaxBytes ? 'notification_too_large' : undefined;
}

function isMessageText(text: string): boolean {
  return text !== '' && !FOREIGN_CHARACTERS.test(text);
}

function isSubject(subject: string): boolean {
  return (
    subject.trim() !== '' &&
    subject.length <= SUBJECT_MAX_CHARACTERS &&
    isMessageText(subject) &&
    !CONTROL_CHARACTERS.test(subject)
  );
}

function isAttribute(attribute: MessageAttribute | undefined): boolean {
  if (attribute === undefined || !ATTRIBUTE_TYPE.test(attribute.type) || !isMessageText(attribute.value)) return false;
  return !/^Number(?:\.|$)/.test(attribute.type) || isMessageNumber(attribute.value);
}

/**
 * 38 digits and a size that a DynamoDB number has as well; from 1e-125 on, a little inside of what SQS allows.
 * docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
 */
function isMessageNumber(text: string): boolean {
  const decimal = parseDecimal(text);
  return decimal !== undefined && isStorable(decimal) && decimal.exponent + decimal.digits.length > -125;
}

/**
 * Letters, digits, `_`, `-` and `.`; not led by a period, `AWS.` or `Amazon.`; no period at the end or twice in a row.
 * `__proto__` would be legal there and is refused here: no object literal holds it.
 */
export function isAttributeName(name: string): boolean {
  return (
    ATTRIBUTE_NAME.test(name) && name !== '__proto__' && !/^\.|\.$|\.\./.test(name) && !/^(?:aws|amazon)\./i.test(name)
  );
}

/**
 * Attributes out of values that come from data. Data never fails a publish: what is missing, empty, no JSON or not legal
 * in a message is left out. Numbers are `Number` as long as SQS takes them, else text; lists of scalars are
 * `String.Array`, other structures JSON text.
 */
export function attributesFrom(values: Readonly<Record<string, unknown>>): Record<string, MessageAttribute> {
  const attributes: Record<string, MessageAttribute> = {};
  for (const name of Object.keys(values)) {
    const attribute = attributeFrom(values[name]);
    if (attribute !== undefined && isAttribute(attribute)) attributes[name] = attribute;
  }
  return attributes;
}

function attributeFrom(value: unknown): MessageAttribute | undefined {
  switch (typeof value) {
    case 'string':
      return { type: 'String', value };
    case 'number':
      return Number.isFinite(value) ? numberAttribute(writeJson(value)) : undefined;
    case 'bigint':
      return numberAttribute(String(value));
    case 'boolean':
      return { type: 'String', value: String(value) };
    case 'object':
      break;
    default:
      return undefined;
  }
  // A handler may hand in anything. What an expression finds is JSON already, and its structures are rare.
  if (value === null || !isJson(value)) return undefined;
  if (value instanceof ExactNumber) return numberAttribute(value.text);
  if (Array.isArray(value) && value.length === 0) return undefined;
  const scalars = Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null);
  return { type: scalars ? 'String.Array' : 'String', value: writeJson(value) };
}

function numberAttribute(text: string): MessageAttribute {
  return { type: isMessageNumber(text) ? 'Number' : 'String', value: text };
}

/**
 * The de-duplication id of an event's nth notification. It comes from the event and nothing that changes from one
 * attempt to the next: a second publish inside of the five minutes is dropped by the topic.
 */
export function deduplicationIdOf(eventId: string, index: number): string {
  return hash('sha256', `${eventId}\n${index}`, 'hex');
}

/** A group id as it is where the topic accepts it; else a digest of it, so that equal ids still share a group. */
export function groupIdFrom(text: string): string {
  return FIFO_ID.test(text) ? text : hash('sha256', text, 'hex');
}
