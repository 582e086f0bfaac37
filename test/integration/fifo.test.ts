import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { send, waitUntilEmpty } from '../support/queues.ts';
import { type OrdersStack, orderOf, startOrders } from './orders-stack.ts';

describe('a FIFO pipeline', () => {
  let s: OrdersStack;
  beforeAll(async () => {
    s = await startOrders({ name: 'it-fifo', module: { fifo: {} } });
  }, 300_000);
  afterAll(() => s.remove(), 300_000);

  const fifo = (group: string, id: string) => ({
    MessageBody: JSON.stringify(orderOf(id, { group })),
    MessageGroupId: group,
    MessageDeduplicationId: `${id}-${Math.random()}`,
  });

  it('announces the events of a group in their order', async () => {
    const ids = (group: string) => Array.from({ length: 8 }, (_, n) => `${group}-${n}`);
    await send(
      s.clients.sqs,
      s.queueUrl,
      ids('A').flatMap((id, n) => [fifo('A', id), fifo('B', `B-${n}`)]),
    );
    await s.waitUntilSent(...ids('A'), ...ids('B'));
    await s.waitUntilAnnounced(...ids('A'), ...ids('B'));
    const announced = [...(await s.announced()).keys()];
    expect(announced.filter((id) => id.startsWith('A'))).toEqual(ids('A'));
    expect(announced.filter((id) => id.startsWith('B'))).toEqual(ids('B'));
  });

  it('a duplicate that the queue lets through is acknowledged', async () => {
    await send(s.clients.sqs, s.queueUrl, [fifo('C', 'twice'), fifo('C', 'twice')]);
    await s.waitUntilSent('twice');
    await waitUntilEmpty(s.clients.sqs, s.queueUrl);
    expect((await s.announced()).get('twice')).toBe(1);
  });
});
