import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { handleRecord } from './pattern.ts';

/** (a) One message after the other. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const batchItemFailures = [];
  for (const record of event.Records) {
    try {
      await handleRecord(record);
    } catch {
      batchItemFailures.push({ itemIdentifier: record.messageId });
    }
  }
  return { batchItemFailures };
}
