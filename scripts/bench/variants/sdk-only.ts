import { BatchExecuteStatementCommand, DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { PublishBatchCommand, SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { names, type OrderEvent } from './order.ts';

/**
 * The least that a function with these three clients costs to start: the pipeline's calls for one message, no library,
 * no configuration, no check. For the cold start only.
 */
const dynamodb = new DynamoDBClient();
const sns = new SNSClient();
export const sqs = new SQSClient();

export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  for (const record of event.Records) {
    const { event_id, order_id }: OrderEvent = JSON.parse(record.body);
    await dynamodb.send(
      new TransactWriteItemsCommand({
        TransactItems: [
          {
            Put: {
              TableName: names.processed,
              Item: { event_id: { S: event_id }, status: { S: 'pending' } },
              ConditionExpression: 'attribute_not_exists(event_id)',
            },
          },
          { Put: { TableName: names.orders, Item: { order_id: { S: order_id } } } },
        ],
      }),
    );
    await sns.send(
      new PublishBatchCommand({ TopicArn: names.topic, PublishBatchRequestEntries: [{ Id: '0', Message: event_id }] }),
    );
    await dynamodb.send(
      new BatchExecuteStatementCommand({
        Statements: [
          {
            Statement: `UPDATE "${names.processed}" SET "status" = 'sent' WHERE event_id = ? AND "status" = 'pending'`,
            Parameters: [{ S: event_id }],
          },
        ],
      }),
    );
  }
  return { batchItemFailures: [] };
}
