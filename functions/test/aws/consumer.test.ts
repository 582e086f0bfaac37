import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { defineHandler } from '../../src/core/handler.ts';
import { put } from '../../src/core/handler-write.ts';
import { type AwsStub, type Call, type Reply, startAwsStub } from './aws-stub.ts';

const environment = {
  PIPELINE_CONFIG: JSON.stringify({ name: 'orders', source: 'sqs', event_id: 'id', business_key: 'id' }),
  PROCESSED_EVENTS_TABLE: 'processed',
  BUSINESS_TABLE: 'orders',
  TOPIC_ARN: 'arn:aws:sns:eu-central-1:123456789012:orders',
  QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/orders',
  DLQ_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/orders-dlq',
};

let aws: AwsStub;
let lines: string[];
beforeAll(async () => {
  aws = await startAwsStub();
});
afterAll(() => aws.close());
beforeEach(() => {
  lines = [];
  const record = (chunk: unknown) => lines.push(String(chunk)) > 0;
  jest.spyOn(process.stdout, 'write').mockImplementation(record as never);
  jest.spyOn(process.stderr, 'write').mockImplementation(record as never);
  jest.spyOn(console, 'error').mockImplementation((line) => void lines.push(String(line)));
});
afterEach(() => {
  jest.restoreAllMocks();
});

type Handler = (event: unknown, context: Context) => Promise<unknown>;

async function start(
  entry: 'consumer' | 'handler-consumer' | 'relay',
  changes: Record<string, string> = {},
): Promise<Handler> {
  Object.assign(process.env, environment, changes);
  jest.resetModules();
  return (await import(`../../src/${entry}.ts`)).handler;
}

const context = { awsRequestId: 'request', getRemainingTimeInMillis: () => 30_000 } as Context;

function batch(...ids: readonly string[]): SQSEvent {
  return {
    Records: ids.map((id) => ({
      messageId: `m-${id}`,
      receiptHandle: `r-${id}`,
      body: JSON.stringify({ id, amount: 1 }),
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: '1700000000000',
        SenderId: 's',
        ApproximateFirstReceiveTimestamp: '1700000000000',
      },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:eu-central-1:123456789012:orders',
      awsRegion: 'eu-central-1',
    })),
  };
}

/** All goes well, except that commits holding one of these ids are throttled. */
const works =
  (...throttled: readonly string[]) =>
  (call: Call): Reply => {
    switch (call.operation) {
      case 'TransactWriteItems':
        if (throttled.some((id) => call.text.includes(`"${id}"`))) {
          const CancellationReasons = call.body.TransactItems.map(
            (action: { Put: { Item: Record<string, { S: string }> } }) => ({
              Code: throttled.some((id) => action.Put.Item.event_id?.S === id) ? 'ThrottlingError' : 'None',
            }),
          );
          return { error: 'TransactionCanceledException', fields: { CancellationReasons } };
        }
        return { body: {} };
      case 'BatchGetItem':
        return { body: { Responses: {} } };
      case 'BatchExecuteStatement':
        return { body: { Responses: call.body.Statements.map(() => ({})) } };
      case 'PublishBatch': {
        const ids = Object.keys(call.body).flatMap((name) =>
          /^PublishBatchRequestEntries\.member\.\d+\.Id$/.test(name) ? call.body[name] : [],
        );
        const members = ids.map((id) => `<member><Id>${id}</Id><MessageId>s</MessageId></member>`).join('');
        return {
          xml: `<PublishBatchResponse><PublishBatchResult><Successful>${members}</Successful></PublishBatchResult></PublishBatchResponse>`,
        };
      }
      default:
        return {
          body: {
            Successful: call.body.Entries.map(({ Id, MessageBody = '' }: { Id: string; MessageBody?: string }) => ({
              Id,
              MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
            })),
            Failed: [],
          },
        };
    }
  };

describe('the answer', () => {
  it('C-01: names a failed message by exactly batchItemFailures and itemIdentifier, and no other', async () => {
    const handler = await start('consumer');
    aws.answer(works('bad'));
    const answer = await handler(batch('good', 'bad'), context);
    expect(JSON.stringify(answer)).toBe('{"batchItemFailures":[{"itemIdentifier":"m-bad"}]}');
  });

  it('C-04: is an object with a list for one good record, for none and for no event at all', async () => {
    const handler = await start('consumer');
    aws.answer(works());
    for (const event of [batch('a'), { Records: [] }, {}, undefined]) {
      expect(JSON.stringify(await handler(event, context))).toBe('{"batchItemFailures":[]}');
    }
    expect(aws.calls.map((call) => call.operation)).toEqual([
      'TransactWriteItems',
      'PublishBatch',
      'BatchExecuteStatement',
    ]);
  });

  it('C-04: comes after every write and publish has settled', async () => {
    const handler = await start('consumer');
    let open = 0;
    aws.answer(async (call) => {
      open += 1;
      await new Promise((resolve) => setTimeout(resolve, 50));
      open -= 1;
      return works('bad')(call);
    });
    await handler(batch('a', 'bad', 'b'), context);
    expect(open).toBe(0);
    expect(aws.calls.map((call) => call.operation)).toContain('BatchExecuteStatement');
  });
});

