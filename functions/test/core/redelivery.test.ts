import { describe, expect, it } from '@jest/globals';
import { type Handler, handlerMeaning } from '../../src/core/handler.ts';
import { Harness, order, record, TOPIC } from './harness.ts';

describe('a redelivery is decided by the row', () => {
  it('sent: acknowledged, nothing else', async () => {
    const h = new Harness();
    await h.deliver(record('m1', order('o-1')));
    expect(await h.deliver(record('m1', order('o-1')))).toEqual([]);
    expect(await h.deliver(record('m1', order('o-1'), { receiveCount: 2 }))).toEqual([]);
    expect(h.topic.ids).toEqual(['o-1']);
    expect(h.telemetry.sum('Duplicates')).toBe(2);
  });

  it('a look-up spares the transaction when the receive count is above 1', async () => {
    const h = new Harness();
    await h.deliver(record('m1', order('o-1')));
    await h.deliver(record('m1', order('o-1'), { receiveCount: 2 }));
    expect(h.store.commits).toHaveLength(1);
    expect(h.store.reads).toEqual([['o-1']]);
  });

  it('C-11: the effect belongs to the event, whatever the batch is made of', async () => {
    const h = new Harness();
    h.store.commitFault = (_events, call) => (call < 1 ? { kind: 'throttled', name: 'x', retried: false } : undefined);
    expect(await h.deliver(record('m1', order('o-1')), record('m2', order('o-2')))).toEqual(['m1', 'm2']);
    expect(await h.deliver(record('m2', order('o-2'), { receiveCount: 2 }), record('m3', order('o-3')))).toEqual([]);
    expect(await h.deliver(record('m1', order('o-1'), { receiveCount: 2 }))).toEqual([]);
    expect(await h.deliver(record('m1', order('o-1')))).toEqual([]);
    expect(h.store.items.size).toBe(3);
    expect(h.topic.ids.sort()).toEqual(['o-1', 'o-2', 'o-3']);
  });

  it('C-22: a crash between commit and publish, then one between publish and mark', async () => {
    const h = new Harness();
    // The first process is gone after its commit: its calls from there on never happen.
    const crash = (): never => {
      throw new Error('process gone');
    };
    const publish = h.topic.publish.bind(h.topic);
    h.topic.publish = crash;
    await h.deliver(record('m1', order('o-1')));
    expect(h.store.status('o-1')).toBe('pending');

    h.clock.advance(31_001);
    h.topic.publish = publish;
    h.store.updateFault = (update) => (update.kind === 'mark' ? 'failed' : undefined);
    expect(await h.deliver(record('m1', order('o-1'), { receiveCount: 2 }))).toEqual(['m1']);
    expect(h.topic.ids).toEqual(['o-1']);

    h.clock.advance(31_001);
    h.store.updateFault = () => undefined;
    expect(await h.deliver(record('m1', order('o-1'), { receiveCount: 3 }))).toEqual([]);
    expect(h.topic.ids).toEqual(['o-1', 'o-1']);
    expect(h.store.commits).toHaveLength(1);
    expect(h.store.status('o-1')).toBe('sent');
  });

  it('the stored bytes are published, not what a newer mapping would render', async () => {
    const first = new Harness();
    first.topic.fault = () => 'failed';
    await first.deliver(record('m1', order('o-1')));
    first.topic.fault = () => undefined;
    const next = new Harness({ on: first, mapping: { notification: '{event_id: id, amount: amount}' } });
    expect(await next.deliver(record('m1', order('o-1'), { receiveCount: 2 }))).toEqual([]);
    expect(first.topic.published.map(({ message }) => message)).toEqual(['{"event_id":"o-1"}']);
  });

  it('C-27: a row whose TTL has passed still counts until DynamoDB removes it', async () => {
    const h = new Harness({ settings: { retentionDays: 1 } });
    await h.deliver(record('m1', order('o-1')));
    h.clock.advance(86_401_000);
    expect(await h.deliver(record('m9', order('o-1')))).toEqual([]);
    expect(h.store.items.size).toBe(1);
    expect(h.topic.ids).toEqual(['o-1']);
  });

  it('C-33: a redrive mints a new messageId; the event is found by its own id and its notification is sent', async () => {
    const h = new Harness();
    h.topic.fault = () => 'failed';
    for (let receiveCount = 1; receiveCount <= 12; receiveCount += 1) {
      expect(await h.deliver(record('m1', order('o-1'), { receiveCount }))).toEqual(['m1']);
    }
    h.topic.fault = () => undefined;
    expect(await h.deliver(record('m9', order('o-1')))).toEqual([]);
    expect(h.store.commits.flat().filter((id) => id === 'o-1').length).toBeGreaterThan(0);
    expect(h.store.items.size).toBe(1);
    expect(h.topic.ids).toEqual(['o-1']);
  });

  it('both conditions fail on a redelivery after the business row exists: the row decides, nothing is quarantined', async () => {
    const h = new Harness();
    h.topic.fault = () => 'failed';
    await h.deliver(record('m1', order('o-1')));
    h.topic.fault = () => undefined;
    expect(await h.deliver(record('m2', order('o-1')))).toEqual([]);
    expect(h.queue.deadLetters).toEqual([]);
    expect(h.topic.ids).toEqual(['o-1']);
  });

  it('another event that wrote the key rejects the event, by default', async () => {
    const h = new Harness({ mapping: { businessKey: 'key' } });
    await h.deliver(record('m1', order('o-1', { key: 'k' })));
    expect(await h.deliver(record('m2', order('o-2', { key: 'k' })))).toEqual([]);
    expect(h.queue.deadLetters.map(({ attributes }) => attributes.error_type?.value)).toEqual(['business_rejected']);
    expect(h.store.status('o-2')).toBeUndefined();
  });

  it('newer wins: an older event is committed as sent, without a write and without a notification', async () => {
    const h = new Harness({ mapping: { businessKey: 'key', onExistingKey: 'newer', version: 'n' } });
    await h.deliver(record('m1', order('o-1', { key: 'k', n: 2 })));
    expect(
      await h.deliver(record('m2', order('o-2', { key: 'k', n: 1 })), record('m3', order('o-3', { key: 'k', n: 3 }))),
    ).toEqual([]);
    expect(h.store.status('o-2')).toBe('sent');
    expect(h.telemetry.sum('Superseded')).toBe(1);
    expect([...h.store.items.values()].map((item) => item.id)).toEqual([{ S: 'o-3' }]);
    expect(h.topic.ids).toEqual(['o-1', 'o-3']);
  });
});

