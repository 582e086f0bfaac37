import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { orderOf } from '../support/orders.ts';
import { send } from '../support/queues.ts';
import { type Subscriber, subscribe } from '../support/subscriber.ts';
import { APPLY_MS, type Applied, applyOrders } from './applied.ts';

describe('a FIFO pipeline, in an account', () => {
  let s: Applied;
  let subscriber: Subscriber | undefined;
  beforeAll(async () => {
    s = await applyOrders({
      // The example's own subscriber is a standard queue, which knows no order.
      module: { fifo: {}, subscriptions: {}, dashboard: false },
      listen: async (clients, outputs, name) => {
        subscriber = await subscribe(clients, outputs.topic_arn as string, `${name}-test`);
        return subscriber;
      },
    });
  }, APPLY_MS);
  afterAll(async () => {
    try {
      await subscriber?.remove();
    } finally {
      await s?.destroy();
      s?.clients.close();
    }
  }, APPLY_MS);

  let sent = 0;
  const message = (group: string, id: string) => {
    sent += 1;
    return {
      MessageBody: JSON.stringify(orderOf(id, { group })),
      MessageGroupId: group,
      MessageDeduplicationId: `${id}-${sent}`,
    };
  };
  const sendAll = (...messages: ReturnType<typeof message>[]) => send(s.clients.sqs, s.output('queue_url'), messages);

  it('announces the events of a group in their order', async () => {
    const ids = (group: string) => Array.from({ length: 8 }, (_, n) => `${group}-${n}`);
    await sendAll(...ids('A').flatMap((id, n) => [message('A', id), message('B', `B-${n}`)]));
    await s.waitUntilSent(...ids('A'), ...ids('B'));
    await s.waitUntilAnnounced(...ids('A'), ...ids('B'));
    const announced = [...(await s.announced()).keys()];
    expect(announced.filter((id) => id.startsWith('A'))).toEqual(ids('A'));
    expect(announced.filter((id) => id.startsWith('B'))).toEqual(ids('B'));
  });

  it('a duplicate that the queue lets through is acknowledged, and its group goes on', async () => {
    await sendAll(message('C', 'twice'), message('C', 'twice'), message('C', 'after'));
    await s.waitUntilSent('twice', 'after');
    await s.waitUntilAnnounced('twice', 'after');
    expect((await s.announced()).get('twice')).toBe(1);
  });
});
