import {
  type MessageAttributeValue,
  PublishBatchCommand,
  type PublishBatchCommandOutput,
  type PublishBatchRequestEntry,
  type SNSClient,
} from '@aws-sdk/client-sns';
import { halves } from '../core/group.ts';
import type { Notification } from '../core/types.ts';
import type { Notifier, PublishOutcome } from '../ports.ts';
import { messageAttributes } from './message-attributes.ts';
import { readSdkError, wasRefused } from './sdk-error.ts';

/** The port over SNS. An entry is published when the answer lists it as successful, and in no other case. */
export function createNotifier(client: SNSClient): Notifier {
  const notifier: Notifier = {
    async publish(topicArn, entries, signal) {
      const command = new PublishBatchCommand({
        TopicArn: topicArn,
        PublishBatchRequestEntries: entries.map(({ notification }, index) => toEntry(notification, index)),
      });
      try {
        const answer = await client.send(command, { abortSignal: signal });
        return outcomes(answer, entries.length);
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
function toEntry(notification: Notification, index: number): PublishBatchRequestEntry {
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
function outcomes(answer: PublishBatchCommandOutput, count: number): PublishOutcome[] {
  const published = new Map((answer.Successful ?? []).map((entry) => [entry.Id, entry.MessageId ?? '']));
  const failed = new Map((answer.Failed ?? []).map((entry) => [entry.Id, entry.Code ?? 'UnknownError']));
  return Array.from({ length: count }, (_, index): PublishOutcome => {
    const id = String(index);
    const snsMessageId = published.get(id);
    if (snsMessageId !== undefined) return { kind: 'published', snsMessageId };
    const name = failed.get(id);
    return { kind: 'failed', name: name ?? 'NoResultEntry', unknown: name === undefined };
  });
}
