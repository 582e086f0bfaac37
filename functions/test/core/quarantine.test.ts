import { describe, expect, it } from '@jest/globals';
import { deadLetter } from '../../src/core/dead-letter.ts';
import { messageBytes } from '../../src/core/size.ts';
import { Harness, order, record } from './harness.ts';

const SCHEMA = JSON.stringify({ required: ['never'] });
const bad = (n: number) => Array.from({ length: n }, (_, i) => record(`x${i}`, 'not json'));
const good = (n: number) => Array.from({ length: n }, (_, i) => record(`m${i}`, order(`o-${i}`)));

describe('a permanent failure', () => {
  it('goes to the dead-letter queue with body, attributes and reason, and only then is acknowledged', async () => {
    const h = new Harness();
    const source = { ...record('m1', 'not json'), attributes: { tenant: { type: 'String', value: 't' } } };
    expect(await h.deliver(source)).toEqual([]);
    expect(h.queue.deadLetters).toEqual([
      {
        messageId: 'm1',
        deduplicationId: 'm1',
        body: 'not json',
        attributes: {
          error_type: { type: 'String', value: 'not_json' },
          error_message: { type: 'String', value: 'The body is not JSON.' },
          source_message_id: { type: 'String', value: 'm1' },
          tenant: { type: 'String', value: 't' },
        },
      },
    ]);
  });

  it('is reported as failed when the dead-letter queue does not accept it', async () => {
    const h = new Harness();
    h.queue.refuseDeadLetters = true;
    expect(await h.deliver(record('m1', 'not json'))).toEqual(['m1']);
    expect(h.reasons()).toEqual(['quarantine_failed']);
  });

  it('quarantined again after a redrive, ours overwrite; originals beyond ten are dropped with a log line', async () => {
    const h = new Harness();
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`a${i}`, { type: 'String', value: 'x' }]));
    await h.deliver({
      ...record('m1', 'not json'),
      attributes: { error_type: { type: 'String', value: 'old' }, ...many },
    });
    const attributes = h.queue.deadLetters[0]?.attributes ?? {};
    expect(attributes.error_type?.value).toBe('not_json');
    expect(Object.keys(attributes)).toHaveLength(10);
    expect(h.telemetry.lines.find(({ level }) => level === 'warn')?.fields).toEqual({ message_id: 'm1', count: 2 });
  });

  it.each([
    [261_100, ['x'], 262_144],
    [262_500, [], 1_048_576],
  ])(
    'a body of %d bytes and 1,000 of attributes: drops %j, to fit a queue that took the message',
    async (length, dropped, most) => {
      const h = new Harness();
      const attributes = { x: { type: 'String', value: 'v'.repeat(1_000) } };
      expect(await h.deliver({ ...record('m1', 'b'.repeat(length)), attributes })).toEqual([]);
      const sent = h.queue.deadLetters[0];
      expect(messageBytes(sent?.body ?? '', sent?.attributes ?? {})).toBeLessThanOrEqual(most);
      expect(['x'].filter((name) => !Object.hasOwn(sent?.attributes ?? {}, name))).toEqual(dropped);
      expect(sent?.attributes.error_type?.value).toBe('not_json');
    },
  );

  it.each([
    [262_144 - 40, ['error_type']],
    [262_144 - 70, ['error_type', 'source_message_id']],
    [262_144 - 100, ['error_type', 'event_id', 'source_message_id']],
    [262_144 - 200, ['error_message', 'error_type', 'event_id', 'source_message_id']],
  ])('a body of %d bytes leaves room for %j, and is quarantined with these', (length, names) => {
    const body = 'x'.repeat(length);
    const { message } = deadLetter({ ...record('m1', ''), body }, 'schema_violation', 'o-1');
    expect(Object.keys(message.attributes).sort()).toEqual(names);
    expect(messageBytes(body, message.attributes)).toBeLessThanOrEqual(262_144);
  });

  it('keeps an attribute with the legal name __proto__', async () => {
    const h = new Harness();
    const attributes = Object.fromEntries([['__proto__', { type: 'String', value: 'kept' }]]);
    expect(await h.deliver({ ...record('m1', 'not json'), attributes })).toEqual([]);
    expect(Object.entries(h.queue.deadLetters[0]?.attributes ?? {})).toContainEqual(Object.entries(attributes)[0]);
  });

  it('keeps its neighbours: they commit in the same invocation', async () => {
    const h = new Harness();
    expect(await h.deliver(...bad(2), ...good(8))).toEqual([]);
    expect(h.queue.deadLetters).toHaveLength(2);
    expect(h.topic.ids).toHaveLength(8);
  });
});

