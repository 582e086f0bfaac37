import {
  CreateTableCommand,
  DeleteTableCommand,
  GetItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { CreateTopicCommand, DeleteTopicCommand, PublishCommand, SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  SendMessageCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { localAwsUp } from '../../scripts/local/local-aws.ts';
import { type Clients, connect } from '../support/clients.ts';
import { drain } from '../support/queues.ts';
import { waitUntil } from '../support/wait.ts';

/**
 * What the emulator does where emulators are known to differ from AWS. No other test relies on any of it. Each test says
 * what AWS documents; it turns red when the emulator changes, in either direction, so that the list stays true.
 */
const MINISTACK_DIFFERS: ReadonlySet<string> = new Set(['L-10', 'L-11']);

describe('the emulator, where it may differ from AWS', () => {
  let clients: Clients;
  let differs: ReadonlySet<string>;
  const remove: (() => Promise<unknown>)[] = [];
  const name = `emulator-${process.pid}`;

  beforeAll(async () => {
    const { endpoint, kind } = await localAwsUp();
    differs = kind === 'ministack' ? MINISTACK_DIFFERS : new Set();
    clients = connect(endpoint);
    remove.push(async () => clients.close());
  });
  afterAll(async () => {
    for (const step of remove.reverse()) await step();
  });

  const queue = async (QueueName: string, Attributes: Record<string, string> = {}): Promise<string> => {
    const { QueueUrl } = await clients.sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
    remove.push(() => clients.sqs.send(new DeleteQueueCommand({ QueueUrl })));
    return QueueUrl as string;
  };
  const arn = (queueName: string): string => `arn:aws:sqs:us-east-1:000000000000:${queueName}`;
  const bodies = async (queueUrl: string): Promise<(string | undefined)[]> =>
    (await drain(clients.sqs, queueUrl)).map(({ Body }) => Body);

  /** Does what AWS documents, unless this emulator is known to differ. */
  const documented = (id: string, title: string, test: () => Promise<boolean>): void => {
    it(`${id}: ${title}`, async () => {
      expect(await test().catch(() => false)).toBe(!differs.has(id));
    });
  };

  documented('L-03', 'drops a second message with a de-duplication id for five minutes, deleted or not', async () => {
    const url = await queue(`${name}-dedup.fifo`, { FifoQueue: 'true' });
    const send = () =>
      clients.sqs.send(
        new SendMessageCommand({ QueueUrl: url, MessageBody: 'd1', MessageGroupId: 'g', MessageDeduplicationId: 'd1' }),
      );
    await send();
    expect(await bodies(url)).toEqual(['d1']);
    await send();
    return (await bodies(url)).length === 0;
  });

  documented('L-07', 'takes emoji and refuses a raw control character', async () => {
    const url = await queue(`${name}-text`);
    const send = (MessageBody: string) => clients.sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody }));
    await send('{"id":"o-1","t":"😀"}');
    const refused = await send('\u0007').then(
      () => false,
      () => true,
    );
    return (await bodies(url)).includes('{"id":"o-1","t":"😀"}') && refused;
  });

  documented('L-08', 'executes a transaction once when its client token comes again', async () => {
    const TableName = `${name}-tokens`;
    await clients.dynamodb.send(
      new CreateTableCommand({
        TableName,
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    remove.push(() => clients.dynamodb.send(new DeleteTableCommand({ TableName })));
    const Key = { pk: { S: 'counter' } };
    const add = () =>
      clients.dynamodb.send(
        new TransactWriteItemsCommand({
          ClientRequestToken: `${name}-token`,
          TransactItems: [
            {
              Update: {
                TableName,
                Key,
                UpdateExpression: 'ADD n :one',
                ExpressionAttributeValues: { ':one': { N: '1' } },
              },
            },
          ],
        }),
      );
    await add();
    await add();
    const { Item } = await clients.dynamodb.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
    return Item?.n?.N === '1';
  });

  documented('L-09', 'delivers raw bodies and attributes, or the documented envelope', async () => {
    const { TopicArn } = await clients.sns.send(new CreateTopicCommand({ Name: `${name}-raw` }));
    remove.push(() => clients.sns.send(new DeleteTopicCommand({ TopicArn })));
    const raw = await queue(`${name}-raw`);
    const wrapped = await queue(`${name}-wrapped`);
    const subscribe = (queueName: string, RawMessageDelivery: string) =>
      clients.sns.send(
        new SubscribeCommand({
          TopicArn,
          Protocol: 'sqs',
          Endpoint: arn(queueName),
          Attributes: { RawMessageDelivery },
        }),
      );
    await subscribe(`${name}-raw`, 'true');
    await subscribe(`${name}-wrapped`, 'false');
    await clients.sns.send(
      new PublishCommand({
        TopicArn,
        Message: 'm',
        MessageAttributes: { a: { DataType: 'String', StringValue: '1' } },
      }),
    );
    const seen: { raw: (string | undefined)[]; wrapped: (string | undefined)[] } = { raw: [], wrapped: [] };
    await waitUntil(
      'both subscriptions',
      async () => {
        seen.raw.push(...(await bodies(raw)));
        seen.wrapped.push(...(await bodies(wrapped)));
        return seen.raw.length > 0 && seen.wrapped.length > 0;
      },
      { timeoutMs: 10_000 },
    );
    const envelope = JSON.parse(seen.wrapped[0] ?? '{}') as {
      Type?: string;
      Message?: string;
      MessageAttributes?: object;
    };
    return (
      seen.raw[0] === 'm' &&
      envelope.Type === 'Notification' &&
      envelope.Message === 'm' &&
      JSON.stringify(envelope.MessageAttributes) === JSON.stringify({ a: { Type: 'String', Value: '1' } })
    );
  });

  documented('L-10', 'moves dead letters back to their source by a move task', async () => {
    const dlqUrl = await queue(`${name}-dlq`);
    const url = await queue(`${name}-source`, {
      VisibilityTimeout: '0',
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arn(`${name}-dlq`), maxReceiveCount: 1 }),
    });
    await clients.sqs.send(new SendMessageCommand({ QueueUrl: dlqUrl, MessageBody: 'dead' }));
    await clients.sqs.send(
      new StartMessageMoveTaskCommand({ SourceArn: arn(`${name}-dlq`), DestinationArn: arn(`${name}-source`) }),
    );
    const moved: (string | undefined)[] = [];
    await waitUntil(
      'the move',
      async () => {
        moved.push(...(await bodies(url)));
        return moved.includes('dead');
      },
      { timeoutMs: 8_000 },
    );
    return true;
  });

  documented('L-11', 'refuses to create a queue again within 60 seconds of its deletion', async () => {
    const QueueUrl = await queue(`${name}-again`);
    await clients.sqs.send(new DeleteQueueCommand({ QueueUrl }));
    return clients.sqs.send(new CreateQueueCommand({ QueueName: `${name}-again` })).then(
      () => false,
      () => true,
    );
  });
});
