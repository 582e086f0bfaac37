import { CreateTableCommand, DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { CreateTopicCommand, DeleteTopicCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { createEventStore } from '../../functions/src/aws/event-store.ts';
import { createNotifier } from '../../functions/src/aws/notifier.ts';
import { createSourceQueue } from '../../functions/src/aws/source-queue.ts';
import { localAwsUp } from '../../scripts/local/local-aws.ts';
import { conformanceOf, type LaxRule, type Subject } from '../simulation/conformance.ts';
import { connect } from '../support/clients.ts';
import { drain } from '../support/queues.ts';

const VISIBILITY_SECONDS = 2;
const MAX_RECEIVES = 3;

/** What MiniStack 1.5.33 lets through although AWS refuses it (L-05, L-06); the core checks it, the simulation enforces it. */
const MINISTACK_LETS_THROUGH: readonly LaxRule[] = ['empty attribute value', 'group id above 128 characters'];

for (const fifo of [false, true]) {
  conformanceOf(fifo ? 'local AWS with a FIFO queue' : 'local AWS with a standard queue', () => local(fifo));
}

/** The real adapters on queues, tables and a topic of this test's own. */
async function local(fifo: boolean): Promise<Subject> {
  const { endpoint, kind } = await localAwsUp();
  const { dynamodb, sns, sqs, close } = connect(endpoint);
  const name = `conformance-${process.pid}-${fifo ? 'fifo' : 'standard'}`;
  const suffix = fifo ? '.fifo' : '';
  const remove: (() => Promise<unknown>)[] = [async () => close()];

  const table = async (TableName: string, key: string): Promise<string> => {
    await dynamodb.send(
      new CreateTableCommand({
        TableName,
        KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    remove.push(() => dynamodb.send(new DeleteTableCommand({ TableName })));
    return TableName;
  };
  const queue = async (QueueName: string, Attributes: Record<string, string>): Promise<string> => {
    const { QueueUrl } = await sqs.send(
      new CreateQueueCommand({ QueueName, Attributes: { ...Attributes, ...(fifo && { FifoQueue: 'true' }) } }),
    );
    remove.push(() => sqs.send(new DeleteQueueCommand({ QueueUrl })));
    return QueueUrl as string;
  };

  const rowTable = await table(`${name}-rows`, 'event_id');
  const businessTable = await table(`${name}-business`, 'pk');
  const deadLetterQueueUrl = await queue(`${name}-dlq${suffix}`, {});
  const queueUrl = await queue(`${name}${suffix}`, {
    VisibilityTimeout: String(VISIBILITY_SECONDS),
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: `arn:aws:sqs:us-east-1:000000000000:${name}-dlq${suffix}`,
      maxReceiveCount: MAX_RECEIVES,
    }),
  });
  const { TopicArn = '' } = await sns.send(
    new CreateTopicCommand({ Name: `${name}${suffix}`, ...(fifo && { Attributes: { FifoTopic: 'true' } }) }),
  );
  remove.push(() => sns.send(new DeleteTopicCommand({ TopicArn })));

  const clock = {
    now: () => Date.now(),
    sleep: (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms)),
    alarm: () => () => {},
  };
  let sent = 0;
  const letters: { body: string; attributes: Record<string, { value: string }> }[] = [];
  return {
    rowTable,
    businessTable,
    topicArn: TopicArn,
    fifo,
    lax: new Set(kind === 'ministack' ? MINISTACK_LETS_THROUGH : []),
    visibilitySeconds: VISIBILITY_SECONDS,
    maxReceiveCount: MAX_RECEIVES,
    store: createEventStore({ client: dynamodb, processedEventsTable: rowTable, clock, random: { next: () => 0.5 } }),
    notifier: createNotifier(sns),
    queue: createSourceQueue({ client: sqs, queueUrl, deadLetterQueueUrl }),
    send: async (MessageBody, groupId) => {
      sent += 1;
      await sqs.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody,
          ...(fifo && { MessageGroupId: groupId ?? 'g', MessageDeduplicationId: `${sent}` }),
        }),
      );
    },
    receive: async () => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: 0,
          MessageSystemAttributeNames: ['ApproximateReceiveCount', 'MessageGroupId'],
        }),
      );
      return Messages.map(toRecord);
    },
    deadLetters: async () => {
      for (const { Body = '', MessageAttributes = {} } of await drain(sqs, deadLetterQueueUrl)) {
        const attributes = Object.entries(MessageAttributes).map(([key, value]) => [
          key,
          { value: value.StringValue ?? '' },
        ]);
        letters.push({ body: Body, attributes: Object.fromEntries(attributes) });
      }
      return letters;
    },
    wait: (seconds) => clock.sleep(seconds * 1000),
    close: async () => {
      for (const step of remove.reverse()) await step();
    },
  };
}

function toRecord({ MessageId, Body = '', ReceiptHandle = '', Attributes = {} }: Message) {
  return {
    id: MessageId,
    body: Body,
    attributes: {},
    receiveCount: Number(Attributes.ApproximateReceiveCount ?? 1),
    receiptHandle: ReceiptHandle,
  };
}
