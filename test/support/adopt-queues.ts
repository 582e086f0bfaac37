import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateQueueCommand, SetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { type PlanJson, planJson, type ResourceChange, type Terraform } from './terraform.ts';

/** The provider's names of a queue's attributes, and the API's. */
const attributes = {
  content_based_deduplication: 'ContentBasedDeduplication',
  deduplication_scope: 'DeduplicationScope',
  delay_seconds: 'DelaySeconds',
  fifo_queue: 'FifoQueue',
  fifo_throughput_limit: 'FifoThroughputLimit',
  kms_data_key_reuse_period_seconds: 'KmsDataKeyReusePeriodSeconds',
  kms_master_key_id: 'KmsMasterKeyId',
  max_message_size: 'MaximumMessageSize',
  message_retention_seconds: 'MessageRetentionPeriod',
  policy: 'Policy',
  receive_wait_time_seconds: 'ReceiveMessageWaitTimeSeconds',
  redrive_allow_policy: 'RedriveAllowPolicy',
  redrive_policy: 'RedrivePolicy',
  sqs_managed_sse_enabled: 'SqsManagedSseEnabled',
  visibility_timeout_seconds: 'VisibilityTimeout',
} as const;

/**
 * Creates the queues of a plan through the API and has Terraform adopt them.
 *
 * The provider waits 25 s after it creates or changes a queue, for AWS to settle; local AWS settles at once. Two queues,
 * one naming the other, cost 50 s of every test. A queue is therefore created as planned, a second plan (in which the
 * ARNs are known) says what its policies are to be, and the import finds nothing left to change.
 */
export async function adoptQueues(terraform: Terraform, folder: string, sqs: SQSClient): Promise<void> {
  const toCreate = queuesOf(await planJson(terraform), 'create');
  if (toCreate.length === 0) return;
  const urls = new Map<string, string>();
  for (const queue of toCreate) {
    const { name, tags } = queue.change.after as { name: string; tags: Record<string, string> | null };
    const created = await sqs.send(
      new CreateQueueCommand({
        QueueName: name,
        Attributes: apiAttributes(queue, true),
        ...(tags === null ? {} : { tags }),
      }),
    );
    urls.set(queue.address, created.QueueUrl as string);
  }
  const blocks = [...urls].map(([to, id]) => `import {\n  to = ${to}\n  id = ${JSON.stringify(id)}\n}\n`);
  writeFileSync(join(folder, 'adopted_queues.tf'), blocks.join('\n'));
  for (const queue of queuesOf(await planJson(terraform), 'update')) {
    const QueueUrl = urls.get(queue.address);
    const Attributes = apiAttributes(queue, false);
    if (QueueUrl !== undefined && Object.keys(Attributes).length > 0) {
      await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
    }
  }
}

function queuesOf(plan: PlanJson, action: string): readonly ResourceChange[] {
  return (plan.resource_changes ?? []).filter(
    ({ type, change }) => type === 'aws_sqs_queue' && change.actions.includes(action),
  );
}

/** What to tell the API: what the plan says, less what the API takes as said, or refuses to hear. */
function apiAttributes({ change }: ResourceChange, creating: boolean): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [planned, name] of Object.entries(attributes)) {
    const value = change.after?.[planned];
    const unchanged = !creating && JSON.stringify(value) === JSON.stringify(change.before?.[planned]);
    const unset = value === undefined || value === null || value === '';
    // Only a FIFO queue may be told that it is one, and 0 stands for no reuse period.
    const unsayable =
      (name === 'FifoQueue' && (value === false || !creating)) ||
      (name === 'ContentBasedDeduplication' && value === false && creating) ||
      (name === 'KmsDataKeyReusePeriodSeconds' && value === 0);
    if (!unset && !unchanged && !unsayable) result[name] = String(value);
  }
  return result;
}
