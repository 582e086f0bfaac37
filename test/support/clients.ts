import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { Place } from '../../scripts/aws/place.ts';

export interface Clients {
  readonly dynamodb: DynamoDBClient;
  readonly lambda: LambdaClient;
  readonly logs: CloudWatchLogsClient;
  readonly sns: SNSClient;
  readonly sqs: SQSClient;
  close(): void;
}

/** Clients that see the endpoint, or the account, as it is, past every fault that a proxy injects between it and the function. */
export function connect(place: Place): Clients {
  const configuration = {
    ...(typeof place === 'string'
      ? { endpoint: place, region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } }
      : { region: place.region, credentials: place.credentials }),
    requestHandler: new NodeHttpHandler({ connectionTimeout: 5_000, requestTimeout: 120_000 }),
  };
  const clients = {
    dynamodb: new DynamoDBClient(configuration),
    lambda: new LambdaClient({ ...configuration, maxAttempts: 1 }),
    logs: new CloudWatchLogsClient(configuration),
    sns: new SNSClient(configuration),
    // Queue URLs may carry a host name that only the emulator's own network knows.
    sqs: new SQSClient({ ...configuration, useQueueUrlAsEndpoint: false }),
  };
  return {
    ...clients,
    close: () => {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}
