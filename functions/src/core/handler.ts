import type { StandardSchemaV1 } from '@standard-schema/spec';
import { createDecoder, type DecodeMapping } from './decode.ts';
import { type Attributes, type HandlerWrite, renderWrite } from './handler-write.ts';
import { writeJson } from './json.ts';
import { isJson, type JsonObject, type JsonValue, type Result } from './json-value.ts';
import { fromAttributeMap, type StoredItem, toAttributeMap } from './marshal.ts';
import { attributesFrom, deduplicationIdOf, groupIdFrom } from './notification.ts';
import type { PermanentReason } from './reasons.ts';
import type { DecodedEvent, Meaning, MessageAttribute, Notification, Planned, ReadKey } from './types.ts';

/** An event as a handler sees it. */
export interface HandlerEvent<T> {
  /** The event's id, behind the optional prefix: the key of its row. */
  readonly id: string;
  /** What `input` made of the event, or the event itself. Numbers that a double cannot hold are `ExactNumber`s. */
  readonly input: T;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
  readonly correlationId?: string;
  /** The message's group on a FIFO queue. */
  readonly groupId?: string;
}

/** An item that the plan depends on. It is read strongly consistent, just before `plan`. */
export interface HandlerRead {
  readonly table: string;
  readonly key: Attributes;
}

export interface HandlerNotification {
  /** A string is published as it is, anything else as JSON. */
  readonly message: string | JsonValue;
  /** At most 99 characters on one line. */
  readonly subject?: string;
  /** Beside `event_id` and `correlation_id`, which are always there. What is missing, empty or no JSON is left out. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** For FIFO topics; by default the group of the message, else the event's id. */
  readonly groupId?: string;
}

export interface HandlerPlan {
  /** A plan may say that it is no rejection. */
  readonly reject?: false;
  /** Committed together with the event's row, all or nothing, once. */
  readonly writes?: readonly HandlerWrite[];
  /** Published after the commit, at least once. */
  readonly notifications?: readonly HandlerNotification[];
}

/** What `plan` may say instead: the business refuses the event, which is quarantined as `business_rejected`. */
export interface Rejection {
  readonly reject: true;
}

/**
 * What an event means, in code.
 *
 * `plan` only says what is to be written and announced; the pipeline does it. It gets no clients, since an effect
 * before the commit would happen again on every redelivery. It may be called several times for one event. What it
 * throws is taken for a passing failure, and so is a promise that takes more than half of the time that the function has
 * left: the message is tried again until it goes to the dead-letter queue, and its neighbours are not held up.
 *
 * @example
 * export default defineHandler({
 *   input: orderSchema,
 *   reads: (event) => [{ table: 'stock', key: { pk: event.input.sku } }],
 *   plan(event, [stock]) {
 *     if (stock === undefined) return { reject: true };
 *     const { id, sku } = event.input;
 *     return {
 *       writes: [
 *         put({ table: 'orders', key: { pk: id }, item: event.input, condition: absent('pk') }),
 *         update({
 *           table: 'stock', key: { pk: sku }, add: { left: -1, version: 1 },
 *           condition: compare('version', '=', stock.version), onConditionFailed: 'replan',
 *         }),
 *       ],
 *       notifications: [{ message: { order_id: id } }],
 *     };
 *   },
 * });
 */
export interface Handler<T = JsonObject> {
  /** Any Standard Schema validator (standardschema.dev); with `reads` a synchronous one. What it refuses is permanent. */
  readonly input?: StandardSchemaV1<unknown, T>;
  readonly reads?: (event: HandlerEvent<T>) => readonly HandlerRead[];
  /** `items` in the order of `reads`; undefined for an item that does not exist. */
  readonly plan: (
    event: HandlerEvent<T>,
    items: readonly (StoredItem | undefined)[],
  ) => HandlerPlan | Rejection | Promise<HandlerPlan | Rejection>;
}

/** Only types the handler: it returns what it is given. */
export function defineHandler<T = JsonObject>(handler: Handler<T>): Handler<T> {
  return handler;
}

export interface HandlerTopic {
  readonly topicArn: string;
  readonly topicFifo: boolean;
}

