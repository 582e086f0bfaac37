import { describe, expect, it } from '@jest/globals';
import type { AttributeMap } from '../../src/core/attribute-value.ts';
import { planAgain, planAll, prepareWork } from '../../src/core/plan.ts';
import { itemName } from '../../src/core/prepare.ts';
import { relayShardOf } from '../../src/core/row.ts';
import type { DecodedEvent, Meaning, Plan, Planned, ReadKey } from '../../src/core/types.ts';
import { type EventWork, verdictOf } from '../../src/core/work.ts';
import { START_MS } from './harness.ts';
import { event, hashOf, notification, type StageWorld, settled, work, world } from './stage-world.ts';

const transient = (reason: string) => ({ kind: 'transient', reason });

const uncommitted = (eventId = 'o-1', more: Partial<EventWork> = {}) =>
  work(eventId, { stage: { at: 'uncommitted' }, ...more });

const NOTHING: Plan = { writes: [], notifications: [] };

interface Handler {
  readonly reads?: (event: DecodedEvent) => readonly ReadKey[];
  readonly plan?: (event: DecodedEvent) => Planned | Promise<Planned>;
}

/** A handler, and what it was asked to plan: the id, and the items that it was given. */
function handler({ reads, plan = () => ({ kind: 'plan', plan: NOTHING }) }: Handler = {}) {
  const asked: [string, ...(AttributeMap | undefined)[]][] = [];
  const meaning: Meaning = {
    decode: () => {
      throw new Error('nothing is decoded here');
    },
    plan(event, items) {
      asked.push([event.eventId, ...items]);
      return plan(event);
    },
    ...(reads === undefined ? {} : { reads }),
  };
  return { meaning, asked };
}

const STOCK = (name: string): ReadKey => ({ table: 'stock', key: { pk: { S: name } } });

/** Puts an item into the table, and gives it back. */
function stocked(w: StageWorld, name: string): AttributeMap {
  const item = { pk: { S: name }, left: { N: '3' } };
  w.h.store.items.set(itemName('stock', { pk: { S: name } }), item);
  return item;
}

/** Keys of every call that reads items. */
function watchReads(w: StageWorld): (readonly ReadKey[])[] {
  const calls: (readonly ReadKey[])[] = [];
  const read = w.h.store.readItems.bind(w.h.store);
  w.h.store.readItems = async (keys) => {
    calls.push(keys);
    return read(keys);
  };
  return calls;
}

describe('what is planned', () => {
  it('every event that is not known to be committed, and no other', async () => {
    const { meaning, asked } = handler({ reads: ({ eventId }) => [STOCK(eventId)] });
    const w = world({ meaning });
    const reads = watchReads(w);
    const done = settled('o-1', { kind: 'sent', how: 'committed', payloadHash: hashOf('a') });
    const before = done.stage;
    const open = uncommitted('o-2');
    await planAll(w.ctx, [done, open]);
    expect(asked).toEqual([['o-2', undefined]]);
    expect(reads).toEqual([[STOCK('o-2')]]);
    expect(done.stage).toBe(before);
    expect(open.stage).toMatchObject({ at: 'prepared', how: 'committed' });
  });

  it.each<[string, Planned | Promise<Planned>, EventWork['stage']]>([
    [
      'what is refused is permanent',
      Promise.resolve({ kind: 'rejected', reason: 'business_rejected' }),
      { at: 'settled', verdict: { kind: 'permanent', reason: 'business_rejected' } },
    ],
    [
      'what AWS would refuse is permanent',
      { kind: 'plan', plan: { ...NOTHING, notifications: [{ ...notification(), message: '' }] } },
      { at: 'settled', verdict: { kind: 'permanent', reason: 'notification_invalid' } },
    ],
  ])('%s', async (_, planned, stage) => {
    const w = world({ meaning: handler({ plan: () => planned }).meaning });
    const it = uncommitted();
    await planAll(w.ctx, [it]);
    expect(it.stage).toStrictEqual(stage);
  });

  it('within the deadline margin nothing: no read is begun, and no handler', async () => {
    const { meaning, asked } = handler({ reads: () => [STOCK('s-1')] });
    const w = world({ meaning });
    const reads = watchReads(w);
    w.h.clock.advance(28_500);
    const done = settled('o-2', { kind: 'not_ours', reason: 'filtered' });
    const open = uncommitted();
    await planAll(w.ctx, [open, done]);
    expect(verdictOf(open)).toStrictEqual(transient('deadline'));
    expect(verdictOf(done)).toEqual({ kind: 'not_ours', reason: 'filtered' });
    expect([asked, reads]).toEqual([[], []]);
  });
});

