import { rmSync } from 'node:fs';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { GetFunctionCommand } from '@aws-sdk/client-lambda';
import {
  GetQueueUrlCommand,
  ListMessageMoveTasksCommand,
  type Message,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { invoke } from '../support/invoke.ts';
import { lambdaRecord, orderOf } from '../support/orders.ts';
import { peek, send, waitUntilEmpty } from '../support/queues.ts';
import { layOut } from '../support/stack.ts';
import { changesOf, planJson, type ResourceChange, terraformIn } from '../support/terraform.ts';
import { waitUntil } from '../support/wait.ts';
import { APPLY_MS, type Applied, applyOrders, local } from './applied.ts';

const nameIn = (queueUrl: string) => queueUrl.slice(queueUrl.lastIndexOf('/') + 1);

/** What a plan would change, in words that say why. */
function differences({ address, change: { actions, before, after } }: ResourceChange): string {
  const keys = Object.keys({ ...before, ...after }).filter(
    (key) => JSON.stringify(before?.[key]) !== JSON.stringify(after?.[key]),
  );
  return `${actions.join(' and ')} ${address}: ${keys.join(', ')}`;
}

describe('the orders example with its alarms, in an account', () => {
  let s: Applied;
  beforeAll(async () => {
    s = await applyOrders({ variables: { alarms: true } });
  }, APPLY_MS);
  // Nothing is left to destroy when the last test has done it.
  afterAll(async () => {
    await s?.destroy();
    s?.clients.close();
  }, APPLY_MS);

  /** Waits until this body is in the dead-letter queue; reading may miss messages that are there. */
  const deadLetter = (body: string): Promise<Message> =>
    waitUntil(
      `${body} to be dead-lettered`,
      async () => (await peek(s.clients.sqs, s.output('dlq_url'))).find(({ Body }) => Body === body),
      { timeoutMs: 120_000, everyMs: 1_000 },
    );

  it('the provider refuses every account but the named one, before it does anything', async () => {
    const folder = layOut({
      name: `${s.name}-elsewhere`,
      account: s.account === '111111111111' ? '222222222222' : '111111111111',
      example: 'examples/orders',
    });
    const terraform = terraformIn(folder, s.place);
    await terraform('init', '-input=false', '-no-color');
    await expect(terraform('plan', '-input=false', '-no-color')).rejects.toThrow(/account ID not allowed/i);
    rmSync(folder, { recursive: true });
  });

  it('a second plan has no changes', async () => {
    const changes = changesOf(await planJson(s.stack.terraform));
    // Emulators do not give alarms back as they were stored; whether AWS does is what a real account has to say.
    const counted = changes.filter(({ type }) => !local || !/^aws_cloudwatch_(metric|composite)_alarm$/.test(type));
    expect(counted.map(differences)).toEqual([]);
  });

  it('a first delivery: one row, one order, one announcement', async () => {
    await s.sendOrders(orderOf('first', { status: 'new', total: 12.5, note: '😀 日本' }));
    await s.waitUntilSent('first');
    await s.waitUntilAnnounced('first');
    expect(await s.order('first')).toEqual({
      event_id: { S: 'first' },
      order_id: { S: 'first' },
      status: { S: 'new' },
      total: { N: '12.5' },
      note: { S: '😀 日本' },
    });
    expect(await s.row('first')).not.toHaveProperty('relay_shard');
  });

  it('an event that is sent, delivered again under another messageId: acknowledged, nothing else', async () => {
    await s.sendOrders(orderOf('again'));
    await s.waitUntilSent('again');
    await s.waitUntilAnnounced('again');
    // Past the queue, since its depth is an estimate in AWS, and empty says little.
    const copy = await invoke(s.clients.lambda, s.output('consumer_function'), [
      lambdaRecord('another-id', orderOf('again')),
    ]);
    expect(copy.answer).toEqual({ batchItemFailures: [] });
    await s.sendOrders(orderOf('again'));
    await waitUntilEmpty(s.clients.sqs, s.output('queue_url'));
    expect((await s.announced()).get('again')).toBe(1);
  });

  it('50 ids, each in two simultaneous invocations: 50 rows, 50 orders', async () => {
    const before = await s.countOrders();
    const batches = Array.from({ length: 5 }, (_, b) => Array.from({ length: 10 }, (_, i) => `race-${b}-${i}`));
    for (const ids of batches) {
      const records = (copy: string) => ids.map((id) => lambdaRecord(`${copy}-${id}`, orderOf(id)));
      await Promise.all(
        ['a', 'b'].map((copy) => invoke(s.clients.lambda, s.output('consumer_function'), records(copy))),
      );
    }
    await s.waitUntilSent(...batches.flat());
    expect(await s.countOrders()).toBe(before + 50);
    await s.waitUntilAnnounced(...batches.flat());
  });

  it('what can never succeed is quarantined with its reason, while its neighbours commit', async () => {
    await s.sendOrders(orderOf('taken'));
    await s.waitUntilSent('taken');
    const bad: readonly (readonly [body: string, reason: string])[] = [
      ['not json', 'not_json'],
      ['{"order_id":"no-id"}', 'event_id_missing'],
      [JSON.stringify(orderOf('taken', { changed: true })), 'payload_mismatch'],
      ['{"event_id":"other-event","order_id":"taken"}', 'business_rejected'],
    ];
    const good = JSON.stringify(orderOf('beside'));
    await send(
      s.clients.sqs,
      s.output('queue_url'),
      [...bad.map(([body]) => body), good].map((MessageBody) => ({ MessageBody })),
    );
    await s.waitUntilSent('beside');
    for (const [body, reason] of bad) {
      expect((await deadLetter(body)).MessageAttributes?.error_type?.StringValue).toBe(reason);
    }
    expect(await s.order('taken')).not.toHaveProperty('changed');
    expect(await s.row('other-event')).toBeUndefined();
  });

  it('the relay, invoked by hand, has nothing to do and says so', async () => {
    const { error } = await invoke(s.clients.lambda, s.output('relay_function'), []);
    expect(error).toBeUndefined();
  });

  if (!local) {
    it('a move task redrives the dead-letter queue: what can succeed now does, the rest comes back', async () => {
      const DestinationArn = s.output('queue_arn');
      const SourceArn = DestinationArn.replace(/[^:]+$/, nameIn(s.output('dlq_url')));
      await send(s.clients.sqs, s.output('dlq_url'), [{ MessageBody: JSON.stringify(orderOf('redriven')) }]);
      const { MessageId: before } = await deadLetter('not json');

      await s.clients.sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn }));
      await waitUntil(
        'the move task to end',
        async () => {
          const { Results = [] } = await s.clients.sqs.send(new ListMessageMoveTasksCommand({ SourceArn }));
          return Results.length > 0 && Results.every(({ Status }) => Status === 'COMPLETED');
        },
        { timeoutMs: 180_000, everyMs: 2_000 },
      );
      await s.waitUntilSent('redriven');
      await s.waitUntilAnnounced('redriven');
      const back = await deadLetter('not json');
      expect(back.MessageId).not.toBe(before);
      expect(back.MessageAttributes?.error_type?.StringValue).toBe('not_json');
    });
  }

  it(
    'destroy leaves nothing',
    async () => {
      await s.destroy();
      const { dynamodb, lambda, sqs } = s.clients;
      const gone = (name: RegExp) => expect.objectContaining({ name: expect.stringMatching(name) });
      for (const key of ['consumer_function', 'relay_function']) {
        await expect(lambda.send(new GetFunctionCommand({ FunctionName: s.output(key) }))).rejects.toEqual(
          gone(/ResourceNotFound/),
        );
      }
      for (const key of ['processed_events_table', 'business_table']) {
        await expect(dynamodb.send(new DescribeTableCommand({ TableName: s.output(key) }))).rejects.toEqual(
          gone(/ResourceNotFound/),
        );
      }
      for (const key of ['queue_url', 'dlq_url', 'subscriber_queue_url']) {
        const QueueName = nameIn(s.output(key));
        // A deletion takes up to a minute in AWS.
        await waitUntil(
          `${QueueName} to be gone`,
          () =>
            sqs.send(new GetQueueUrlCommand({ QueueName })).then(
              () => false,
              (error: Error) => /NonExistentQueue|QueueDoesNotExist/.test(error.name),
            ),
          { timeoutMs: 120_000, everyMs: 2_000 },
        );
      }
    },
    APPLY_MS,
  );
});
