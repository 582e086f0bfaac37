import { type SNSClient, SubscribeCommand, UnsubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, DeleteQueueCommand, type Message, type SQSClient } from '@aws-sdk/client-sqs';
import { drain } from './queues.ts';

/** One delivery of a notification, as a subscriber of the topic gets it. */
export interface Delivery {
  readonly message: string;
  readonly subject?: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** What reads notifications from a queue that is subscribed. */
export interface Listener {
  /** Everything that was delivered since it subscribed, in order of receiving; asks the queue for what is new. */
  deliveries(): Promise<readonly Delivery[]>;
}

export interface Subscriber extends Listener {
  readonly queueUrl: string;
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
  const QueueName = fifo ? `${queueName}.fifo` : queueName;
  const [, partition, , region, account] = topicArn.split(':');
  const queueArn = `arn:${partition}:sqs:${region}:${account}:${QueueName}`;
  const Policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: 'sns.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: queueArn,
        Condition: { ArnEquals: { 'aws:SourceArn': topicArn } },
      },
    ],
  });
  const { QueueUrl: queueUrl } = await sqs.send(
    new CreateQueueCommand({ QueueName, Attributes: { Policy, ...(fifo ? { FifoQueue: 'true' } : {}) } }),
  );
  if (queueUrl === undefined) throw new Error(`no URL for the queue ${queueName}`);
  const { SubscriptionArn } = await sns.send(
    new SubscribeCommand({
      TopicArn: topicArn,
      Protocol: 'sqs',
      Endpoint: queueArn,
      ReturnSubscriptionArn: true,
    }),
  );
  return {
    queueUrl,
    ...listenTo(sqs, queueUrl),
    remove: async () => {
      await sns.send(new UnsubscribeCommand({ SubscriptionArn }));
      await sqs.send(new DeleteQueueCommand({ QueueUrl: queueUrl }));
    },
  };
}

/** Reads a queue that somebody else subscribed, and will remove. */
export function listenTo(sqs: SQSClient, queueUrl: string): Listener {
  const seen: Delivery[] = [];
  return {
    deliveries: async () => {
      seen.push(...(await drain(sqs, queueUrl)).map(deliveryOf));
      return seen;
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