describe('after a commit nothing is permanent (rule 10)', () => {
  it('an event that is pending is published when a stricter mapping would refuse it, and acknowledged', async () => {
    const first = new Harness();
    first.topic.fault = () => 'failed';
    await first.deliver(record('m1', order('o-1')));
    first.topic.fault = () => undefined;
    const strict = new Harness({ on: first, mapping: { jsonSchema: SCHEMA } });
    expect(await strict.deliver(record('m9', order('o-1')))).toEqual([]);
    expect(first.queue.deadLetters).toEqual([]);
    expect(first.topic.ids).toEqual(['o-1']);
    expect(first.store.status('o-1')).toBe('sent');
  });

  it('an event that is sent is a duplicate, whatever the mapping says now', async () => {
    const first = new Harness();
    await first.deliver(record('m1', order('o-1')));
    const strict = new Harness({ on: first, mapping: { jsonSchema: SCHEMA } });
    expect(await strict.deliver(record('m9', order('o-1')))).toEqual([]);
    expect(first.queue.deadLetters).toEqual([]);
  });

  it('a part that no longer decodes is not bad when this very message committed it', async () => {
    const first = new Harness();
    first.topic.fault = () => 'failed';
    await first.deliver(record('m1', order('o-1')));
    first.topic.fault = () => undefined;
    const strict = new Harness({ on: first, mapping: { fingerprint: 'missing' } });
    expect(await strict.deliver(record('m1', order('o-1'), { receiveCount: 2 }))).toEqual([]);
    expect(first.queue.deadLetters).toEqual([]);
    expect(first.store.status('o-1')).toBe('sent');
  });

  it('a message that cannot be quarantined yet waits for the lease of the pending row', async () => {
    const first = new Harness();
    const publish = first.topic.publish.bind(first.topic);
    first.topic.publish = () => {
      throw new Error('process gone');
    };
    await first.deliver(record('m1', order('o-1')));
    first.topic.publish = publish;
    expect(await first.deliver(record('m2', order('o-1', { amount: 99 })))).toEqual(['m2']);
    expect(first.reasons().at(-1)).toBe('lease_held');
    first.clock.advance(31_000);
    expect(await first.deliver(record('m2', order('o-1', { amount: 99 }), { receiveCount: 2 }))).toEqual([]);
    expect(first.queue.deadLetters.map(({ attributes }) => attributes.error_type?.value)).toEqual(['payload_mismatch']);
    expect(first.topic.ids).toEqual(['o-1']);
    expect(first.store.status('o-1')).toBe('sent');
  });

  it('a look-up that fails fails the message', async () => {
    const h = new Harness({ mapping: { jsonSchema: SCHEMA } });
    h.store.readFault = () => 'InternalServerError';
    expect(await h.deliver(record('m1', order('o-1')))).toEqual(['m1']);
    expect(h.reasons()).toEqual(['look_up_failed']);
  });
});

describe('the breaker', () => {
  it('more than half of a batch of at least five: nothing is quarantined, the good ones commit', async () => {
    const h = new Harness();
    expect(await h.deliver(...bad(4), ...good(3))).toEqual(['x0', 'x1', 'x2', 'x3']);
    expect(h.queue.deadLetters).toEqual([]);
    expect(h.topic.ids).toHaveLength(3);
    expect(h.telemetry.sum('BreakerOpen')).toBe(1);
  });

  it('exactly half, or a batch of four, says nothing about a deploy', async () => {
    const half = new Harness();
    expect(await half.deliver(...bad(3), ...good(3))).toEqual([]);
    expect(half.queue.deadLetters).toHaveLength(3);
    const small = new Harness();
    expect(await small.deliver(...bad(4))).toEqual([]);
    expect(small.queue.deadLetters).toHaveLength(4);
  });

  it('records with high receive counts are counted too, before the first of them is quarantined', async () => {
    const h = new Harness();
    const batch = bad(6).map((source) => ({ ...source, receiveCount: 4 }));
    expect(await h.deliver(...batch)).toHaveLength(6);
    expect(h.queue.deadLetters).toEqual([]);
  });

  it('what is held back from quarantine says in the log what is permanent about it', async () => {
    const off = new Harness({ settings: { quarantine: false } });
    await off.deliver(record('m1', 'not json'));
    const open = new Harness();
    await open.deliver(...bad(5));
    for (const h of [off, open]) {
      expect(h.telemetry.lines.map(({ fields }) => fields.permanent_reason)).toContain('not_json');
    }
  });

  it('quarantine switched off: permanent failures back off like any other', async () => {
    const h = new Harness({ settings: { quarantine: false } });
    expect(await h.deliver(record('m1', 'not json'))).toEqual(['m1']);
    expect(h.queue.visibility).toEqual([{ receiptHandle: 'handle-m1', seconds: 8 }]);
    // What the alarm watches then.
    expect(h.telemetry.sum('Failed', 'quarantine_off')).toBe(1);
  });
});

