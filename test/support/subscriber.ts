import { type SNSClient, SubscribeCommand, UnsubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, DeleteQueueCommand, type Message, type SQSClient } from '@aws-sdk/client-sqs';
import { drain } from './queues.ts';

/** One delivery of a notification, as a subscriber of the topic gets it. */
export interface Delivery {
  readonly message: string;
  readonly subject?: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface Subscriber {
  readonly queueUrl: string;
  /** Everything that was delivered since it subscribed, in order of receiving; asks the queue for what is new. */
  deliveries(): Promise<readonly Delivery[]>;
  /** Unsubscribes and removes the queue. */
  remove(): Promise<void>;
}

/** Subscribes a queue of its own to the topic. What was published before is not delivered to it. */
export async function subscribe(
  { sns, sqs }: { sns: SNSClient; sqs: SQSClient },
  topicArn: string,
  queueName: string,
): Promise<Subscriber> {
  const fifo = topicArn.endsWith('.fifo');
  const { QueueUrl: queueUrl } = await sqs.send(
    new CreateQueueCommand({
      QueueName: fifo ? `${queueName}.fifo` : queueName,
      ...(fifo ? { Attributes: { FifoQueue: 'true' } } : {}),
    }),
  );
  if (queueUrl === undefined) throw new Error(`no URL for the queue ${queueName}`);
  const [, partition, , region, account] = topicArn.split(':');
  const { SubscriptionArn } = await sns.send(
    new SubscribeCommand({
      TopicArn: topicArn,
      Protocol: 'sqs',
      Endpoint: `arn:${partition}:sqs:${region}:${account}:${queueUrl.slice(queueUrl.lastIndexOf('/') + 1)}`,
      ReturnSubscriptionArn: true,
    }),
  );
  const seen: Delivery[] = [];
  return {
    queueUrl,
    deliveries: async () => {
      seen.push(...(await drain(sqs, queueUrl)).map(deliveryOf));
      return seen;
    },
    remove: async () => {
      await sns.send(new UnsubscribeCommand({ SubscriptionArn }));
      await sqs.send(new DeleteQueueCommand({ QueueUrl: queueUrl }));
    },
  };
}

/** Reads both forms of delivery: SNS's own envelope as the body, and raw, with the attributes beside the body. */
export function deliveryOf({ Body = '', MessageAttributes = {} }: Message): Delivery {
  const raw = Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue ?? '']);
  const envelope = envelopeIn(Body);
  if (envelope === undefined) return { message: Body, attributes: Object.fromEntries(raw) };
  const wrapped = Object.entries(envelope.MessageAttributes ?? {}).map(([name, { Value }]) => [name, Value]);
  return {
    message: envelope.Message,
    attributes: Object.fromEntries(wrapped),
    ...(envelope.Subject === undefined ? {} : { subject: envelope.Subject }),
  };
}

interface Envelope {
  readonly Type: 'Notification';
  readonly Message: string;
  readonly Subject?: string;
  readonly MessageAttributes?: Readonly<Record<string, { readonly Value: string }>>;
}

function envelopeIn(body: string): Envelope | undefined {
  try {
    const parsed = JSON.parse(body);
    return parsed?.Type === 'Notification' && typeof parsed.Message === 'string' ? parsed : undefined;
  } catch {
    return undefined;
  }
}