describe("the operator's filter", () => {
  it('acknowledges an excluded event that has no row, and counts it', async () => {
    const h = new Harness({ mapping: { eventFilter: 'amount > `100`' } });
    expect(await h.deliver(record('m1', order('o-1')), record('m2', order('o-2', { amount: 101 })))).toEqual([]);
    expect(h.telemetry.sum('NotOurs', 'filtered')).toBe(1);
    expect(h.topic.ids).toEqual(['o-2']);
  });

  it('comes first: neither the schema nor a handler is asked about an excluded event', async () => {
    const strict = { eventFilter: 'ours', jsonSchema: '{"required":["amount"]}' };
    const h = new Harness({ mapping: strict });
    expect(await h.deliver(record('m1', { id: 'o-1' }))).toEqual([]);
    expect([h.telemetry.sum('NotOurs', 'filtered'), h.queue.deadLetters]).toEqual([1, []]);

    const asked: string[] = [];
    const handler: Handler = {
      reads: ({ id }) => {
        asked.push(id);
        return [];
      },
      plan: ({ id }) => {
        asked.push(id);
        return {};
      },
    };
    const topic = { topicArn: TOPIC, topicFifo: false };
    const decoding = { envelope: 'none', eventId: 'id', eventFilter: 'ours' } as const;
    const other = new Harness({ meaning: handlerMeaning(handler, decoding, topic) });
    // From the third receive on an event is planned alone, as one that may kill the process; an excluded one is not.
    const batch = [
      record('m1', { id: 'o-1' }),
      record('m2', { id: 'o-2', ours: 1 }),
      record('m3', { id: 'o-3' }, { receiveCount: 3 }),
    ];
    expect(await other.deliver(...batch)).toEqual([]);
    expect(asked).toEqual(['o-2', 'o-2']);
    expect(other.telemetry.sum('NotOurs', 'filtered')).toBe(2);
  });

  it('excludes an event of another kind under an id of ours: its row is not its business', async () => {
    const first = new Harness();
    await first.deliver(record('m1', order('o-1')));
    const next = new Harness({ on: first, mapping: { eventFilter: 'amount' } });
    expect(await next.deliver(record('m2', { id: 'o-1', shipped: true }))).toEqual([]);
    expect(next.telemetry.sum('NotOurs', 'filtered')).toBe(1);
    expect(first.queue.deadLetters).toEqual([]);
  });

  it('made stricter after the commit, never acknowledges a pending event: it is published first', async () => {
    const first = new Harness();
    first.topic.fault = () => 'failed';
    await first.deliver(record('m1', order('o-1')));
    first.topic.fault = () => undefined;
    const next = new Harness({ on: first, mapping: { eventFilter: 'amount > `100`' } });
    expect(await next.deliver(record('m9', order('o-1')))).toEqual([]);
    expect(first.topic.ids).toEqual(['o-1']);
    expect(first.store.status('o-1')).toBe('sent');
  });
});

describe('payload mismatch: two events claim one id', () => {
  it.each([false, true])(
    'C-29: found on every path, stored data untouched (row hidden from the reason: %s)',
    async (hideRows) => {
      const h = new Harness();
      await h.deliver(record('m1', order('o-1')));
      const stored = JSON.stringify([...h.store.items]);
      h.store.hideRows = hideRows;
      expect(await h.deliver(record('m2', order('o-1', { amount: 99 })))).toEqual([]);
      expect(h.queue.deadLetters.map(({ attributes }) => attributes.error_type?.value)).toEqual(['payload_mismatch']);
      expect(JSON.stringify([...h.store.items])).toBe(stored);
      expect(h.telemetry.sum('PayloadMismatches')).toBe(1);
      expect(h.topic.ids).toEqual(['o-1']);
    },
  );

  it('the same message under another hash is the same event: our hashing changed', async () => {
    const first = new Harness();
    await first.deliver(record('m1', order('o-1')));
    const next = new Harness({ on: first, mapping: { fingerprint: 'amount' } });
    expect(await next.deliver(record('m1', order('o-1'), { receiveCount: 2 }))).toEqual([]);
    expect(first.queue.deadLetters).toEqual([]);
  });

  it('a row of a newer version is left to the newer code', async () => {
    const h = new Harness();
    await h.deliver(record('m1', order('o-1')));
    h.store.rows.set('o-1', { ...h.store.rows.get('o-1'), v: { N: '2' } });
    expect(await h.deliver(record('m2', order('o-1')))).toEqual(['m2']);
    expect(h.reasons()).toEqual(['row_newer']);
  });
});
