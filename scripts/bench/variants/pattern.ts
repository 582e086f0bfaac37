import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { DynamoDBDocumentClient, GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { SQSRecord } from 'aws-lambda';
import { names, type OrderEvent } from './order.ts';

const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient());
const sns = new SNSClient();

/** The pattern as first published, for one message: commit, publish, mark; three calls. */
export async function handleRecord(record: SQSRecord): Promise<void> {
  const event: OrderEvent = JSON.parse(record.body);
  const { event_id } = event;
  if (!(await commit(event)) && (await isSent(event_id))) return;
  await sns.send(new PublishCommand({ TopicArn: names.topic, Message: JSON.stringify({ event_id }) }));
  await dynamodb.send(
    new UpdateCommand({
      TableName: names.processed,
      Key: { event_id },
      UpdateExpression: 'SET #s = :sent',
      ExpressionAttributeNames: { '#s': 'status' },
      ExpressionAttributeValues: { ':sent': 'sent' },
    }),
  );
}

async function commit(event: OrderEvent): Promise<boolean> {
  try {
    await dynamodb.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            Put: {
              TableName: names.processed,
              Item: { event_id: event.event_id, status: 'pending' },
              ConditionExpression: 'attribute_not_exists(event_id)',
            },
          },
          { Put: { TableName: names.orders, Item: event } },
        ],
      }),
    );
    return true;
  } catch (error) {
    if ((error as Error).name !== 'TransactionCanceledException') throw error;
    return false;
  }
}

async function isSent(event_id: string): Promise<boolean> {
  const { Item } = await dynamodb.send(new GetCommand({ TableName: names.processed, Key: { event_id } }));
  return Item?.status === 'sent';
}
