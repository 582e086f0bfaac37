import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig, withoutLogger } from './client-config.ts';

/** By default this client alone takes the host out of the queue's URL, past the endpoint that the others use. */
export function createSqsClient(): SQSClient {
  return withoutLogger(new SQSClient({ ...clientConfig(), useQueueUrlAsEndpoint: false }));
}
