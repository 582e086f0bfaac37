import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type MessageAttributeValue,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { MESSAGE_DEFAULT_MAX_BYTES, QUEUE_BATCH_MAX_ENTRIES } from '../core/limits.ts';
import { chunks } from '../core/parallel.ts';
import type { Failed, QuarantinedMessage, SourceQueue } from '../ports.ts';
import type { QueueUrls } from './lazy-source-queue.ts';
import { messageAttributes } from './message-attributes.ts';
import { readSdkError } from './sdk-error.ts';

export interface SourceQueueDeps extends QueueUrls {
  readonly client: SQSClient;
}

interface Answer {
  readonly Successful?: readonly { readonly Id: string | undefined }[] | undefined;
  readonly Failed?: readonly { readonly Id: string | undefined; readonly Code: string | undefined }[] | undefined;
}

/**
 * The port over SQS. A 200 answer may list failures, so an entry counts only when it is listed as successful.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteMessageBatch.html
 */
export function createSourceQueue(deps: SourceQueueDeps): SourceQueue {
  const { client, queueUrl, deadLetterQueueUrl } = deps;
  const fifo = deadLetterQueueUrl?.endsWith('.fifo') === true;

  return {
    changeVisibility: (entries, signal) =>
      together(chunks(entries, QUEUE_BATCH_MAX_ENTRIES), (chunk) =>
        client.send(
          new ChangeMessageVisibilityBatchCommand({
            QueueUrl: known(queueUrl),
            Entries: chunk.map(({ receiptHandle, seconds }, index) => ({
              Id: String(index),
              ReceiptHandle: receiptHandle,
              VisibilityTimeout: seconds,
            })),
          }),
          { abortSignal: signal },
        ),
      ),

    delete: (receiptHandles, signal) =>
      together(chunks(receiptHandles, QUEUE_BATCH_MAX_ENTRIES), (chunk) =>
        client.send(
          new DeleteMessageBatchCommand({
            QueueUrl: known(queueUrl),
            Entries: chunk.map((receiptHandle, index) => ({ Id: String(index), ReceiptHandle: receiptHandle })),
          }),
          { abortSignal: signal },
        ),
      ),

    quarantine: (messages, signal) =>
      // One chunk after the other keeps the order of a group in a FIFO queue.
      (fifo ? inOrder : together)(byCountAndBytes(messages), (chunk) =>
        client.send(
          new SendMessageBatchCommand({
            QueueUrl: known(deadLetterQueueUrl),
            Entries: chunk.map((message, index) => toEntry(message, index, fifo)),
          }),
          { abortSignal: signal },
        ),
      ),
  };
}

function known(url: string | undefined): string {
  if (url === undefined) throw Object.assign(new Error('this source has no queue'), { name: 'NoQueue' });
  return url;
}

type Send<T> = (chunk: readonly T[]) => Promise<Answer>;

async function together<T>(calls: readonly (readonly T[])[], send: Send<T>): Promise<readonly Failed[]> {
  return (await Promise.all(calls.map((chunk) => failures(chunk, send)))).flat();
}

async function inOrder<T>(calls: readonly (readonly T[])[], send: Send<T>): Promise<readonly Failed[]> {
  const all: Failed[] = [];
  for (const chunk of calls) all.push(...(await failures(chunk, send)));
  return all;
}

async function failures<T>(chunk: readonly T[], send: Send<T>): Promise<Failed[]> {
  try {
    const answer = await send(chunk);
    const named = new Map<string | undefined, Failed>();
    for (const { Id, Code = 'UnknownError' } of answer.Failed ?? []) named.set(Id, Code);
    for (const { Id } of answer.Successful ?? []) named.set(Id, false);
    return chunk.map((_, index) => named.get(String(index)) ?? 'NoResultEntry');
  } catch (thrown) {
    const { name } = readSdkError(thrown);
    return chunk.map(() => name);
  }
}

/**
 * A FIFO queue wants a group and, so that a second quarantine of one message is one message, a de-duplication id. A
 * standard queue refuses the latter and may carry the former (fair queues).
 */
function toEntry(message: QuarantinedMessage, index: number, fifo: boolean): SendMessageBatchRequestEntry {
  const attributes = messageAttributes(message.attributes);
  const groupId = fifo ? (message.groupId ?? message.messageId) : message.groupId;
  return {
    Id: String(index),
    MessageBody: message.body,
    ...(attributes !== undefined && { MessageAttributes: attributes as Record<string, MessageAttributeValue> }),
    ...(groupId !== undefined && { MessageGroupId: groupId }),
    ...(fifo && { MessageDeduplicationId: message.deduplicationId ?? message.messageId }),
  };
}

/** A message above what every queue accepts in one call travels alone, and its queue judges it. */
function byCountAndBytes(messages: readonly QuarantinedMessage[]): QuarantinedMessage[][] {
  const calls: QuarantinedMessage[][] = [];
  let chunk: QuarantinedMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = messageBytes(message);
    if (chunk.length > 0 && (chunk.length === QUEUE_BATCH_MAX_ENTRIES || bytes + size > MESSAGE_DEFAULT_MAX_BYTES)) {
      calls.push(chunk);
      chunk = [];
      bytes = 0;
    }
    chunk.push(message);
    bytes += size;
  }
  if (chunk.length > 0) calls.push(chunk);
  return calls;
}

/** Base64 text is longer than the binary value that it stands for: never an underestimate. */
function messageBytes(message: QuarantinedMessage): number {
  let bytes = Buffer.byteLength(message.body);
  for (const [name, { type, value }] of Object.entries(message.attributes)) {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(type) + Buffer.byteLength(value);
  }
  return bytes;
}
