import { type SNSClient, SubscribeCommand, UnsubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, DeleteQueueCommand, type SQSClient } from '@aws-sdk/client-sqs';
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

interface Envelope {
  readonly Message: string;
  readonly Subject?: string;
  readonly MessageAttributes?: Readonly<Record<string, { readonly Value: string }>>;
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
      seen.push(...(await drain(sqs, queueUrl)).map(({ Body }) => deliveryOf(JSON.parse(Body as string))));
      return seen;
    },
    remove: async () => {
      await sns.send(new UnsubscribeCommand({ SubscriptionArn }));
      await sqs.send(new DeleteQueueCommand({ QueueUrl: queueUrl }));
    },
  };
}

function deliveryOf({ Message, Subject, MessageAttributes = {} }: Envelope): Delivery {
  const attributes = Object.fromEntries(Object.entries(MessageAttributes).map(([name, { Value }]) => [name, Value]));
  return { message: Message, attributes, ...(Subject === undefined ? {} : { subject: Subject }) };
}
