import { ConfigurationError } from './configuration-error.ts';
import { optional } from './decode.ts';
import { compileExpression, type Expression } from './expression.ts';
import { writeJson } from './json.ts';
import { ExactNumber, isPresent, type JsonValue, type Result } from './json-value.ts';
import { NOTIFICATION_ATTRIBUTES_MAX } from './limits.ts';
import { attributesFrom, deduplicationIdOf, groupIdFrom, isAttributeName } from './notification.ts';
import type { PermanentReason } from './reasons.ts';
import type { DecodedEvent, MessageAttribute, Notification } from './types.ts';

export interface NotificationMapping {
  readonly topicArn: string;
  readonly topicFifo: boolean;
  /** Absent: a small JSON document with the event's id. */
  readonly notification?: string;
  readonly notificationSubject?: string;
  /** The operator's own attributes: name and expression. */
  readonly notificationAttributes?: Readonly<Record<string, string>>;
  /** For FIFO topics. Absent: the group that the message came in, else a group for each event. */
  readonly notificationGroupId?: string;
}

/** Attributes that every notification carries. */
const OUR_ATTRIBUTES = ['event_id', 'correlation_id'];

/** Compiles the one notification of a mapping. What it renders is checked by `checkNotification`, before the commit. */
export function notificationRenderer(
  mapping: NotificationMapping,
): (event: DecodedEvent) => Result<Notification, PermanentReason> {
  const message = optional(mapping.notification, 'notification');
  const subject = optional(mapping.notificationSubject, 'notification_subject');
  const group = optional(mapping.notificationGroupId, 'notification_group_id');
  const attributes = compileAttributes(mapping.notificationAttributes ?? {});
  const { topicArn, topicFifo } = mapping;

  return (event) => {
    const text = message === undefined ? writeJson({ event_id: event.eventId }) : messageText(message(event.payload));
    if (text === undefined) return { ok: false, reason: 'notification_invalid' };
    const title = subject === undefined ? undefined : scalarText(subject(event.payload));
    return {
      ok: true,
      value: {
        topicArn,
        message: text,
        attributes: renderAttributes(attributes, event),
        ...(title !== undefined && { subject: title }),
        ...(topicFifo && {
          groupId: groupIdFrom(scalarText(group?.(event.payload) ?? null) ?? event.groupId ?? event.eventId),
          deduplicationId: deduplicationIdOf(event.eventId, 0),
        }),
      },
    };
  };
}

function compileAttributes(expressions: Readonly<Record<string, string>>): readonly (readonly [string, Expression])[] {
  const names = Object.keys(expressions);
  const most = NOTIFICATION_ATTRIBUTES_MAX - OUR_ATTRIBUTES.length;
  if (names.length > most) {
    throw new ConfigurationError(
      `notification_attributes has ${names.length} entries: at most ${most} are possible, since raw delivery to SQS drops messages with more than 10 attributes.`,
    );
  }
  return names.map((name) => {
    if (!isAttributeName(name) || OUR_ATTRIBUTES.includes(name)) {
      throw new ConfigurationError(
        `notification_attributes: ${JSON.stringify(name)} is no name for an attribute: use up to 256 letters, digits, _, - and ., not starting with "AWS." or "Amazon.", and not ${OUR_ATTRIBUTES.join(' or ')}.`,
      );
    }
    return [name, compileExpression(expressions[name] ?? '', `notification_attributes["${name}"]`)];
  });
}

/** Data never fails a notification: an attribute that cannot be had is left out. */
function renderAttributes(
  expressions: readonly (readonly [string, Expression])[],
  event: DecodedEvent,
): Readonly<Record<string, MessageAttribute>> {
  const values: { [name: string]: JsonValue | undefined } = {
    event_id: event.eventId,
    correlation_id: event.correlationId,
  };
  for (const [name, find] of expressions) {
    try {
      values[name] = find(event.payload);
    } catch {
      // Left out.
    }
  }
  return attributesFrom(values);
}

/** A string is published as it is, anything else as JSON. Nothing found is no message, and said so. */
function messageText(found: JsonValue): string | undefined {
  if (!isPresent(found)) return undefined;
  return typeof found === 'string' ? found : writeJson(found);
}

/** A missing or empty one is left out. */
function scalarText(found: JsonValue): string | undefined {
  if (typeof found === 'string') return found === '' ? undefined : found;
  return typeof found === 'number' || found instanceof ExactNumber ? String(found) : undefined;
}