describe('a message with several events', () => {
  const s3 = (...keys: string[]) =>
    JSON.stringify({
      Records: keys.map((key) => ({
        eventSource: 'aws:s3',
        eventName: 'ObjectCreated:Put',
        s3: { bucket: { name: 'b' }, object: { key, size: 1, sequencer: '01' } },
      })),
    });

  it('is acknowledged when all of them are sent', async () => {
    const h = new Harness({ mapping: { envelope: 's3', eventId: 's3.object.key', businessKey: 's3.object.key' } });
    h.topic.fault = ({ message }) => (message.includes('b.json') && h.topic.calls.length < 3 ? 'failed' : undefined);
    expect(await h.deliver(record('m1', s3('a.json', 'b.json')))).toEqual(['m1']);
    expect(await h.deliver(record('m1', s3('a.json', 'b.json'), { receiveCount: 2 }))).toEqual([]);
    expect(h.topic.ids.sort()).toEqual(['a.json', 'b.json']);
  });

  it('commits the good ones, then is quarantined for the bad one', async () => {
    const h = new Harness({ mapping: { envelope: 's3', eventId: 's3.object.key', businessKey: 's3.object.key' } });
    expect(await h.deliver(record('m1', s3('a.json', '100%.csv')))).toEqual([]);
    expect(h.topic.ids).toEqual(['a.json']);
    expect(h.queue.deadLetters).toHaveLength(1);
  });

  it.each([
    ['another payload', { size: 2 }, 'payload_mismatch'],
    ['no fingerprint', { size: null }, 'fingerprint_missing'],
  ])(
    'two events under one id, the second with %s: the first commits, the message is quarantined',
    async (_, more, reason) => {
      const mapping = {
        envelope: 's3',
        eventId: 's3.object.key',
        businessKey: 's3.object.key',
        fingerprint: 's3.object.size',
      } as const;
      const body = JSON.parse(s3('a.json', 'a.json'));
      Object.assign(body.Records[1].s3.object, more);
      const h = new Harness({ mapping });
      expect(await h.deliver(record('m1', body))).toEqual([]);
      expect(h.queue.deadLetters.map(({ attributes }) => attributes.error_type?.value)).toEqual([reason]);
      // Once more, as after an answer that was lost: the message id on the row does not make the second event the first.
      expect(await h.deliver(record('m1', body, { receiveCount: 2 }))).toEqual([]);
      expect(h.queue.deadLetters.map(({ attributes }) => attributes.error_type?.value)).toEqual([reason, reason]);
      expect(h.topic.ids).toEqual(['a.json']);
    },
  );

  it('two events under one id with one payload are one event', async () => {
    const h = new Harness({ mapping: { envelope: 's3', eventId: 's3.object.key', businessKey: 's3.object.key' } });
    expect(await h.deliver(record('m1', s3('a.json', 'a.json')))).toEqual([]);
    expect(h.queue.deadLetters).toEqual([]);
    expect(h.topic.ids).toEqual(['a.json']);
  });

  it('C-35: the test event of S3 is acknowledged with an info line, and nothing is written', async () => {
    const h = new Harness({ mapping: { envelope: 's3', eventId: 's3.object.key', businessKey: 's3.object.key' } });
    const test = {
      Service: 'Amazon S3',
      Event: 's3:TestEvent',
      Time: '2026-01-01T00:00:00.000Z',
      Bucket: 'b',
      RequestId: 'r',
      HostId: 'h',
    };
    expect(await h.deliver(record('m1', test), record('m2', s3('k.json')))).toEqual([]);
    expect(h.topic.ids).toEqual(['k.json']);
    expect(h.store.rows.size).toBe(1);
    expect(h.telemetry.sum('NotOurs', 's3_test_event')).toBe(1);
  });
});