describe('the source queue', () => {
  it('is called when a message failed: it comes back after its own delay', async () => {
    const handler = await start('consumer');
    aws.answer(works('bad'));
    await handler(batch('good', 'bad'), context);
    const change = aws.calls.find((call) => call.operation === 'ChangeMessageVisibilityBatch');
    expect(change?.body).toMatchObject({
      QueueUrl: environment.QUEUE_URL,
      Entries: [{ Id: '0', ReceiptHandle: 'r-bad' }],
    });
  });

  it('takes a quarantined message, which is acknowledged then', async () => {
    const handler = await start('consumer');
    aws.answer(works());
    const event = batch('good', 'x');
    const [good, bad] = event.Records as [SQSRecord, SQSRecord];
    const answer = await handler({ Records: [good, { ...bad, body: 'not json' }] }, context);
    expect(answer).toEqual({ batchItemFailures: [] });
    const sent = aws.calls.find((call) => call.operation === 'SendMessageBatch');
    expect(sent?.body).toMatchObject({ QueueUrl: environment.DLQ_URL, Entries: [{ MessageBody: 'not json' }] });
  });
});

describe('an invocation', () => {
  it('writes its metrics once, at its end, and no body', async () => {
    const handler = await start('consumer');
    aws.answer(works());
    await handler(batch('a', 'b'), context);
    const blobs = lines.filter((line) => line.includes('CloudWatchMetrics')).map((line) => JSON.parse(line));
    expect(blobs).toHaveLength(1);
    expect(blobs[0]).toMatchObject({ pipeline: 'orders', Received: 2, Committed: 2 });
    expect(lines.join('')).not.toContain('amount');
  });

  it('of the relay looks at no event', async () => {
    const handler = await start('relay', {
      PIPELINE_CONFIG: JSON.stringify({
        name: 'orders',
        source: 'sqs',
        relay: { interval_minutes: 5, sweep_hours: 24 },
      }),
    });
    aws.answer({ body: { Items: [] } });
    expect(await handler(undefined, context)).toMatchObject({ inTrouble: 0, relayed: 0, failed: 0 });
    expect(new Set(aws.calls.map((call) => call.operation))).toEqual(new Set(['Query', 'Scan']));
    expect(lines.join('')).toContain('RowsInTrouble');
  });
});

describe('a handler of one’s own', () => {
  it('C-06: nothing of an invocation is left in the one instance that a warm container has', async () => {
    let fails = true;
    const own = defineHandler({
      plan: ({ id }) => {
        if (fails) throw new Error('not now');
        return { writes: [put({ table: 'orders', key: { pk: id }, item: {} })], notifications: [{ message: id }] };
      },
    });
    jest.unstable_mockModule('#handler', () => ({ default: own }));
    const handler = await start('handler-consumer', {
      PIPELINE_CONFIG: JSON.stringify({ name: 'orders', source: 'sqs_fifo', event_id: 'id' }),
    });
    aws.answer(works());
    const inGroups = (ids: readonly string[], receives = '1') => ({
      Records: batch(...ids).Records.map((record) => ({
        ...record,
        attributes: {
          ...record.attributes,
          ApproximateReceiveCount: receives,
          MessageGroupId: record.messageId.slice(2, 3),
        },
      })),
    });
    // Twice through all of it: the second time the same instance has seen a failure, a success and two groups.
    for (const round of ['', '-again']) {
      fails = true;
      expect(await handler(inGroups([`A1${round}`]), context)).toEqual({
        batchItemFailures: [{ itemIdentifier: `m-A1${round}` }],
      });
      expect(aws.calls.map(({ operation }) => operation)).not.toContain('TransactWriteItems');
      fails = false;
      expect(await handler(inGroups([`A1${round}`], '2'), context)).toEqual({ batchItemFailures: [] });
      expect(await handler(inGroups([`A2${round}`, `B1${round}`]), context)).toEqual({ batchItemFailures: [] });
      const written = aws.calls.filter(({ operation }) => operation === 'TransactWriteItems');
      for (const id of ['A1', 'A2', 'B1'])
        expect(written.filter(({ text }) => text.includes(`"pk":{"S":"${id}${round}"}`))).toHaveLength(1);
      aws.calls.length = 0;
    }
  });
});

