import { describe, expect, it } from '@jest/globals';
import { declarativeMeaning } from '../../src/core/mapping.ts';
import type { SourceRecord } from '../../src/core/types.ts';
import type { Failed, LogFields } from '../../src/ports.ts';
import { Harness, MAPPING, order, record, START_MS } from './harness.ts';
import { hashOf, row, store } from './stage-world.ts';

/** Every alarm that is set and neither rang nor was cancelled. */
function openAlarms(h: Harness): () => number {
  const open = new Set<object>();
  const alarm = h.clock.alarm.bind(h.clock);
  h.clock.alarm = (atMs, callback) => {
    const key = {};
    open.add(key);
    const cancel = alarm(atMs, callback);
    return () => {
      open.delete(key);
      cancel();
    };
  };
  return () => open.size;
}

/** Arguments of every call that asks for a time to come back. */
function hides(h: Harness): { receiptHandle: string; seconds: number }[][] {
  const calls: { receiptHandle: string; seconds: number }[][] = [];
  h.queue.changeVisibility = async (entries) => {
    calls.push([...entries]);
    return entries.map(() => false);
  };
  return calls;
}

const MISSING: LogFields = { error_name: 'MissingFromAnswer', count: 1 };

const throttled = (h: Harness) => {
  h.store.commitFault = () => ({ kind: 'throttled', name: 'ThrottlingException', retried: false });
};

describe('the answer of a batch', () => {
  it.each([
    ['sqs', ['1', '2']],
    ['sqs_fifo', ['1', '2']],
    ['kinesis', ['1']],
    ['dynamodb_stream', ['1']],
  ] as const)('of %s names %j when both of its records fail', async (source, names) => {
    const h = new Harness({ settings: { source } });
    throttled(h);
    expect(await h.deliver(record('1', order('o-1')), record('2', order('o-2')))).toEqual(names);
  });
});

describe('a container is left as it was found', () => {
  it('without an alarm of the invocation that ended, whether it ended well or not', async () => {
    const h = new Harness();
    const open = openAlarms(h);
    await h.deliver(record('m1', order('o-1')));
    expect(open()).toBe(0);
    throttled(h);
    await expect(h.invoke([{ ...record('m2', order('o-2')), id: undefined }])).rejects.toThrow();
    expect(open()).toBe(0);
  });
});

describe('a bug of ours', () => {
  it.each([
    [new TypeError('a bug'), 'TypeError'],
    ['a bug', 'string'],
  ])('(%p) is an error in the log, what is open comes back with its backoff', async (thrown, errorName) => {
    const h = new Harness();
    h.store.commitFault = () => {
      throw thrown;
    };
    expect(await h.deliver(record('m1', order('o-1')))).toEqual(['m1']);
    expect(h.telemetry.lines.slice(0, 2)).toStrictEqual([
      { level: 'error', message: 'the consumer failed', fields: { reason: 'internal', error_name: errorName } },
      {
        level: 'warn',
        message: 'failed: comes back',
        fields: { event_id: 'o-1', message_id: 'm1', receive_count: 1, reason: 'internal', delay_seconds: 8 },
      },
    ]);
  });

  it('quarantines nothing: what is permanent was judged by a consumer that is broken', async () => {
    const h = new Harness();
    h.store.commitFault = () => {
      throw new Error('a bug');
    };
    expect(await h.deliver(record('m1', order('o-1')), record('m2', 'no json'))).toEqual(['m1', 'm2']);
    expect(h.queue.deadLetters).toEqual([]);
    expect(h.telemetry.lines.at(-2)).toStrictEqual({
      level: 'warn',
      message: 'failed: comes back',
      fields: {
        message_id: 'm2',
        receive_count: 1,
        reason: 'quarantine_off',
        permanent_reason: 'not_json',
        delay_seconds: 8,
      },
    });
  });

  it('leaves alone what is settled already', async () => {
    const h = new Harness({ settings: { source: 'sqs_fifo' } });
    h.store.commitFault = (_, call) => {
      if (call === 1) throw new Error('a bug');
      return undefined;
    };
    const lane = ['1', '2', '3'].map((id) => record(id, order(`o-${id}`), { groupId: 'A' }));
    expect(await h.deliver(...lane)).toEqual(['2', '3']);
    expect(h.store.status('o-1')).toBe('sent');
  });
});

describe('a message with several events', () => {
  it('counts the parts that the filter excludes, though nothing can be read from them but that', async () => {
    const s3 = (key: string, more = {}) => ({ eventSource: 'aws:s3', s3: { object: { key, ...more } } });
    const id = 's3.object.versionId';
    const h = new Harness({
      mapping: { envelope: 's3', eventId: id, businessKey: id, eventFilter: "s3.object.key == 'a'" },
    });
    const message = { Records: [s3('a', { versionId: 'v-1' }), s3('b'), s3('c', { versionId: 'v-3' })] };
    expect(await h.deliver(record('m1', message))).toEqual([]);
    expect(h.store.status('v-1')).toBe('sent');
    expect(h.telemetry.sum('NotOurs', 'filtered')).toBe(2);
  });
});

