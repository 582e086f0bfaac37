import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSourceQueue } from '../../src/aws/source-queue.ts';
import type { QuarantinedMessage, SourceQueue } from '../../src/ports.ts';
import { type AwsStub, type Call, type Reply, startAwsStub } from './aws-stub.ts';

const url = 'https://sqs.eu-central-1.amazonaws.com/123456789012/orders';
const { signal } = new AbortController();

let aws: AwsStub;
let queue: SourceQueue;
let fifo: SourceQueue;
beforeAll(async () => {
  aws = await startAwsStub();
  const client = aws.clients.sqs;
  queue = createSourceQueue({ client, queueUrl: url, deadLetterQueueUrl: `${url}-dlq` });
  fifo = createSourceQueue({ client, queueUrl: `${url}.fifo`, deadLetterQueueUrl: `${url}-dlq.fifo` });
});
afterAll(() => aws.close());

interface Entry {
  readonly Id: string;
  readonly MessageBody?: string;
}

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** Accepts every entry but those named. */
const allBut =
  (...ids: readonly string[]) =>
  (call: Call): Reply => {
    const entries: Entry[] = call.body.Entries;
    return {
      body: {
        Successful: entries
          .filter(({ Id }) => !ids.includes(Id))
          .map(({ Id, MessageBody = '' }) => ({ Id, MessageId: `m-${Id}`, MD5OfMessageBody: md5(MessageBody) })),
        Failed: entries
          .filter(({ Id }) => ids.includes(Id))
          .map(({ Id }) => ({ Id, Code: 'ReceiptHandleIsInvalid', SenderFault: true })),
      },
    };
  };

const many = (count: number) => Array.from({ length: count }, (_, index) => `r-${index}`);

const message = (over: Partial<QuarantinedMessage> = {}): QuarantinedMessage => ({
  messageId: 'm-1',
  body: '{}',
  attributes: { error_type: { type: 'String', value: 'not_json' } },
  ...over,
});

describe('deleting finished messages', () => {
  it('O-09: an entry that a 200 answer lists as failed has failed', async () => {
    aws.answer(allBut('1'));
    expect(await queue.delete(['a', 'b', 'c'], signal)).toEqual([false, 'ReceiptHandleIsInvalid', false]);
    expect(aws.calls[0]?.body).toEqual({
      QueueUrl: url,
      Entries: [
        { Id: '0', ReceiptHandle: 'a' },
        { Id: '1', ReceiptHandle: 'b' },
        { Id: '2', ReceiptHandle: 'c' },
      ],
    });
  });

  it('O-09: so has an entry in neither list, and one under an id that nobody asked about', async () => {
    aws.answer({ body: { Successful: [{ Id: '0' }], Failed: [{ Id: '7', Code: 'X', SenderFault: true }] } });
    expect(await queue.delete(['a', 'b'], signal)).toEqual([false, 'NoResultEntry']);
    aws.answer({ body: {} });
    expect(await queue.delete(['a'], signal)).toEqual(['NoResultEntry']);
  });

  it('one that the answer refuses without a code has failed all the same', async () => {
    aws.answer({ body: { Failed: [{ Id: '0', SenderFault: true }] } });
    expect(await queue.delete(['a'], signal)).toEqual(['UnknownError']);
  });

  it('one that both lists name is deleted', async () => {
    aws.answer({ body: { Successful: [{ Id: '0' }], Failed: [{ Id: '0', Code: 'X', SenderFault: true }] } });
    expect(await queue.delete(['a'], signal)).toEqual([false]);
  });

  it('O-09: goes in tens, and a failed ten leaves the others alone', async () => {
    aws.answer((call) => (call.body.Entries[0].ReceiptHandle === 'r-10' ? { error: 'AccessDenied' } : allBut()(call)));
    const failed = await queue.delete(many(25), signal);
    expect(aws.calls.map((call) => call.body.Entries.length)).toEqual([10, 10, 5]);
    expect(failed).toEqual([...Array(10).fill(false), ...Array(10).fill('AccessDenied'), ...Array(5).fill(false)]);
  });

  it('makes no call for nothing', async () => {
    aws.answer({ body: {} });
    expect(await queue.delete([], signal)).toEqual([]);
    expect(aws.calls).toHaveLength(0);
  });
});

