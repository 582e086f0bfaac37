import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SNSClient } from '@aws-sdk/client-sns';
import { clientConfig, withoutLogger } from './client-config.ts';

/** The clients that every invocation needs. That of the queue is loaded by `lazy-source-queue.ts`. */
export interface Clients {
  readonly dynamodb: DynamoDBClient;
  readonly sns: SNSClient;
}

/** Region, credentials and endpoint are the SDK's own business: Lambda's environment holds them. */
export function createClients(): Clients {
  return {
    dynamodb: withoutLogger(new DynamoDBClient(clientConfig())),
    sns: withoutLogger(new SNSClient(clientConfig())),
  };
}