/** The meaning that a handler gives to events. Where ids are found stays configuration. */
export function handlerMeaning<T>(handler: Handler<T>, decoding: DecodeMapping, topic: HandlerTopic): Meaning {
  const { decode } = createDecoder(decoding);
  const { reads } = handler;

  async function plan(
    event: DecodedEvent,
    items: readonly (Parameters<typeof fromAttributeMap>[0] | undefined)[],
  ): Promise<Planned> {
    const input = await validate(handler, event);
    if (!input.ok) return { kind: 'rejected', reason: input.reason };
    const stored = items.map((item) => (item === undefined ? undefined : fromAttributeMap(item)));
    const planned = await handler.plan(toHandlerEvent(event, input.value), stored);
    if (isRejection(planned)) return { kind: 'rejected', reason: 'business_rejected' };
    return renderPlan(planned, event, topic);
  }

  if (reads === undefined) return { decode, plan };
  return {
    decode,
    plan,
    reads(event) {
      const input = validate(handler, event);
      if (input instanceof Promise) throw new TypeError('a handler with reads needs a synchronous validator');
      // Nothing to read for an event that its plan is going to refuse.
      return input.ok ? reads(toHandlerEvent(event, input.value)).map(toReadKey) : [];
    },
  };
}

/**
 * Only `true` rejects. What is neither a plan nor a rejection, as code without types may return, is a mistake that must
 * not commit an empty plan: it throws, like `in` does for what is no object.
 */
function isRejection(planned: HandlerPlan | Rejection): planned is Rejection {
  if (!('reject' in planned) || planned.reject === undefined || planned.reject === false) return false;
  if (planned.reject === true) return true;
  throw new TypeError('reject must be true, or left out of a plan');
}

type Validated<T> = Result<T, PermanentReason>;

function validate<T>(handler: Handler<T>, event: DecodedEvent): Validated<T> | Promise<Validated<T>> {
  if (handler.input === undefined) return { ok: true, value: event.payload as T };
  const result = handler.input['~standard'].validate(event.payload);
  return result instanceof Promise ? result.then(toResult) : toResult(result);
}

function toResult<T>(result: StandardSchemaV1.Result<T>): Validated<T> {
  return result.issues === undefined ? { ok: true, value: result.value } : { ok: false, reason: 'schema_violation' };
}

function toHandlerEvent<T>(event: DecodedEvent, input: T): HandlerEvent<T> {
  return {
    id: event.eventId,
    input,
    attributes: event.attributes,
    ...(event.correlationId !== undefined && { correlationId: event.correlationId }),
    ...(event.groupId !== undefined && { groupId: event.groupId }),
  };
}

function toReadKey(read: HandlerRead): ReadKey {
  const key = toAttributeMap(read.key);
  if (!key.ok) throw new TypeError('a key of reads holds a value that DynamoDB does not store');
  return { table: read.table, key: key.value };
}

function renderPlan(plan: HandlerPlan, event: DecodedEvent, topic: HandlerTopic): Planned {
  const writes = collect((plan.writes ?? []).map(renderWrite));
  if (!writes.ok) return { kind: 'rejected', reason: writes.reason };
  const rendered = (plan.notifications ?? []).map((notification, i) =>
    renderNotification(notification, i, event, topic),
  );
  const notifications = collect(rendered);
  if (!notifications.ok) return { kind: 'rejected', reason: notifications.reason };
  return { kind: 'plan', plan: { writes: writes.value, notifications: notifications.value } };
}

function collect<T>(results: readonly Result<T, PermanentReason>[]): Result<readonly T[], PermanentReason> {
  const values: T[] = [];
  for (const result of results) {
    if (!result.ok) return result;
    values.push(result.value);
  }
  return { ok: true, value: values };
}

function renderNotification(
  notification: HandlerNotification,
  index: number,
  event: DecodedEvent,
  { topicArn, topicFifo }: HandlerTopic,
): Result<Notification, PermanentReason> {
  const { message, subject, attributes = {}, groupId } = notification;
  if (!isJson(message)) return { ok: false, reason: 'notification_invalid' };
  const ours = { event_id: event.eventId, correlation_id: event.correlationId };
  return {
    ok: true,
    value: {
      topicArn,
      message: typeof message === 'string' ? message : writeJson(message),
      attributes: attributesFrom({ ...attributes, ...ours }),
      ...(subject !== undefined && { subject }),
      ...(topicFifo && {
        groupId: groupIdFrom(groupId ?? event.groupId ?? event.eventId),
        deduplicationId: deduplicationIdOf(event.eventId, index),
      }),
    },
  };
}