describe('text of any script', () => {
  const text = '日本 é e\u0301 👩‍👩‍👧 😀 שלום \u2028\u2029\ufeff\u0000\u0001\u007f \\ " \\u65e5 \r\n\t/';
  /** As a producer in another language may write it: nothing but ASCII, every other unit escaped. */
  const escaped = JSON.stringify(text).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const kinesis = (body: string) => ({
    Records: [
      {
        eventSource: 'aws:kinesis',
        kinesis: { sequenceNumber: 's1', partitionKey: 'p', data: Buffer.from(body).toString('base64') },
      },
    ],
  });
  const sqs = (body: string) => ({ Records: batch('o-1').Records.map((record) => ({ ...record, body })) });

  it.each([
    ['kinesis', 'as it is', JSON.stringify(text), kinesis],
    ['kinesis', 'escaped', escaped, kinesis],
    ['sqs', 'as it is', JSON.stringify(text), sqs],
    ['sqs', 'escaped', escaped, sqs],
  ])(
    'C-44: of %s, written %s, is the same to the byte in the item and in the notification',
    async (source, _how, name, event) => {
      const handler = await start('consumer', {
        PIPELINE_CONFIG: JSON.stringify({
          name: 'orders',
          source,
          event_id: 'id',
          business_key: 'id',
          notification: '@',
        }),
      });
      aws.answer(works());
      expect(await handler(event(`{"id":"o-1","name":${name}}`), context)).toEqual({ batchItemFailures: [] });
      const [commit, publish] = aws.calls;
      const [row, item] = (commit as Call).body.TransactItems.map(({ Put }: { Put: { Item: object } }) => Put.Item);
      const published = publish?.body['PublishBatchRequestEntries.member.1.Message'];
      const bytes = (value: string) => Buffer.from(value, 'utf8').toString('hex');
      expect(bytes(item.name.S)).toBe(bytes(text));
      expect(bytes(JSON.parse(published).name)).toBe(bytes(text));
      // What a redelivery or the relay would publish is what was published.
      expect(bytes(row.notifications.L[0].M.message.S)).toBe(bytes(published));
    },
  );
});

describe('a secret', () => {
  const SECRET = 'CANARY-4242-4242';
  /** One for all of them: what takes time is its start. */
  let handler: Handler | undefined;
  const all = [
    'TransactWriteItems',
    'BatchGetItem',
    'PublishBatch',
    'BatchExecuteStatement',
    'ChangeMessageVisibilityBatch',
    'DeleteMessageBatch',
    'SendMessageBatch',
  ];

  it.each([
    ...all.flatMap((operation) => ['ValidationException', 'AccessDeniedException'].map((name) => [operation, name])),
    ['TransactWriteItems', 'TransactionCanceledException'],
  ] as [string, string][])(
    'that AWS repeats in the error of %s (%s) is in no line of the log',
    async (operation, name) => {
      handler ??= await start('consumer');
      const reasons = [1, 2].map(() => ({
        Code: 'ValidationError',
        Message: `${SECRET} is no key`,
        Item: { a: { S: SECRET } },
      }));
      const refusal =
        operation === 'PublishBatch'
          ? {
              xml: `<ErrorResponse><Error><Type>Sender</Type><Code>${name}</Code><Message>${SECRET}</Message></Error></ErrorResponse>`,
              status: 400,
            }
          : { error: name, fields: { message: `${SECRET} is not valid`, CancellationReasons: reasons } };
      let refused = 0;
      aws.answer((call) => {
        if (call.operation === operation) {
          refused += 1;
          return refusal;
        }
        // So that the message is returned, quarantined, or deleted before its neighbour is tried.
        return works(...(operation === 'ChangeMessageVisibilityBatch' ? ['o-1'] : []))(call);
      });
      const [o1, o2, o3] = batch('o-1', 'o-2', 'o-3').Records as [SQSRecord, SQSRecord, SQSRecord];
      const receives = (record: SQSRecord, count: number) => ({
        ...record,
        attributes: { ...record.attributes, ApproximateReceiveCount: String(count) },
      });
      const body = (id: string) => JSON.stringify({ id, secret: SECRET });
      const answer = await handler(
        {
          Records: [
            { ...o1, body: body('o-1') },
            { ...receives(o2, 3), body: body('o-2') },
            { ...o3, body: `{"secret":"${SECRET}"` },
          ],
        },
        context,
      );
      expect(answer).toHaveProperty('batchItemFailures');
      expect(refused).toBeGreaterThan(0);
      // A cancelled transaction is named by what its reasons mean.
      expect(lines.join('')).toContain(name === 'TransactionCanceledException' ? 'request_refused' : name);
      expect(lines.join('')).not.toContain(SECRET);
    },
  );
});

describe('a bad configuration', () => {
  it.each([
    ['consumer', { PIPELINE_CONFIG: '{' }],
    ['consumer', { PIPELINE_CONFIG: JSON.stringify({ name: 'orders', source: 'sqs', event_id: 'id' }) }],
    [
      'consumer',
      { PIPELINE_CONFIG: JSON.stringify({ name: 'orders', source: 'sqs', event_id: 'a[', business_key: 'id' }) },
    ],
    ['consumer', { TOPIC_ARN: '' }],
    ['relay', { PROCESSED_EVENTS_TABLE: '' }],
  ] as const)('stops the %s at its start with one clear line (%j)', async (entry, changes) => {
    await expect(start(entry, changes)).rejects.toMatchObject({ name: 'ConfigurationError' });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'ERROR',
      message: expect.stringMatching(/^[^\n]{15,}$/),
      error_name: 'ConfigurationError',
    });
  });
});
