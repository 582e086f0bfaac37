import {
  type MessageAttributeValue,
  PublishBatchCommand,
  type PublishBatchCommandOutput,
  type PublishBatchRequestEntry,
  type SNSClient,
} from '@aws-sdk/client-sns';
import { halves } from '../core/group.ts';
import type { Notifier, PublishEntry, PublishOutcome } from '../ports.ts';
import { messageAttributes } from './message-attributes.ts';
import { readSdkError, wasRefused } from './sdk-error.ts';

/** The port over SNS. An entry is published when the answer lists it as successful, and in no other case. */
export function createNotifier(client: SNSClient): Notifier {
  const notifier: Notifier = {
    async publish(topicArn, entries, signal) {
      const command = new PublishBatchCommand({
        TopicArn: topicArn,
        PublishBatchRequestEntries: entries.map(toEntry),
      });
      try {
        const answer = await client.send(command, { abortSignal: signal });
        return outcomesOf(answer, entries.length);
      } catch (thrown) {
        const error = readSdkError(thrown);
        // The topic takes less in a call than `topic_max_bytes` says: what fits alone must not fail for its neighbours.
        if (error.name === 'BatchRequestTooLongException' && entries.length > 1) {
          const [left, right] = halves(entries);
          const first = await notifier.publish(topicArn, left, signal);
          return [...first, ...(await notifier.publish(topicArn, right, signal))];
        }
        return entries.map(() => ({ kind: 'failed', name: error.name, unknown: !wasRefused(error) }));
      }
    },
  };
  return notifier;
}

/** The id of an entry is its place in the call. */
function toEntry({ notification }: PublishEntry, index: number): PublishBatchRequestEntry {
  const attributes = messageAttributes(notification.attributes);
  return {
    Id: String(index),
    Message: notification.message,
    ...(notification.subject !== undefined && { Subject: notification.subject }),
    ...(attributes !== undefined && { MessageAttributes: attributes as Record<string, MessageAttributeValue> }),
    ...(notification.groupId !== undefined && { MessageGroupId: notification.groupId }),
    ...(notification.deduplicationId !== undefined && { MessageDeduplicationId: notification.deduplicationId }),
  };
}

/**
 * A 200 answer may list failures. An entry in neither list may have been published or not; one in `Failed` was refused.
 *
 * @see https://docs.aws.amazon.com/sns/latest/api/API_PublishBatch.html
 */
function outcomesOf(answer: PublishBatchCommandOutput, count: number): PublishOutcome[] {
  const named = new Map<string | undefined, PublishOutcome>();
  for (const { Id, Code = 'UnknownError' } of answer.Failed ?? [])
    named.set(Id, { kind: 'failed', name: Code, unknown: false });
  for (const { Id, MessageId = '' } of answer.Successful ?? [])
    named.set(Id, { kind: 'published', snsMessageId: MessageId });
  const outcomes: PublishOutcome[] = [];
  for (let index = 0; index < count; index += 1) {
    outcomes.push(named.get(String(index)) ?? { kind: 'failed', name: 'NoResultEntry', unknown: true });
  }
  return outcomes;
}
