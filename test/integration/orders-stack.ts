import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { GetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { type LocalAws, localAwsUp } from '../../scripts/local/local-aws.ts';
import { type Clients, connect } from '../support/clients.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { send } from '../support/queues.ts';
import { destroyStack, type Stack, startStack } from '../support/stack.ts';
import { type Subscriber, subscribe } from '../support/subscriber.ts';
import { waitUntil } from '../support/wait.ts';

/** The consumer's timeout in these tests: short, so that a crash's visibility timeout (six of it) can be waited for. */
export const TIMEOUT_SECONDS = 5;

type Item = Record<string, AttributeValue>;

/** The orders example on local AWS, its consumer behind a fault proxy, and a subscriber of the test's own. */
export interface OrdersStack {
  readonly localAws: LocalAws;
  readonly clients: Clients;
  readonly proxy: FaultProxy;
  readonly stack: Stack;
  readonly subscriber: Subscriber;
  readonly queueUrl: string;
  readonly dlqUrl: string;
  readonly consumer: string;
  readonly relay: string;
  sendOrders(...orders: object[]): Promise<readonly string[]>;
  row(eventId: string): Promise<Item | undefined>;
  order(orderId: string): Promise<Item | undefined>;
  countOrders(): Promise<number>;
  /** How often each event was announced so far. */
  announced(): Promise<ReadonlyMap<string, number>>;
  waitUntilSent(...eventIds: string[]): Promise<void>;
  waitUntilAnnounced(...eventIds: string[]): Promise<void>;
  /** Applies again with other arguments of the module. */
  change(module: Readonly<Record<string, unknown>>): Promise<void>;
  remove(): Promise<void>;
}

export interface OrdersStackOptions {
  readonly name: string;
  readonly module?: Readonly<Record<string, unknown>>;
  /** Leaves the queues to the provider, as a user's apply does. */
  readonly plain?: boolean;
}

export async function startOrders({ name, module = {}, plain = false }: OrdersStackOptions): Promise<OrdersStack> {
  const localAws = await localAwsUp();
  const clients = connect(localAws.endpoint);
  const proxy = await startFaultProxy(localAws);
  const base = {
    environment: { AWS_ENDPOINT_URL: proxy.url },
    function_timeout_seconds: TIMEOUT_SECONDS,
    backoff_base_seconds: 1,
    backoff_cap_seconds: 2,
    ...module,
  };
  const apply = (more: Readonly<Record<string, unknown>>) =>
    startStack(
      localAws.endpoint,
      { name, example: 'examples/orders', variables: { name }, modules: { orders: { ...base, ...more } } },
      plain,
    );
  const close = async () => {
    await proxy.close();
    clients.close();
  };
  // What is open keeps the test run alive for ever, also when nothing could be applied.
  const stack = await apply({}).catch(async (error) => {
    await close();
    throw error;
  });
  const output = (key: string) => stack.outputs[key] as string;
  const subscriber = await subscribe(clients, output('topic_arn'), `${name}-test`);
  const get = async (table: string, key: Item) =>
    (await clients.dynamodb.send(new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true }))).Item;

  const started: OrdersStack = {
    localAws,
    clients,
    proxy,
    stack,
    subscriber,
    queueUrl: output('queue_url'),
    dlqUrl: output('dlq_url'),
    consumer: output('consumer_function'),
    relay: output('relay_function'),
    sendOrders: (...orders) =>
      send(
        clients.sqs,
        output('queue_url'),
        orders.map((order) => ({ MessageBody: JSON.stringify(order) })),
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
      for (const { attributes } of await subscriber.deliveries()) {
        const id = attributes.event_id ?? '';
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
      return counts;
    },
    waitUntilSent: async (...eventIds) => {
      for (const eventId of eventIds) {
        await waitUntil(`${eventId} to be sent`, async () => (await started.row(eventId))?.status?.S === 'sent', {
          timeoutMs: 90_000,
        });
      }
    },
    waitUntilAnnounced: async (...eventIds) => {
      await waitUntil(`${eventIds.join(', ')} to be announced`, async () => {
        const counts = await started.announced();
        return eventIds.every((eventId) => counts.has(eventId));
      });
    },
    change: async (more) => {
      await apply(more);
    },
    remove: async () => {
      await subscriber.remove();
      await destroyStack(stack);
      await close();
    },
  };
  return started;
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
