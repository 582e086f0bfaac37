import { isUtf8 } from 'node:buffer';
import type {
  DynamoDBRecord,
  DynamoDBStreamEvent,
  KinesisStreamEvent,
  KinesisStreamRecord,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';
import type { MessageAttribute, SourceRecord } from '../core/types.ts';

export type SourceEvent = SQSEvent | KinesisStreamEvent | DynamoDBStreamEvent;

/**
 * Translates an invocation's event into records, by the source that each record names. An event without records (a
 * test of the console) is an empty batch.
 */
export function readRecords(event: SourceEvent): SourceRecord[] {
  const records: readonly (SQSRecord | KinesisStreamRecord | DynamoDBRecord)[] = event?.Records ?? [];
  return records.map(readRecord);
}

function readRecord(record: SQSRecord | KinesisStreamRecord | DynamoDBRecord): SourceRecord {
  if ('kinesis' in record) return fromKinesis(record);
  if ('dynamodb' in record) return fromDynamodb(record);
  return fromSqs(record as SQSRecord);
}

/** Lambda writes the names in lower camel case, unlike the SQS API. A count that cannot be read is a first receive. */
function fromSqs(record: SQSRecord): SourceRecord {
  const { attributes = {} as Partial<SQSRecord['attributes']> } = record;
  const sentAtMs = Number(attributes.SentTimestamp);
  return {
    id: record.messageId,
    body: record.body,
    attributes: messageAttributes(record.messageAttributes),
    receiveCount: Math.max(1, Math.trunc(Number(attributes.ApproximateReceiveCount)) || 1),
    receiptHandle: record.receiptHandle,
    ...(attributes.MessageGroupId !== undefined && { groupId: attributes.MessageGroupId }),
    ...(attributes.MessageDeduplicationId !== undefined && { deduplicationId: attributes.MessageDeduplicationId }),
    ...(sentAtMs > 0 && { sentAtMs }),
    ...(attributes.AWSTraceHeader !== undefined && { traceHeader: attributes.AWSTraceHeader }),
  };
}

const NO_ATTRIBUTES: Readonly<Record<string, MessageAttribute>> = {};

function messageAttributes(attributes: SQSRecord['messageAttributes'] | undefined): SourceRecord['attributes'] {
  const entries = Object.entries(attributes ?? {});
  if (entries.length === 0) return NO_ATTRIBUTES;
  // `fromEntries`, since an assignment to the legal name `__proto__` would lose the attribute.
  return Object.fromEntries(
    entries.map(([name, { dataType, stringValue, binaryValue }]) => [
      name,
      { type: dataType, value: stringValue ?? binaryValue ?? '' },
    ]),
  );
}

/**
 * Data that is not UTF-8 keeps its base64 text as body: it can be looked at in the dead-letter queue, and is no JSON
 * object. Decoded with replacement characters it could pass for one, changed.
 */
function fromKinesis(record: KinesisStreamRecord): SourceRecord {
  const { data, sequenceNumber, approximateArrivalTimestamp } = record.kinesis;
  const bytes = Buffer.from(data, 'base64');
  return {
    id: sequenceNumber,
    body: isUtf8(bytes) ? bytes.toString('utf8') : data,
    attributes: NO_ATTRIBUTES,
    receiveCount: 1,
    ...(approximateArrivalTimestamp > 0 && { sentAtMs: Math.round(approximateArrivalTimestamp * 1000) }),
  };
}

/** The event is the change itself: the whole record, its images in attribute-value form. */
function fromDynamodb(record: DynamoDBRecord): SourceRecord {
  const seconds = record.dynamodb?.ApproximateCreationDateTime;
  return {
    id: record.dynamodb?.SequenceNumber,
    body: JSON.stringify(record),
    attributes: NO_ATTRIBUTES,
    receiveCount: 1,
    ...(seconds !== undefined && { sentAtMs: Math.round(seconds * 1000) }),
  };
}
