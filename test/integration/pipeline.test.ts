import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetFunctionCommand, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import type { Message } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { killFunction } from '../support/function-process.ts';
import { invoke } from '../support/invoke.ts';
import { peek, send, waitUntilEmpty } from '../support/queues.ts';
import { changesOf, planJson } from '../support/terraform.ts';
import { waitUntil } from '../support/wait.ts';
import { lambdaRecord, type OrdersStack, orderOf, startOrders } from './orders-stack.ts';

/** Kills a process or holds a call: only where the emulator is ours to do so. */
const EMULATOR_ONLY = 'emulator only';

describe('the orders example, applied as a user applies it', () => {
  let s: OrdersStack;
  beforeAll(async () => {
    s = await startOrders({ name: 'it-orders', module: { max_receive_count: 4 }, plain: true });
  }, 300_000);
  afterEach(() => s.proxy.reset());

  const reasonOf = ({ Body, MessageAttributes }: Message) => [Body, MessageAttributes?.error_type?.StringValue];

  const deadReasons = async () => (await peek(s.clients.sqs, s.dlqUrl)).map(reasonOf);

  /**
   * Waits until an order is in the dead-letter queue, and resolves to it. Reading hides a message for a while, so what was
   * read is what is looked at; others that an earlier test left there do not count.
   */
  const waitForDeadLetter = (id: string) =>
    waitUntil(
      `${id} to be dead-lettered`,
      async () => (await peek(s.clients.sqs, s.dlqUrl)).find(({ Body }) => Body === JSON.stringify(orderOf(id))),
      { timeoutMs: 120_000 },
    );

  /** An event that is committed and not published, since the topic was out of order. */
  const leavePending = async (id: string, more: object = {}) => {
    const outage = s.proxy.on('PublishBatch', { kind: 'fail', status: 500, code: 'InternalFailure' });
    await invoke(s.clients.lambda, s.consumer, [lambdaRecord(`m-${id}`, orderOf(id, more))]);
    expect((await s.row(id))?.status).toEqual({ S: 'pending' });
    outage.release();
  };

  describe('deliveries', () => {
    it('a first delivery: one row, one order, one announcement', async () => {
      await s.sendOrders(orderOf('first', { status: 'new', total: 12.5 }));
      await s.waitUntilSent('first');
      await s.waitUntilAnnounced('first');
      expect(await s.order('first')).toEqual({
        event_id: { S: 'first' },
        order_id: { S: 'first' },
        status: { S: 'new' },
        total: { N: '12.5' },
      });
      const row = await s.row('first');
      expect(Number(row?.expires_at?.N) - Date.now() / 1000).toBeGreaterThan(29 * 86_400);
      expect(row).not.toHaveProperty('relay_shard');
      await waitUntilEmpty(s.clients.sqs, s.queueUrl);
    });

    it('L-07: an emoji passes from end to end', async () => {
      await s.sendOrders(orderOf('emoji', { note: '😀 日本' }));
      await s.waitUntilSent('emoji');
      expect((await s.order('emoji'))?.note).toEqual({ S: '😀 日本' });
    });

    it('an event that is sent, sent again under another messageId: acknowledged, nothing else', async () => {
      await s.sendOrders(orderOf('again'));
      await s.waitUntilSent('again');
      await s.waitUntilAnnounced('again');
      await s.sendOrders(orderOf('again'));
      await waitUntilEmpty(s.clients.sqs, s.queueUrl);
      expect((await s.announced()).get('again')).toBe(1);
    });

    it('200 ids, each in two simultaneous invocations: 200 rows, 200 orders', async () => {
      const before = await s.countOrders();
      const batches = Array.from({ length: 20 }, (_, b) => Array.from({ length: 10 }, (_, i) => `race-${b}-${i}`));
      for (const ids of batches) {
        const records = (copy: string) => ids.map((id) => lambdaRecord(`${copy}-${id}`, orderOf(id)));
        await Promise.all([
          invoke(s.clients.lambda, s.consumer, records('a')),
          invoke(s.clients.lambda, s.consumer, records('b')),
        ]);
      }
      // A loser of the race may have been told to wait for the winner's lease; everything is sent by now all the same.
      await s.waitUntilSent(...batches.flat());
      expect(await s.countOrders()).toBe(before + 200);
      await s.waitUntilAnnounced(...batches.flat());
    });
  });

  describe(`crashes and lost answers (${EMULATOR_ONLY})`, () => {
    /** Kills the function's process while the proxy holds one of its calls, or the answer to it. */
    async function crashAt(operation: string, kind: 'hold' | 'hold-answer', id: string): Promise<void> {
      const rule = s.proxy.on(operation, { kind }, { times: 1 });
      const crashed = invoke(s.clients.lambda, s.consumer, [lambdaRecord(`m-${id}`, orderOf(id))]);
      await rule.first;
      expect((await killFunction(s.consumer, s.localAws)).length).toBeGreaterThan(0);
      rule.release();
      expect((await crashed).error).toBeDefined();
      const leaseIsOver = async () => Number((await s.row(id))?.lease_expires_at_ms?.N ?? 0) < Date.now();
      await waitUntil(`the lease of ${id} to be over`, leaseIsOver);
    }

    it.each([
      ['TransactWriteItems', 'hold', 'before the commit', 1],
      ['TransactWriteItems', 'hold-answer', 'between commit and publish', 1],
      ['PublishBatch', 'hold', 'before the publish', 1],
      ['PublishBatch', 'hold-answer', 'between publish and mark', 2],
      ['BatchExecuteStatement', 'hold', 'before the mark', 2],
      ['BatchExecuteStatement', 'hold-answer', 'between mark and acknowledgement', 1],
    ] as const)(
      'killed at %s (%s), %s: the redelivery finishes the event',
      async (operation, kind, _when, announcements) => {
        const id = `crash-${operation}-${kind}`;
        await crashAt(operation, kind, id);
        const redelivery = await invoke(s.clients.lambda, s.consumer, [lambdaRecord(`m-${id}`, orderOf(id), 2)]);
        expect(redelivery.answer).toEqual({ batchItemFailures: [] });
        await s.waitUntilSent(id);
        await s.waitUntilAnnounced(id);
        expect((await s.announced()).get(id)).toBe(announcements);
        expect(await s.order(id)).toBeDefined();
      },
    );

    it('killed between commit and publish, the real queue brings the message back', async () => {
      const rule = s.proxy.on('PublishBatch', { kind: 'hold' }, { times: 1 });
      await s.sendOrders(orderOf('crash-queue'));
      await rule.first;
      expect((await s.row('crash-queue'))?.status).toEqual({ S: 'pending' });
      await killFunction(s.consumer, s.localAws);
      rule.release();
      await s.waitUntilSent('crash-queue');
      await s.waitUntilAnnounced('crash-queue');
      await waitUntilEmpty(s.clients.sqs, s.queueUrl);
    });

    it('a redelivery after its own business row exists: both conditions fail, and nothing is quarantined', async () => {
      await crashAt('PublishBatch', 'hold', 'both');
      const copy = await invoke(s.clients.lambda, s.consumer, [lambdaRecord('another-id', orderOf('both'), 1)]);
      expect(copy.answer).toEqual({ batchItemFailures: [] });
      await s.waitUntilAnnounced('both');
      expect((await deadReasons()).map(([body]) => body)).not.toContain(JSON.stringify(orderOf('both')));
    });

    it.each([1, 3])(
      'a commit whose answer is lost on the wire, %d time(s): one effect, one announcement',
      async (times) => {
        const id = `lost-${times}`;
        s.proxy.on('TransactWriteItems', { kind: 'drop-answer' }, { times });
        await s.sendOrders(orderOf(id));
        await s.waitUntilSent(id);
        await s.waitUntilAnnounced(id);
        await waitUntilEmpty(s.clients.sqs, s.queueUrl);
        expect((await s.announced()).get(id)).toBe(1);
        expect(await s.order(id)).toBeDefined();
      },
    );

    it('SNS out of reach for a while, then back: the row waits as pending, and is announced', async () => {
      const outage = s.proxy.on('PublishBatch', { kind: 'cut' });
      await s.sendOrders(orderOf('outage'));
      await outage.first;
      expect((await s.row('outage'))?.status).toEqual({ S: 'pending' });
      outage.release();
      await s.waitUntilSent('outage');
      await s.waitUntilAnnounced('outage');
      expect((await s.announced()).get('outage')).toBe(1);
    });
  });

  describe('failures', () => {
    it('permanent ones are quarantined with their reason, while their neighbours commit', async () => {
      const bodies = [
        'not json',
        '{"order_id":"no-id"}',
        JSON.stringify(orderOf('good-1')),
        JSON.stringify(orderOf('good-2')),
      ];
      await send(
        s.clients.sqs,
        s.queueUrl,
        bodies.map((MessageBody) => ({ MessageBody })),
      );
      await s.waitUntilSent('good-1', 'good-2');
      await s.sendOrders(orderOf('good-1', { changed: true }), { event_id: 'other-event', order_id: 'good-2' });
      await waitUntilEmpty(s.clients.sqs, s.queueUrl);
      expect((await deadReasons()).sort()).toEqual(
        [
          ['not json', 'not_json'],
          ['{"order_id":"no-id"}', 'event_id_missing'],
          [JSON.stringify(orderOf('good-1', { changed: true })), 'payload_mismatch'],
          ['{"event_id":"other-event","order_id":"good-2"}', 'business_rejected'],
        ].sort(),
      );
      expect(await s.order('good-1')).not.toHaveProperty('changed');
      expect(await s.row('other-event')).toBeUndefined();
    });

    it(`a transient one reaches the dead-letter queue after max_receive_count; its neighbours commit (${EMULATOR_ONLY})`, async () => {
      const refusal = s.proxy.on(
        'TransactWriteItems',
        { kind: 'fail', status: 400, code: 'AccessDeniedException' },
        { when: ({ body }) => body.includes('"stuck"') },
      );
      await s.sendOrders(orderOf('stuck'), orderOf('beside-1'), orderOf('beside-2'));
      await s.waitUntilSent('beside-1', 'beside-2');
      const dead = await waitForDeadLetter('stuck');
      // SQS moved it: it carries no reason of ours; that is in the logs of every attempt.
      expect(reasonOf(dead)).toEqual([JSON.stringify(orderOf('stuck')), undefined]);
      expect(await s.row('stuck')).toBeUndefined();
      expect(refusal.calls.length).toBeGreaterThanOrEqual(4);
    });

    it(`C-33: dead-lettered between commit and publish, the relay publishes it; its redriven message is only acknowledged (${EMULATOR_ONLY})`, async () => {
      const outage = s.proxy.on('PublishBatch', { kind: 'fail', status: 500, code: 'InternalFailure' });
      await s.sendOrders(orderOf('owed'));
      const dead = await waitForDeadLetter('owed');
      expect((await s.row('owed'))?.status).toEqual({ S: 'pending' });
      outage.release();
      await invoke(s.clients.lambda, s.relay, []);
      await s.waitUntilSent('owed');
      await s.waitUntilAnnounced('owed');
      // By hand, since the emulator has no move tasks: a redrive sends the body under a new messageId.
      await send(s.clients.sqs, s.queueUrl, [{ MessageBody: dead.Body }]);
      await waitUntilEmpty(s.clients.sqs, s.queueUrl);
      expect((await s.announced()).get('owed')).toBe(1);
    });

    it(`two relays and a redelivery at once: one of them publishes what is owed, and the message is only acknowledged once it is sent (${EMULATOR_ONLY})`, async () => {
      await leavePending('race');
      const redelivery = () => invoke(s.clients.lambda, s.consumer, [lambdaRecord('m-race', orderOf('race'), 2)]);
      // All three have read the row as pending with its lease over before any of them takes it.
      const reads = s.proxy.on('BatchGetItem', { kind: 'hold-answer' }, { times: 3 });
      const racing = Promise.all([
        redelivery(),
        invoke(s.clients.lambda, s.relay, []),
        invoke(s.clients.lambda, s.relay, []),
      ]);
      await waitUntil('three to have read the row', () => reads.calls.length === 3, { everyMs: 20 });
      reads.release();
      const [first, ...relays] = await racing;
      expect(relays.map(({ error }) => error)).toEqual([undefined, undefined]);
      await s.waitUntilSent('race');
      await s.waitUntilAnnounced('race');
      // Whoever did not get the lease leaves the row alone: held for the message, which comes back, nothing for a relay.
      expect([[], ['m-race']]).toContainEqual(first.answer?.batchItemFailures.map((failed) => failed.itemIdentifier));
      expect((await redelivery()).answer).toEqual({ batchItemFailures: [] });
      expect((await s.announced()).get('race')).toBe(1);
    });
  });

  describe('changes of the module', () => {
    it(`T-12: a second plan has no changes, and a stricter mapping still publishes what is pending (${EMULATOR_ONLY})`, async () => {
      expect(changesOf(await planJson(s.stack.terraform)).map(({ address }) => address)).toEqual([]);

      await leavePending('strict');
      await s.change({ max_receive_count: 4, json_schema: JSON.stringify({ required: ['never'] }) });
      const redelivery = await invoke(s.clients.lambda, s.consumer, [lambdaRecord('m-strict', orderOf('strict'), 2)]);
      expect(redelivery.answer).toEqual({ batchItemFailures: [] });
      expect((await s.row('strict'))?.status).toEqual({ S: 'sent' });
      await s.waitUntilAnnounced('strict');
    });

    it(`a pending row that the index does not know is published by the sweep (${EMULATOR_ONLY})`, async () => {
      // One segment, so that any run reads the whole table.
      await s.change({ max_receive_count: 4, relay: { interval_minutes: 60, sweep: true, sweep_hours: 1 } });
      await leavePending('forgotten');
      // As a crash before the takeover leaves it: committed on a first delivery, and never written to again.
      await s.clients.dynamodb.send(
        new UpdateItemCommand({
          TableName: s.stack.outputs.processed_events_table as string,
          Key: { event_id: { S: 'forgotten' } },
          UpdateExpression: 'REMOVE relay_shard',
        }),
      );
      await invoke(s.clients.lambda, s.relay, []);
      await s.waitUntilSent('forgotten');
      await s.waitUntilAnnounced('forgotten');
    });

    it('a JMESPath that only the function can refuse stops it at start-up, and nothing is lost', async () => {
      await s.change({ max_receive_count: 4, correlation_id: 'nosuchfunction(@)' });
      const { error } = await invoke(s.clients.lambda, s.consumer, [lambdaRecord('m-bad', orderOf('bad-config'))]);
      expect(error).toBeDefined();
      expect(await s.row('bad-config')).toBeUndefined();
    });

    it('destroy leaves nothing', async () => {
      await s.remove();
      const { Functions = [] } = await s.clients.lambda
        .send(new ListFunctionsCommand({}))
        .catch(() => ({ Functions: [] }));
      expect(Functions.map(({ FunctionName }) => FunctionName).filter((name) => name?.startsWith('it-orders'))).toEqual(
        [],
      );
    });
  });

  afterAll(async () => {
    const exists = await s.clients.lambda.send(new GetFunctionCommand({ FunctionName: s.consumer })).then(
      () => true,
      () => false,
    );
    if (exists) await s.remove();
  }, 300_000);
});
