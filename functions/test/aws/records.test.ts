import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { DynamoDBStreamEvent, KinesisStreamEvent, SQSEvent, SQSRecord } from 'aws-lambda';
import { readRecords } from '../../src/aws/records.ts';

/** The record of the Lambda developer guide, typed by the SDK-independent types that AWS's users share. */
const sqsRecord: SQSRecord = {
  messageId: '059f36b4-87a3-44ab-83d2-661975830a7d',
  receiptHandle: 'AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a...',
  body: '{"event_id":"o-1"}',
  attributes: {
    ApproximateReceiveCount: '3',
    SentTimestamp: '1545082649183',
    SenderId: 'AIDAIENQZJOLO23YVJ4VO',
    ApproximateFirstReceiveTimestamp: '1545082649185',
    SequenceNumber: '18849496460467696128',
    MessageGroupId: '1',
    MessageDeduplicationId: 'once',
    AWSTraceHeader: 'Root=1-5759e988-bd862e3fe1be46a994272793',
  },
  messageAttributes: {
    kind: { stringValue: 'order', stringListValues: [], binaryListValues: [], dataType: 'String' },
    raw: { binaryValue: 'AQI=', stringListValues: [], binaryListValues: [], dataType: 'Binary' },
  },
  md5OfBody: 'e4e68fb7bd0e697a0ae8f1bb342846b3',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-2:123456789012:my-queue',
  awsRegion: 'us-east-2',
};
const sqs = (over: Partial<SQSRecord> = {}): SQSEvent => ({ Records: [{ ...sqsRecord, ...over }] });

describe('SQS', () => {
  it('C-45: is read by the lower-case names of Lambda’s event', () => {
    expect(readRecords(sqs())).toEqual([
      {
        id: '059f36b4-87a3-44ab-83d2-661975830a7d',
        body: '{"event_id":"o-1"}',
        attributes: { kind: { type: 'String', value: 'order' }, raw: { type: 'Binary', value: 'AQI=' } },
        receiveCount: 3,
        receiptHandle: 'AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a...',
        groupId: '1',
        deduplicationId: 'once',
        sentAtMs: 1_545_082_649_183,
        traceHeader: 'Root=1-5759e988-bd862e3fe1be46a994272793',
      },
    ]);
  });

  it('C-45: no source names the members as the SQS API does', () => {
    for (const file of ['records.ts', 'source-queue.ts']) {
      const text = readFileSync(new URL(`../../src/aws/${file}`, import.meta.url), 'utf8');
      expect(text).not.toMatch(/record\.(Body|MessageId|ReceiptHandle|MessageAttributes|Attributes)\b/);
    }
  });

  it('takes a missing or unreadable receive count for a first receive', () => {
    for (const count of [undefined, '', 'x', '0', '-1', 'NaN']) {
      const attributes = { ...sqsRecord.attributes, ApproximateReceiveCount: count as string };
      expect(readRecords(sqs({ attributes }))[0]?.receiveCount).toBe(1);
    }
  });

  it('survives a record without attributes, as a hand-made test event has them', () => {
    const { attributes: _, messageAttributes: __, ...bare } = sqsRecord;
    const [record] = readRecords({ Records: [bare as SQSRecord] });
    expect(record).toEqual({
      id: bare.messageId,
      body: bare.body,
      receiptHandle: bare.receiptHandle,
      attributes: {},
      receiveCount: 1,
    });
  });

  it('keeps an attribute of the legal name __proto__', () => {
    const messageAttributes = JSON.parse('{"__proto__":{"stringValue":"x","dataType":"String"}}');
    expect(Object.keys(readRecords(sqs({ messageAttributes }))[0]?.attributes ?? {})).toEqual(['__proto__']);
  });

  it('an event without records is an empty batch', () => {
    for (const event of [{}, undefined, null]) expect(readRecords(event as unknown as SQSEvent)).toEqual([]);
  });
});

describe('Kinesis', () => {
  const kinesis = (data: string): KinesisStreamEvent => ({
    Records: [
      {
        kinesis: {
          kinesisSchemaVersion: '1.0',
          partitionKey: '1',
          sequenceNumber: '49590338271490256608559692538361571095921575989136588898',
          data,
          approximateArrivalTimestamp: 1545084650.987,
        },
        eventSource: 'aws:kinesis',
        eventVersion: '1.0',
        eventID: 'shardId-000000000006:49590338271490256608559692538361571095921575989136588898',
        eventName: 'aws:kinesis:record',
        invokeIdentityArn: 'arn:aws:iam::123456789012:role/lambda-role',
        awsRegion: 'us-east-2',
        eventSourceARN: 'arn:aws:kinesis:us-east-2:123456789012:stream/lambda-stream',
      },
    ],
  });

  it('is identified by its sequence number and decoded from base64', () => {
    expect(readRecords(kinesis(Buffer.from('{"event_id":"ö"}').toString('base64')))).toEqual([
      {
        id: '49590338271490256608559692538361571095921575989136588898',
        body: '{"event_id":"ö"}',
        attributes: {},
        receiveCount: 1,
        sentAtMs: 1_545_084_650_987,
      },
    ]);
  });

  it('keeps bytes that are no UTF-8 as base64, never as replacement characters', () => {
    const data = Buffer.from('{"event_id":"\xff"}', 'latin1').toString('base64');
    expect(readRecords(kinesis(data))[0]?.body).toBe(data);
  });
});

describe('DynamoDB streams', () => {
  it('is identified by its sequence number, and the whole change is the event', () => {
    const event: DynamoDBStreamEvent = {
      Records: [
        {
          eventID: '1',
          eventVersion: '1.0',
          dynamodb: {
            ApproximateCreationDateTime: 1_479_499_740,
            Keys: { Id: { N: '101' } },
            NewImage: { Message: { S: 'New item!' }, Id: { N: '12345678901234567890123456789012345678' } },
            StreamViewType: 'NEW_AND_OLD_IMAGES',
            SequenceNumber: '111',
            SizeBytes: 26,
          },
          awsRegion: 'us-west-2',
          eventName: 'INSERT',
          eventSourceARN: 'arn:aws:dynamodb:us-west-2:123456789012:table/t/stream/2015-06-27T00:48:05.899',
          eventSource: 'aws:dynamodb',
        },
      ],
    };
    expect(readRecords(event)).toEqual([
      {
        id: '111',
        body: JSON.stringify(event.Records[0]),
        attributes: {},
        receiveCount: 1,
        sentAtMs: 1_479_499_740_000,
      },
    ]);
  });
});
