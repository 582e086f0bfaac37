import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { waitUntil } from './wait.ts';

/** What a producer sends; ids and the size of a call are seen to here. */
export type Outgoing = Omit<SendMessageBatchRequestEntry, 'Id'>;

/** Sends ten a call, in order, and resolves to the message ids. */
export async function send(
  sqs: SQSClient,
  queueUrl: string,
  messages: readonly Outgoing[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let at = 0; at < messages.length; at += 10) {
    const Entries = messages.slice(at, at + 10).map((message, index) => ({ Id: String(index), ...message }));
    const answer = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    if (answer.Failed !== undefined && answer.Failed.length > 0) throw new Error(JSON.stringify(answer.Failed));
    const byId = new Map(answer.Successful?.map(({ Id, MessageId }) => [Id, MessageId]));
    ids.push(...Entries.map(({ Id }) => byId.get(Id) as string));
  }
  return ids;
}

export interface Depth {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

export async function depthOf(sqs: SQSClient, queueUrl: string): Promise<Depth> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrl,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesDelayed',
      ],
    }),
  );
  return {
    visible: Number(Attributes.ApproximateNumberOfMessages),
    inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible),
    delayed: Number(Attributes.ApproximateNumberOfMessagesDelayed),
  };
}

/** Waits until nothing is left in the queue, in flight or delayed either. */
export async function waitUntilEmpty(sqs: SQSClient, queueUrl: string, timeoutMs = 120_000): Promise<void> {
  const isEmpty = async () => {
    const { visible, inFlight, delayed } = await depthOf(sqs, queueUrl);
    return visible + inFlight + delayed === 0;
  };
  await waitUntil(`${queueUrl} to be empty`, isEmpty, { timeoutMs });
}

/** Receives and deletes everything that is visible, with all attributes. */
export async function drain(sqs: SQSClient, queueUrl: string): Promise<readonly Message[]> {
  const all: Message[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(receive(queueUrl));
    if (Messages.length === 0) return all;
    all.push(...Messages);
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
}

/**
 * Receives everything that is visible and leaves it: hidden for `hiddenForSeconds` from other readers, then back. The
 * receive count of what is read goes up.
 */
export async function peek(sqs: SQSClient, queueUrl: string, hiddenForSeconds = 2): Promise<readonly Message[]> {
  const seen = new Map<string, Message>();
  for (;;) {
    const { Messages = [] } = await sqs.send(receive(queueUrl, hiddenForSeconds));
    const fresh = Messages.filter(({ MessageId }) => !seen.has(MessageId as string));
    if (fresh.length === 0) return [...seen.values()];
    for (const message of fresh) seen.set(message.MessageId as string, message);
  }
}

function receive(QueueUrl: string, VisibilityTimeout?: number): ReceiveMessageCommand {
  return new ReceiveMessageCommand({
    QueueUrl,
    MaxNumberOfMessages: 10,
    WaitTimeSeconds: 0,
    MessageAttributeNames: ['All'],
    MessageSystemAttributeNames: ['All'],
    ...(VisibilityTimeout === undefined ? {} : { VisibilityTimeout }),
  });
}
