import type { QuarantinedMessage } from '../ports.ts';
import { bareObject } from './bare-object.ts';
import { MESSAGE_DEFAULT_MAX_BYTES, MESSAGE_MAX_ATTRIBUTES, MESSAGE_MAX_BYTES } from './limits.ts';
import { type PermanentReason, reasonText } from './reasons.ts';
import { messageBytes } from './size.ts';
import type { MessageAttribute, SourceRecord } from './types.ts';

export interface DeadLetter {
  readonly message: QuarantinedMessage;
  /** Names of attributes that do not fit, ours only where the body leaves no room. */
  readonly dropped: readonly string[];
}

/**
 * The message as it goes to the dead-letter queue: body, attributes and group id as they came, and why. Ours win: a copy
 * that was redriven and is quarantined again carries the latest verdict, and an original attribute that no longer fits
 * (10 in number, bytes) is dropped. The error text is fixed for each reason and never holds a piece of the body.
 */
export function deadLetter(record: SourceRecord, reason: PermanentReason, eventId: string | undefined): DeadLetter {
  // The most useful first: next to a body as large as the queue allows there may be room for one or two.
  const ours: Record<string, MessageAttribute> = {
    error_type: { type: 'String', value: reason },
    ...(record.id === undefined || record.id === '' ? {} : { source_message_id: { type: 'String', value: record.id } }),
    ...(eventId === undefined || !isAttributeText(eventId) ? {} : { event_id: { type: 'String', value: eventId } }),
    error_message: { type: 'String', value: reasonText(reason) },
  };
  const originals = Object.entries(record.attributes).filter(([name]) => !Object.hasOwn(ours, name));
  // Not `{}`: an assignment to the legal name `__proto__` would lose the attribute.
  const attributes = bareObject<MessageAttribute>();
  const dropped: string[] = [];
  // Nothing here says what the queue accepts. A larger message than the default came through, so its limit is higher.
  const large = messageBytes(record.body, record.attributes) > MESSAGE_DEFAULT_MAX_BYTES;
  const most = large ? MESSAGE_MAX_BYTES : MESSAGE_DEFAULT_MAX_BYTES;
  for (const [name, attribute] of [...Object.entries(ours), ...originals]) {
    const bytes = messageBytes(record.body, { ...attributes, [name]: attribute });
    const fits = Object.keys(attributes).length < MESSAGE_MAX_ATTRIBUTES && bytes <= most;
    if (fits || name === 'error_type') attributes[name] = attribute;
    else dropped.push(name);
  }
  return {
    message: {
      messageId: record.id ?? '',
      body: record.body,
      attributes,
      ...(record.groupId === undefined ? {} : { groupId: record.groupId }),
      // Stable over attempts: a second try of the same quarantine is one message in a FIFO dead-letter queue.
      ...(record.id === undefined ? {} : { deduplicationId: record.id }),
    },
    dropped,
  };
}

/** SQS refuses control characters in attribute values: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
function isAttributeText(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the rule is about exactly these characters
  return text !== '' && text.isWellFormed() && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text);
}
