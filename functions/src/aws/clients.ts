import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { NodeHttpHandler } from '@smithy/node-http-handler';

/**
 * The SDK waits for ever unless it is told not to, and a `requestTimeout` alone only prints a warning: without
 * `throwOnRequestTimeout` one silent connection would hold a whole batch until Lambda stops the function.
 */
export const CONNECTION_TIMEOUT_MS = 1_000;
export const REQUEST_TIMEOUT_MS = 3_000;
export const MAX_ATTEMPTS = 3;

export interface Clients {
  readonly dynamodb: DynamoDBClient;
  readonly sns: SNSClient;
  readonly sqs: SQSClient;
}

/** Region, credentials and endpoint are the SDK's own business: Lambda's environment holds them. */
export function createClients(): Clients {
  // One handler, one pool of kept-alive connections; sockets are still kept apart by host.
  const requestHandler = new NodeHttpHandler({
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
  });
  const config = { requestHandler, maxAttempts: MAX_ATTEMPTS };
  return {
    dynamodb: new DynamoDBClient(config),
    sns: new SNSClient(config),
    // By default this client alone takes the host out of the queue's URL, past the endpoint that the others use.
    sqs: new SQSClient({ ...config, useQueueUrlAsEndpoint: false }),
  };
}