describe('a failed record is asked for at its own time', () => {
  it('in one call; what is done is not touched', async () => {
    const h = new Harness();
    const calls = hides(h);
    h.topic.fault = ({ message }) => (/o-[13]/.test(message) ? 'failed' : undefined);
    await h.deliver(
      record('m1', order('o-1'), { receiveCount: 1 }),
      record('m2', order('o-2')),
      record('m3', order('o-3'), { receiveCount: 2 }),
    );
    expect(calls).toEqual([
      [
        { receiptHandle: 'handle-m1', seconds: 8 },
        { receiptHandle: 'handle-m3', seconds: 15 },
      ],
    ]);
  });

  const { receiptHandle: _, ...handleless } = record('m1', order('o-1'));
  it.each<[string, SourceRecord]>([
    ['nothing failed', record('m2', order('o-2'))],
    ['it has no handle', handleless],
    ['it has no time of its own', record('m3', 'the decoder throws')],
  ])('no call when %s', async (_title, only) => {
    const meaning = declarativeMeaning(MAPPING);
    const h = new Harness({
      meaning: {
        ...meaning,
        decode: (source) => {
          if (source.id === 'm3') throw new Error('a bug');
          return meaning.decode(source);
        },
      },
    });
    const calls = hides(h);
    if (only.id === 'm1') throttled(h);
    await h.deliver(only);
    expect(calls).toEqual([]);
  });

  it('not once calls are aborted: it comes back after the visibility timeout', async () => {
    const h = new Harness();
    const calls = hides(h);
    h.store.commitFault = () => {
      h.clock.advance(29_600);
      return { kind: 'throttled', name: 'ThrottlingException', retried: false };
    };
    expect(await h.deliver(record('m1', order('o-1')))).toEqual(['m1']);
    expect(calls).toEqual([]);
  });

  it.each<[string, Failed[], LogFields[]]>([
    ['refused', ['AccessDenied', 'AccessDenied'], [{ error_name: 'AccessDenied', count: 2 }]],
    ['not answered', ['RequestThrottled'], [{ error_name: 'RequestThrottled', count: 1 }, MISSING]],
    ['done', [false, false], []],
  ])('says why when it is %s: the message comes back all the same, later or sooner', async (_, answer, said) => {
    const h = new Harness();
    throttled(h);
    h.queue.changeVisibility = async () => answer;
    expect(await h.deliver(record('m1', order('o-1')), record('m2', order('o-2')))).toEqual(['m1', 'm2']);
    const lines = h.telemetry.lines.filter(({ message }) => message === 'visibility not changed');
    expect(lines).toStrictEqual(said.map((fields) => ({ level: 'warn', message: 'visibility not changed', fields })));
  });
});

describe('a container that met duplicates reads the rows of the next batch first', () => {
  /** Whether a batch of so many new events is looked up before it is committed. */
  async function readsFirst(h: Harness, events: number): Promise<boolean> {
    h.store.reads.length = 0;
    await h.deliver(...Array.from({ length: events }, (_, i) => record(`n${i}`, order(`new-${events}-${i}`))));
    return h.store.reads.length > 0;
  }
  const first = (id: string) => record(`m-${id}`, order(id));

  it.each<[string, (h: Harness) => Promise<unknown>, boolean]>([
    ['new events', (h) => h.deliver(first('o-1')), false],
    [
      'a first delivery of what was sent before',
      async (h) => {
        await new Harness({ on: h }).deliver(first('o-1'));
        await h.deliver(first('o-1'));
      },
      true,
    ],
    [
      'a first delivery of what was committed before and not published',
      async (h) => {
        const other = new Harness({ on: h });
        h.topic.fault = () => 'failed';
        await other.deliver(first('o-1'));
        h.topic.fault = () => undefined;
        await h.deliver(first('o-1'));
        expect(h.telemetry.sum('Recovered')).toBe(1);
      },
      true,
    ],
    [
      'a redelivery of what was sent before: its row is read anyway',
      async (h) => {
        await new Harness({ on: h }).deliver(first('o-1'));
        await h.deliver({ ...first('o-1'), receiveCount: 2 });
      },
      false,
    ],
    [
      'two copies of one event: no read would have found the other',
      (h) => h.deliver(first('o-1'), first('o-1')),
      false,
    ],
    [
      'a first delivery that failed',
      async (h) => {
        store(h, row({ eventId: 'o-1', payloadHash: hashOf('b'), leaseExpiresAtMs: START_MS + 10_000 }));
        await h.deliver(record('m1', 'no json'), first('o-1'));
      },
      false,
    ],
  ])('%s', async (_title, earlier, reads) => {
    const h = new Harness();
    await earlier(h);
    expect(await readsFirst(h, 50)).toBe(reads);
  });

  it('but not one that met excluded events: their rows are read anyway', async () => {
    const h = new Harness({ mapping: { eventFilter: 'amount' } });
    store(h, row({ leaseExpiresAtMs: START_MS - 1 }));
    await h.deliver(record('m2', { id: 'o-1' }));
    expect(h.telemetry.sum('Recovered')).toBe(1);
    expect(await readsFirst(h, 50)).toBe(false);
  });

  it('by the share of duplicates: one in fifty pays for a batch of fifty, not for one of twenty-five', async () => {
    for (const [events, reads] of [
      [25, false],
      [50, true],
    ] as const) {
      const h = new Harness();
      await new Harness({ on: h }).deliver(first('o-0'));
      await h.deliver(...Array.from({ length: 50 }, (_, i) => first(`o-${i}`)));
      expect(await readsFirst(h, events)).toBe(reads);
    }
  });
});