describe('items that a handler asked for', () => {
  it('are read in one call for all events, and each gets its own, in the order asked', async () => {
    const keys: Record<string, ReadKey[]> = { 'o-1': [STOCK('s-1'), STOCK('s-2')], 'o-2': [], 'o-3': [STOCK('s-3')] };
    const { meaning, asked } = handler({ reads: ({ eventId }) => keys[eventId] ?? [] });
    const w = world({ meaning });
    const reads = watchReads(w);
    const [first, third] = [stocked(w, 's-1'), stocked(w, 's-3')];
    await planAll(w.ctx, [uncommitted('o-1'), uncommitted('o-2'), uncommitted('o-3')]);
    expect(reads).toEqual([[STOCK('s-1'), STOCK('s-2'), STOCK('s-3')]]);
    expect(asked).toEqual([['o-1', first, undefined], ['o-2'], ['o-3', third]]);
  });

  it('none asked for: no call', async () => {
    const { meaning, asked } = handler({ reads: () => [] });
    const w = world({ meaning });
    const reads = watchReads(w);
    await planAll(w.ctx, [uncommitted()]);
    expect([asked, reads]).toEqual([[['o-1']], []]);
  });

  it.each([
    [
      'a read that failed',
      [{ kind: 'failed', name: 'TimeoutError' }, { kind: 'absent' }] as const,
      [['items not read', 'TimeoutError']],
    ],
    ['an item that the answer leaves out', [{ kind: 'absent' }] as const, []],
  ])('%s is no absent item: its event is not planned, its neighbour is', async (_, missing, logged) => {
    const { meaning, asked } = handler({
      reads: ({ eventId }) => (eventId === 'o-2' ? [STOCK('s-1'), STOCK('s-2')] : [STOCK('s-3')]),
    });
    const w = world({ meaning });
    w.h.store.readItems = async () => [{ kind: 'absent' }, ...missing];
    const [good, bad] = [uncommitted('o-1'), uncommitted('o-2')];
    await planAll(w.ctx, [good, bad]);
    expect(asked).toEqual([['o-1', undefined]]);
    expect(w.h.telemetry.lines.map(({ message, fields }) => [message, fields.error_name])).toEqual(logged);
    expect(verdictOf(bad)).toStrictEqual(transient('look_up_failed'));
    expect(good.stage.at).toBe('prepared');
  });

  it('are read again for another plan: the first was made from what has changed', async () => {
    const { meaning, asked } = handler({ reads: () => [STOCK('s-1')] });
    const w = world({ meaning });
    const it = uncommitted();
    await planAll(w.ctx, [it]);
    const item = stocked(w, 's-1');
    await planAgain(w.ctx, it);
    expect(asked).toEqual([
      ['o-1', undefined],
      ['o-1', item],
    ]);
    expect(it.stage.at).toBe('prepared');
  });
});

describe('an exception out of a handler is transient: the message must survive a bug of one deploy', () => {
  const thrown = (error: unknown) => () => {
    throw error;
  };

  it.each<[string, Handler, string]>([
    ['plan throws', { plan: thrown(new RangeError('x')) }, 'RangeError'],
    ['plan rejects', { plan: () => Promise.reject(new TypeError('x')) }, 'TypeError'],
    ['plan throws what is no error', { plan: thrown('secret of the body') }, 'string'],
    ['reads throws', { reads: thrown(new TypeError('x')) }, 'TypeError'],
  ])('%s: a line with the name of the error, and never its text', async (_, failing, name) => {
    const { meaning, asked } = handler(failing);
    const w = world({ meaning });
    const it = uncommitted('o-1', { receiveCount: 2, event: event('o-1', { correlationId: 'c-1' }) });
    await planAll(w.ctx, [it]);
    expect(verdictOf(it)).toStrictEqual(transient('handler_failed'));
    expect(asked).toHaveLength(failing.reads === undefined ? 1 : 0);
    expect(w.h.telemetry.lines).toStrictEqual([
      {
        level: 'error',
        message: 'handler threw',
        fields: {
          event_id: 'o-1',
          correlation_id: 'c-1',
          message_id: 'm1',
          receive_count: 2,
          reason: 'handler_failed',
          error_name: name,
        },
      },
    ]);
  });

  it('the line names no correlation id where the event has none', async () => {
    const w = world({ meaning: handler({ plan: thrown(new RangeError('x')) }).meaning });
    await planAll(w.ctx, [uncommitted()]);
    expect(w.h.telemetry.lines[0]?.fields).not.toHaveProperty('correlation_id');
  });

  it('its neighbours are planned, with their own items', async () => {
    const { meaning, asked } = handler({
      reads: ({ eventId }) => (eventId === 'o-1' ? thrown(new Error('x'))() : [STOCK(eventId)]),
    });
    const w = world({ meaning });
    const item = stocked(w, 'o-2');
    await planAll(w.ctx, [uncommitted('o-1'), uncommitted('o-2')]);
    expect(asked).toEqual([['o-2', item]]);
  });
});

