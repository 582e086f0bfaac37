import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { handleRecord } from './pattern.ts';

/** (b) All messages of a batch at once. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const results = await Promise.allSettled(event.Records.map(handleRecord));
  const failed = event.Records.filter((_, index) => results[index]?.status === 'rejected');
  return { batchItemFailures: failed.map((record) => ({ itemIdentifier: record.messageId })) };
}
