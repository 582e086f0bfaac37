import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createNotifier } from '../../src/aws/notifier.ts';
import type { Notification } from '../../src/core/types.ts';
import type { Notifier } from '../../src/ports.ts';
import { type AwsStub, type Call, startAwsStub } from './aws-stub.ts';

const topic = 'arn:aws:sns:eu-central-1:123456789012:orders';
const { signal } = new AbortController();

let aws: AwsStub;
let notifier: Notifier;
beforeAll(async () => {
  aws = await startAwsStub();
  notifier = createNotifier(aws.clients.sns);
});
afterAll(() => aws.close());

const entry = (over: Partial<Notification> = {}) => ({
  notification: { topicArn: topic, message: '{"event_id":"a"}', attributes: {}, ...over },
});

const member = (fields: Readonly<Record<string, string>>) =>
  `<member>${Object.entries(fields)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('')}</member>`;

const answer = (successful: readonly string[], failed: readonly string[]) => ({
  xml:
    '<PublishBatchResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishBatchResult>' +
    `<Successful>${successful.map((Id) => member({ Id, MessageId: `sns-${Id}` })).join('')}</Successful>` +
    `<Failed>${failed.map((Id) => member({ Id, Code: 'InternalError', SenderFault: 'false' })).join('')}</Failed>` +
    '</PublishBatchResult></PublishBatchResponse>',
});

const error = (code: string, status: number) => ({
  status,
  xml: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>stubbed</Message></Error></ErrorResponse>`,
});

describe('publishing a batch', () => {
  it('sends the stored bytes, attributes and ids', async () => {
    aws.answer(answer(['0', '1'], []));
    await notifier.publish(
      topic,
      [
        entry({
          subject: 'Order',
          attributes: {
            event_id: { type: 'String', value: 'a' },
            raw: { type: 'Binary', value: 'AQI=' },
            list: { type: 'String.Array', value: '["x"]' },
          },
          groupId: 'g',
          deduplicationId: 'd',
        }),
        entry({ message: 'second' }),
      ],
      signal,
    );
    const at = 'PublishBatchRequestEntries.member.1';
    expect(aws.calls[0]?.body).toMatchObject({
      Action: 'PublishBatch',
      TopicArn: topic,
      [`${at}.Id`]: '0',
      [`${at}.Message`]: '{"event_id":"a"}',
      [`${at}.Subject`]: 'Order',
      [`${at}.MessageGroupId`]: 'g',
      [`${at}.MessageDeduplicationId`]: 'd',
      [`${at}.MessageAttributes.entry.1.Name`]: 'event_id',
      [`${at}.MessageAttributes.entry.1.Value.StringValue`]: 'a',
      [`${at}.MessageAttributes.entry.2.Value.DataType`]: 'Binary',
      [`${at}.MessageAttributes.entry.2.Value.BinaryValue`]: 'AQI=',
      [`${at}.MessageAttributes.entry.3.Value.DataType`]: 'String.Array',
      'PublishBatchRequestEntries.member.2.Message': 'second',
    });
    const second = Object.keys(aws.calls[0]?.body).filter((name) => name.includes('.member.2.'));
    expect(second).toHaveLength(2);
  });

  it('C-66: an entry is published when Successful lists it, and in no other case', async () => {
    aws.answer(answer(['0', 'unknown'], ['1', 'other']));
    expect(await notifier.publish(topic, [entry(), entry(), entry()], signal)).toEqual([
      { kind: 'published', snsMessageId: 'sns-0' },
      { kind: 'failed', name: 'InternalError', unknown: false },
      { kind: 'failed', name: 'NoResultEntry', unknown: true },
    ]);
  });

  it('C-66: an entry that both lists name is published, and is not published again', async () => {
    aws.answer(answer(['0'], ['0']));
    expect(await notifier.publish(topic, [entry()], signal)).toEqual([{ kind: 'published', snsMessageId: 'sns-0' }]);
  });

  it('C-66: an answer without lists publishes nothing', async () => {
    aws.answer({ xml: '<PublishBatchResponse><PublishBatchResult/></PublishBatchResponse>' });
    expect(await notifier.publish(topic, [entry()], signal)).toEqual([
      { kind: 'failed', name: 'NoResultEntry', unknown: true },
    ]);
  });

  it('a call that SNS finds too long is halved: entries that fit alone are published, in order', async () => {
    const bytes = (call: Call, index: number) =>
      call.body[`PublishBatchRequestEntries.member.${index}.Message`]?.length;
    aws.answer((call) => {
      const sizes = [1, 2, 3].flatMap((index) => bytes(call, index) ?? []);
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const ids = sizes.map((_, index) => String(index));
      return total > 15 ? error('BatchRequestTooLong', 400) : answer(ids, []);
    });
    const entries = [10, 10, 20].map((length) => entry({ message: 'x'.repeat(length) }));
    expect(await notifier.publish(topic, entries, signal)).toMatchObject([
      { kind: 'published' },
      { kind: 'published' },
      { kind: 'failed', name: 'BatchRequestTooLongException', unknown: false },
    ]);
  });

  it('a refusal is known not to have published; a server error, a lost connection and an abort are not', async () => {
    aws.answer(error('AuthorizationError', 403));
    expect(await notifier.publish(topic, [entry()], signal)).toMatchObject([{ kind: 'failed', unknown: false }]);
    aws.answer(error('InternalFailure', 500));
    expect(await notifier.publish(topic, [entry()], signal)).toMatchObject([{ kind: 'failed', unknown: true }]);
    aws.answer('reset');
    expect(await notifier.publish(topic, [entry()], signal)).toMatchObject([{ kind: 'failed', unknown: true }]);
    const aborted = new AbortController();
    aborted.abort();
    expect(await notifier.publish(topic, [entry()], aborted.signal)).toEqual([
      { kind: 'failed', name: 'AbortError', unknown: true },
    ]);
  });
});
