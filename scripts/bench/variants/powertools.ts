import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { names, type OrderEvent } from './order.ts';

/**
 * (c) Powertools as its documentation joins batch and idempotency, except for the key: the documentation takes the
 * message id, which a second send of the same event changes.
 *
 * @see https://docs.aws.amazon.com/powertools/typescript/latest/features/idempotency/#integration-with-batch-processor
 */
const client = new DynamoDBClient();
const dynamodb = DynamoDBDocumentClient.from(client);
const sns = new SNSClient();
const processor = new BatchProcessor(EventType.SQS);
const config = new IdempotencyConfig({ eventKeyJmesPath: 'powertools_json(body).event_id' });
const persistenceStore = new DynamoDBPersistenceLayer({ tableName: names.idempotency, awsSdkV3Client: client });

const processIdempotently = makeIdempotent(
  async (record: SQSRecord) => {
    const event: OrderEvent = JSON.parse(record.body);
    await dynamodb.send(new PutCommand({ TableName: names.orders, Item: event }));
    const Message = JSON.stringify({ event_id: event.event_id });
    await sns.send(new PublishCommand({ TopicArn: names.topic, Message }));
  },
  { persistenceStore, config },
);

export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  config.registerLambdaContext(context);
  return processPartialResponse(event, processIdempotently, processor, { context });
}
