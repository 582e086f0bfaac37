import { type AttributeValue, paginateScan } from '@aws-sdk/client-dynamodb';
import type { Message } from '@aws-sdk/client-sqs';
import type { Clients } from '../../test/support/clients.ts';
import { depthOf, drain, peek } from '../../test/support/queues.ts';
import { type Delivery, deliveryOf } from '../../test/support/subscriber.ts';
import { waitUntil } from '../../test/support/wait.ts';

/** Where `examples/orders` keeps things: its outputs. */
export interface Places {
  readonly queue_url: string;
  readonly dlq_url: string;
  readonly processed_events_table: string;
  readonly business_table: string;
  readonly subscriber_queue_url: string;
  readonly consumer_function: string;
}

/** A message that was sent, with the id that SQS gave it. */
export interface SentMessage {
  readonly messageId: string;
  readonly eventId: string | null;
  readonly body: string;
}

/** A row of `processed_events`, as far as the promises are about it. */
export interface EventRow {
  readonly eventId: string;
  readonly status: string;
}

/** A row of the table of orders: plain values, numbers as their text. */
export type OrderRow = Readonly<Record<string, string>>;

/** What we call it when SQS moved a message, which then says no reason. */
export const RECEIVED_TOO_OFTEN = 'received too often';

export interface DeadMessage {
  readonly messageId: string;
  /** The message that it was in the queue, when the consumer moved it; SQS keeps the id when it moves one. */
  readonly sourceMessageId: string;
  readonly reason: string;
  readonly body: string;
}

/** All that the promises are judged from. Nothing of it comes from the consumer's own logs. */
export interface Evidence {
  readonly sent: readonly SentMessage[];
  readonly events: readonly EventRow[];
  readonly orders: readonly OrderRow[];
  readonly deliveries: readonly Delivery[];
  readonly dead: readonly DeadMessage[];
  /** How many transactions with the event's row AWS executed, where a proxy next to AWS saw them all. */
  readonly commits?: ReadonlyMap<string, number>;
}

export async function readEvents({ dynamodb }: Clients, places: Places, runId: string): Promise<readonly EventRow[]> {
  const rows = await scan(dynamodb, places.processed_events_table);
  return rows
    .map(({ event_id, status }) => ({ eventId: plain(event_id), status: plain(status) }))
    .filter(({ eventId }) => eventId.startsWith(`${runId}-`));
}

export async function readOrders({ dynamodb }: Clients, places: Places, runId: string): Promise<readonly OrderRow[]> {
  return (await scan(dynamodb, places.business_table))
    .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])))
    .filter(({ order_id }) => order_id?.startsWith(`order-${runId}-`));
}

/** Takes what has arrived at the subscribed queue. */
export async function takeDeliveries({ sqs }: Clients, places: Places, runId: string): Promise<readonly Delivery[]> {
  const deliveries = (await drain(sqs, places.subscriber_queue_url)).map(deliveryOf);
  return deliveries.filter((delivery) => eventIdOf(delivery)?.startsWith(`${runId}-`));
}

/** Reads the dead-letter queue and leaves it as it is, to be looked at. Each dead message is named after one that was sent. */
export async function readDead(
  { sqs }: Clients,
  places: Places,
  sent: readonly SentMessage[],
): Promise<readonly DeadMessage[]> {
  await waitUntilShown(sqs, places.dlq_url);
  return named((await peek(sqs, places.dlq_url)).map(deadMessage), sent);
}

/** What was looked at a moment ago is hidden, and whoever looks again too soon sees a part. */
export async function waitUntilShown(sqs: Clients['sqs'], queueUrl: string): Promise<void> {
  await waitUntil(`${queueUrl} to show everything`, async () => (await depthOf(sqs, queueUrl)).inFlight === 0);
}

/**
 * A message that was redriven has another id by the time it dies again. It is known by its body then, one dead message
 * for each that was sent; what is nobody's belongs to another run.
 */
export function named(dead: readonly DeadMessage[], sent: readonly SentMessage[]): readonly DeadMessage[] {
  const ids = new Set(sent.map(({ messageId }) => messageId));
  const known = dead.filter(({ sourceMessageId }) => ids.has(sourceMessageId));
  const taken = new Set(known.map(({ sourceMessageId }) => sourceMessageId));
  const free = new Map<string, string[]>();
  for (const { body, messageId } of sent) {
    if (!taken.has(messageId)) free.set(body, [...(free.get(body) ?? []), messageId]);
  }
  const byBody = dead
    .filter(({ sourceMessageId }) => !ids.has(sourceMessageId))
    .flatMap((message) => {
      const sourceMessageId = free.get(message.body)?.pop();
      return sourceMessageId === undefined ? [] : [{ ...message, sourceMessageId }];
    });
  return [...known, ...byBody];
}

export function deadMessage({ MessageId = '', Body = '', MessageAttributes = {} }: Message): DeadMessage {
  return {
    messageId: MessageId,
    sourceMessageId: MessageAttributes.source_message_id?.StringValue ?? MessageId,
    reason: MessageAttributes.error_type?.StringValue ?? RECEIVED_TOO_OFTEN,
    body: Body,
  };
}

/** The id that a notification announces; undefined for one that is not of this pipeline. */
export function eventIdOf({ attributes }: Delivery): string | undefined {
  return attributes.event_id;
}

async function scan(client: Clients['dynamodb'], TableName: string): Promise<Record<string, AttributeValue>[]> {
  const rows: Record<string, AttributeValue>[] = [];
  for await (const page of paginateScan({ client }, { TableName, ConsistentRead: true }))
    rows.push(...(page.Items ?? []));
  return rows;
}

function plain(value: AttributeValue | undefined): string {
  return value?.S ?? value?.N ?? JSON.stringify(value ?? null);
}