describe('asking for messages back later', () => {
  it('O-09: sends each its delay, in tens, and reads what failed', async () => {
    aws.answer(allBut('3'));
    const failed = await queue.changeVisibility(
      many(12).map((receiptHandle, index) => ({ receiptHandle, seconds: index })),
      signal,
    );
    expect(aws.calls.map((call) => call.operation)).toEqual([
      'ChangeMessageVisibilityBatch',
      'ChangeMessageVisibilityBatch',
    ]);
    const sent = aws.calls.flatMap((call) => call.body.Entries);
    expect(sent[11]).toEqual({ Id: '1', ReceiptHandle: 'r-11', VisibilityTimeout: 11 });
    expect(failed.map((one, index) => (one ? index : -1)).filter((index) => index >= 0)).toEqual([3]);
  });
});

describe('a source without queues', () => {
  it('sends nothing anywhere, and says so', async () => {
    const none = createSourceQueue({ client: aws.clients.sqs, queueUrl: undefined, deadLetterQueueUrl: undefined });
    aws.answer(allBut());
    expect(await none.quarantine([message()], signal)).toEqual(['NoQueue']);
    expect(await none.delete(['r'], signal)).toEqual(['NoQueue']);
    expect(await none.changeVisibility([{ receiptHandle: 'r', seconds: 1 }], signal)).toEqual(['NoQueue']);
    expect(aws.calls).toHaveLength(0);
  });
});

describe('quarantine', () => {
  it('keeps body and attributes, binary ones too', async () => {
    aws.answer(allBut());
    const attributes = { a: { type: 'Number', value: '1' }, b: { type: 'Binary.gzip', value: 'AQI=' } };
    expect(await queue.quarantine([message({ attributes, body: 'é', groupId: 'tenant' })], signal)).toEqual([false]);
    expect(aws.calls[0]?.body).toEqual({
      QueueUrl: `${url}-dlq`,
      Entries: [
        {
          Id: '0',
          MessageBody: 'é',
          MessageAttributes: {
            a: { DataType: 'Number', StringValue: '1' },
            b: { DataType: 'Binary.gzip', BinaryValue: 'AQI=' },
          },
          // A standard queue takes a group (fair queues), but no de-duplication id.
          MessageGroupId: 'tenant',
        },
      ],
    });
  });

  it('names a group and a de-duplication id on a FIFO queue, by default from the message id', async () => {
    aws.answer(allBut());
    await fifo.quarantine([message({ groupId: 'g', deduplicationId: 'd' }), message()], signal);
    expect(aws.calls[0]?.body.Entries).toMatchObject([
      { MessageGroupId: 'g', MessageDeduplicationId: 'd' },
      { MessageGroupId: 'm-1', MessageDeduplicationId: 'm-1' },
    ]);
  });

  it('C-66: only what Successful lists is in the dead-letter queue', async () => {
    aws.answer(allBut('0'));
    expect(await queue.quarantine([message(), message()], signal)).toEqual(['ReceiptHandleIsInvalid', false]);
    aws.answer({ error: 'AccessDenied', status: 403 });
    expect(await queue.quarantine([message(), message()], signal)).toEqual(['AccessDenied', 'AccessDenied']);
  });

  it('cuts calls by bytes, counted in UTF-8 with the attributes, and by ten', async () => {
    aws.answer(allBut());
    const big = 'é'.repeat(60_000);
    const attribute = { note: { type: 'String', value: 'x'.repeat(30_000) } };
    await queue.quarantine(
      [
        ...Array(3).fill(message({ body: big })),
        message({ body: big, attributes: attribute }),
        ...Array(11).fill(message()),
      ],
      signal,
    );
    expect(aws.calls.map((call) => call.body.Entries.length).sort()).toEqual([10, 2, 2, 1].sort());
  });

  it('sends a message that is larger than a call alone, and lets the queue judge', async () => {
    aws.answer(allBut());
    await queue.quarantine([message(), message({ body: 'x'.repeat(400_000) }), message()], signal);
    expect(aws.calls.map((call) => call.body.Entries.length)).toEqual([1, 1, 1]);
  });

  it('sends one call after the other on a FIFO queue, so that a group keeps its order', async () => {
    let open = 0;
    let most = 0;
    aws.answer(async (call) => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 20));
      open -= 1;
      return allBut()(call);
    });
    await fifo.quarantine(
      many(25).map((id) => message({ messageId: id, groupId: 'g' })),
      signal,
    );
    const ids = aws.calls.flatMap((call) =>
      call.body.Entries.map((entry: { MessageDeduplicationId: string }) => entry.MessageDeduplicationId),
    );
    expect(ids).toEqual(many(25));
    expect(most).toBe(1);
  });
});
