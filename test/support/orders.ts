import { type AttributeValue, GetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { Clients } from './clients.ts';
import { send } from './queues.ts';
import type { Listener } from './subscriber.ts';
import { waitUntil } from './wait.ts';

type Item = Record<string, AttributeValue>;

/** What a test sends to the orders example, and sees of it from the outside. */
export interface Orders {
  sendOrders(...orders: object[]): Promise<readonly string[]>;
  row(eventId: string): Promise<Item | undefined>;
  order(orderId: string): Promise<Item | undefined>;
  countOrders(): Promise<number>;
  /** How often each event was announced so far. */
  announced(): Promise<ReadonlyMap<string, number>>;
  waitUntilSent(...eventIds: string[]): Promise<void>;
  waitUntilAnnounced(...eventIds: string[]): Promise<void>;
}

/** `outputs` are those of the example. */
export function lookAtOrders(clients: Clients, outputs: Readonly<Record<string, unknown>>, listener: Listener): Orders {
  const output = (key: string) => outputs[key] as string;
  const get = async (table: string, key: Item) =>
    (await clients.dynamodb.send(new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true }))).Item;

  const orders: Orders = {
    sendOrders: (...sent) =>
      send(
        clients.sqs,
        output('queue_url'),
        sent.map((order) => ({ MessageBody: JSON.stringify(order) })),
      ),
    row: (eventId) => get(output('processed_events_table'), { event_id: { S: eventId } }),
    order: (orderId) => get(output('business_table'), { order_id: { S: orderId } }),
    countOrders: async () =>
      (
        await clients.dynamodb.send(
          new ScanCommand({ TableName: output('business_table'), Select: 'COUNT', ConsistentRead: true }),
        )
      ).Count ?? 0,
    announced: async () => {
      const counts = new Map<string, number>();
      for (const { attributes } of await listener.deliveries()) {
        const id = attributes.event_id ?? '';
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
      return counts;
    },
    waitUntilSent: async (...eventIds) => {
      for (const eventId of eventIds) {
        await waitUntil(`${eventId} to be sent`, async () => (await orders.row(eventId))?.status?.S === 'sent', {
          timeoutMs: 90_000,
        });
      }
    },
    waitUntilAnnounced: async (...eventIds) => {
      await waitUntil(`${eventIds.join(', ')} to be announced`, async () => {
        const counts = await orders.announced();
        return eventIds.every((eventId) => counts.has(eventId));
      });
    },
  };
  return orders;
}

/** An order as a producer sends it. */
export function orderOf(id: string, more: object = {}): { event_id: string; order_id: string } {
  return { event_id: id, order_id: id, ...more };
}

/** A batch record as Lambda delivers it: https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html */
export function lambdaRecord(messageId: string, body: object, receiveCount = 1): object {
  return {
    messageId,
    receiptHandle: `handle-${messageId}`,
    body: JSON.stringify(body),
    attributes: {
      ApproximateReceiveCount: String(receiveCount),
      SentTimestamp: '1767225600000',
      SenderId: 'AIDAEXAMPLE',
      ApproximateFirstReceiveTimestamp: '1767225600001',
    },
    messageAttributes: {},
    md5OfBody: '00000000000000000000000000000000',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:orders',
    awsRegion: 'us-east-1',
  };
}
