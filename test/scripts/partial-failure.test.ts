import { describe, expect, it } from '@jest/globals';
import { cancelled } from '../support/cancellation.ts';
import type { Call } from '../support/fault-proxy.ts';
import { failSome } from '../support/partial-failure.ts';

const call = (operation: string, body: object | string): Call => ({
  operation,
  protocol: typeof body === 'string' ? 'query' : 'json',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  at: 0,
});

/** Fails the entries at these places. */
const at = (...places: number[]) => {
  let place = 0;
  return () => places.includes(place++);
};

describe('a partial failure of a batch call', () => {
  it('SNS: the rest is numbered without gaps, and the answer lists what failed', () => {
    const form = new URLSearchParams({ Action: 'PublishBatch', TopicArn: 'arn' });
    for (const n of [1, 2, 3]) {
      form.set(`PublishBatchRequestEntries.member.${n}.Id`, `id-${n}`);
      form.set(`PublishBatchRequestEntries.member.${n}.Message`, `text ${n}`);
    }
    const change = failSome(call('PublishBatch', form.toString()), at(1));
    const sent = new URLSearchParams(change?.body);
    expect(sent.get('PublishBatchRequestEntries.member.2.Id')).toBe('id-3');
    expect(sent.get('PublishBatchRequestEntries.member.2.Message')).toBe('text 3');
    expect(sent.has('PublishBatchRequestEntries.member.3.Id')).toBe(false);
    const answer = change?.answer('<R><PublishBatchResult><Successful/><Failed/></PublishBatchResult></R>');
    expect(answer).toContain('<Failed><member><Id>id-2</Id><Code>InternalError</Code>');
    expect(answer?.match(/<Failed/g)).toHaveLength(1);
  });

  it('SQS: entries are taken out and listed as failed', () => {
    const change = failSome(call('SendMessageBatch', { QueueUrl: 'q', Entries: [{ Id: 'a' }, { Id: 'b' }] }), at(0));
    expect(JSON.parse(change?.body ?? '')).toEqual({ QueueUrl: 'q', Entries: [{ Id: 'b' }] });
    const answer = JSON.parse(change?.answer('{"Successful":[{"Id":"b"}]}') ?? '');
    expect(answer).toMatchObject({ Successful: [{ Id: 'b' }], Failed: [{ Id: 'a', Code: 'InternalError' }] });
  });

  it('statements: the error stands in the place of its statement', () => {
    const change = failSome(
      call('BatchExecuteStatement', { Statements: [{ Statement: 'a' }, { Statement: 'b' }, { Statement: 'c' }] }),
      at(1),
    );
    const answer = JSON.parse(change?.answer('{"Responses":[{"TableName":"1"},{"TableName":"3"}]}') ?? '');
    expect(answer.Responses).toEqual([
      { TableName: '1' },
      { Error: { Code: 'ThrottlingError', Message: 'injected' } },
      { TableName: '3' },
    ]);
  });

  it('reads: the keys come back unprocessed', () => {
    const RequestItems = { t: { Keys: [{ k: 1 }, { k: 2 }], ConsistentRead: true } };
    const change = failSome(call('BatchGetItem', { RequestItems }), at(0));
    expect(JSON.parse(change?.body ?? '')).toEqual({ RequestItems: { t: { Keys: [{ k: 2 }], ConsistentRead: true } } });
    expect(JSON.parse(change?.answer('{"Responses":{}}') ?? '')).toMatchObject({
      UnprocessedKeys: { t: { Keys: [{ k: 1 }], ConsistentRead: true } },
    });
  });

  it('leaves a call alone of which nothing would fail, or nothing be left', () => {
    const two = call('SendMessageBatch', { Entries: [{ Id: 'a' }, { Id: 'b' }] });
    expect(failSome(two, () => false)).toBeUndefined();
    expect(failSome(two, () => true)).toBeUndefined();
  });
});

describe('a cancelled transaction', () => {
  it('has one reason an action, and one of them is guilty', () => {
    const answer = cancelled(call('TransactWriteItems', { TransactItems: [{}, {}, {}] }), () => 0.5);
    const { __type, CancellationReasons } = JSON.parse(answer.text);
    expect(__type).toMatch(/#TransactionCanceledException$/);
    expect(CancellationReasons.map(({ Code }: { Code: string }) => Code)).toEqual(['None', 'ThrottlingError', 'None']);
  });
});