describe('a handler takes its time', () => {
  const never = () => new Promise<Planned>(() => {});

  it('C-04: a promise that never settles costs half of the time that is left, and its own event', async () => {
    const { meaning, asked } = handler({
      plan: ({ eventId }) => (eventId === 'o-1' ? never() : { kind: 'plan', plan: NOTHING }),
    });
    const w = world({ meaning, settings: { concurrency: 1 } });
    const [hung, good] = [uncommitted('o-1'), uncommitted('o-2')];
    const running = planAll(w.ctx, [hung, good]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toEqual([['o-1']]);
    w.h.clock.advance(14_249);
    await new Promise((resolve) => setImmediate(resolve));
    expect(hung.stage.at).toBe('uncommitted');
    w.h.clock.advance(1);
    await running;
    expect(verdictOf(hung)).toStrictEqual(transient('handler_failed'));
    expect(good.stage.at).toBe('prepared');
    expect(w.h.telemetry.lines.map(({ fields }) => fields.error_name)).toEqual(['HandlerTimeout']);
  });

  it('a promise that settles leaves no alarm behind', async () => {
    const { meaning } = handler({ plan: async () => ({ kind: 'plan', plan: NOTHING }) });
    const w = world({ meaning });
    let open = 0;
    const alarm = w.h.clock.alarm.bind(w.h.clock);
    w.h.clock.alarm = (atMs, callback) => {
      open += 1;
      const cancel = alarm(atMs, callback);
      return () => {
        open -= 1;
        cancel();
      };
    };
    await planAll(w.ctx, [uncommitted()]);
    expect(open).toBe(0);
  });

  it('what its neighbours took all the time from is not planned', async () => {
    const { meaning, asked } = handler({
      plan: () => {
        w.h.clock.advance(28_500);
        return { kind: 'plan', plan: NOTHING };
      },
    });
    const w: StageWorld = world({ meaning, settings: { concurrency: 1 } });
    const [first, second] = [uncommitted('o-1'), uncommitted('o-2')];
    await planAll(w.ctx, [first, second]);
    expect(asked).toEqual([['o-1']]);
    expect(verdictOf(second)).toStrictEqual(transient('deadline'));
  });
});

describe('the row of a planned event', () => {
  const prepared = (w: StageWorld, it: EventWork, plan: Plan = { ...NOTHING, notifications: [notification()] }) => {
    prepareWork(w.ctx, it, plan, 'committed');
    return it.stage.at === 'prepared' ? it.stage.prepared.row : undefined;
  };

  it('is pending, and leased to us until the invocation is over', () => {
    expect(prepared(world(), uncommitted())).toStrictEqual({
      event_id: { S: 'o-1' },
      v: { N: '1' },
      status: { S: 'pending' },
      payload_hash: { S: hashOf('a') },
      notifications: { L: [expect.anything()] },
      lease_owner: { S: 'us' },
      lease_expires_at_ms: { N: String(START_MS + 31_000) },
      created_at: { S: '2026-01-01T00:00:00.000Z' },
      source: { S: 'sqs' },
      message_id: { S: 'm1' },
    });
  });

  it('with nothing to publish is sent at once, and expires', () => {
    const w = world();
    const it = uncommitted();
    prepareWork(w.ctx, it, NOTHING, 'superseded');
    expect(it.stage).toMatchObject({
      at: 'prepared',
      how: 'superseded',
      prepared: {
        row: { status: { S: 'sent' }, expires_at: { N: String(START_MS / 1_000 + 30 * 86_400) } },
        items: ['["processed_events",["event_id","So-1"]]'],
      },
    });
  });

  it('keeps the trace that the message came with', () => {
    expect(prepared(world(), uncommitted('o-1', { traceHeader: 'Root=1-2' }))).toHaveProperty('trace', {
      S: 'Root=1-2',
    });
  });

  it.each([
    ['a first delivery of several: the redelivery finishes it', 1, 12, false],
    ['a second delivery', 2, 12, true],
    ['the only delivery: SQS moves the message before another', 1, 1, true],
  ])('is in the index of the relay from the start when it may be the last try (%s)', (_, receiveCount, max, there) => {
    const w = world({ settings: { maxReceiveCount: max } });
    const row = prepared(w, uncommitted('o-1', { receiveCount, event: event('o-1') }));
    expect(row?.relay_shard).toEqual(there ? { S: relayShardOf('o-1') } : undefined);
  });
});
