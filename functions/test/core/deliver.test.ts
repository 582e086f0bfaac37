import { describe, expect, it } from '@jest/globals';
import { deliver, type Owned } from '../../src/core/deliver.ts';
import { relayShardOf } from '../../src/core/row.ts';
import type { Notifier, RowUpdateOutcome } from '../../src/ports.ts';
import { START_MS } from './harness.ts';
import { notification, row, type StageWorld, store, world } from './stage-world.ts';

const owned = (eventId = 'o-1', more: Partial<Owned> = {}): Owned => ({
  eventId,
  owner: 'us',
  notifications: [notification(eventId)],
  ...more,
});

/** Answers of the calls that change rows, one a call; the last one is repeated. */
const answer = (w: StageWorld, ...outcomes: (RowUpdateOutcome | undefined)[]) => {
  w.h.store.update = async (updates) => {
    const outcome = outcomes[Math.min(w.h.store.updates.length, outcomes.length - 1)];
    w.h.store.updates.push([...updates]);
    return outcome === undefined ? [] : updates.map(() => outcome);
  };
};

const unmarked = (error_name: string, count: number) => ({
  level: 'warn',
  message: 'rows not marked as sent',
  fields: { error_name, count },
});

const calls = (w: StageWorld) => w.h.store.updates.map((updates) => updates.map(({ kind }) => kind));

describe('publish, then mark (rule 7)', () => {
  it('marks in ISO time, and expires in seconds, 30 days later: milliseconds would never expire', async () => {
    const w = world();
    w.h.topic.fault = () => {
      expect(w.h.store.updates).toEqual([]);
      return undefined;
    };
    answer(w, { kind: 'done' });
    const two = owned('o-1', { notifications: [notification(), notification()] });
    expect(await deliver(w.ctx, [two], { release: true })).toEqual([{ kind: 'sent' }]);
    expect(w.sleeps).toEqual([]);
    expect(w.h.store.updates).toEqual([
      [
        {
          kind: 'mark',
          eventId: 'o-1',
          sentAt: '2026-01-01T00:00:00.000Z',
          expiresAtSeconds: START_MS / 1000 + 30 * 86_400,
          snsMessageIds: ['sns-1', 'sns-2'],
        },
      ],
    ]);
  });

  it('nothing to deliver: no call', async () => {
    const w = world();
    expect(await deliver(w.ctx, [], { release: true })).toEqual([]);
    expect([w.h.topic.calls, w.h.store.updates]).toEqual([[], []]);
  });

  it('an answer that leaves the row out is no row', async () => {
    const w = world();
    answer(w, { kind: 'condition_failed', row: undefined });
    w.h.store.readRows = async () => [];
    expect(await deliver(w.ctx, [owned()], { release: true })).toEqual([{ kind: 'failed', reason: 'mark_failed' }]);
  });

  it('25 marks a call', async () => {
    const w = world();
    answer(w, { kind: 'done' });
    const many = Array.from({ length: 26 }, (_, i) => owned(`o-${i}`));
    expect(await deliver(w.ctx, many, { release: true })).toEqual(many.map(() => ({ kind: 'sent' })));
    expect(w.h.store.updates.map((updates) => updates.length)).toEqual([25, 1]);
  });
});

describe('a publish that hangs until it is aborted', () => {
  it('leaves time to mark what is out', async () => {
    const w = world();
    const notifier: Notifier = {
      publish: async (topicArn, entries, signal) => {
        if (!entries.some(({ notification: { message } }) => message.includes('o-hangs')))
          return w.h.topic.publish(topicArn, entries);
        while (!signal.aborted) w.h.clock.advance(100);
        return entries.map(() => ({ kind: 'failed', name: 'AbortError', unknown: true }));
      },
    };
    const ids = [...Array.from({ length: 10 }, (_, i) => `o-${i}`), 'o-hangs'];
    for (const eventId of ids) store(w.h, row({ eventId, leaseOwner: 'us' }));
    const outcomes = await deliver(
      { ...w.ctx, notifier },
      ids.map((id) => owned(id)),
      { release: true },
    );
    expect(outcomes.slice(9)).toEqual([{ kind: 'sent' }, { kind: 'failed', reason: 'publish_unknown' }]);
    expect(ids.map((id) => w.h.store.status(id))).toEqual([...Array<string>(10).fill('sent'), 'pending']);
  });
});

describe('what was not published is not marked', () => {
  it.each([
    ['failed', 'publish_failed'],
    ['lost', 'publish_unknown'],
  ] as const)('%s: released, and its neighbour is marked in the same call', async (fault, reason) => {
    const w = world();
    w.h.topic.fault = ({ message }) => (message.includes('o-1') ? fault : undefined);
    answer(w, { kind: 'done' });
    expect(await deliver(w.ctx, [owned('o-1'), owned('o-2')], { release: true })).toEqual([
      { kind: 'failed', reason },
      { kind: 'sent' },
    ]);
    expect(calls(w)).toEqual([['release', 'mark']]);
    expect(w.h.store.updates[0]?.[0]).toEqual({
      kind: 'release',
      eventId: 'o-1',
      owner: 'us',
      relayShard: relayShardOf('o-1'),
    });
  });

  it('the relay keeps its lease: nothing is changed', async () => {
    const w = world();
    w.h.topic.fault = () => 'failed';
    expect(await deliver(w.ctx, [owned()], { release: false })).toEqual([{ kind: 'failed', reason: 'publish_failed' }]);
    expect(w.h.store.updates).toEqual([]);
  });

  it('a release that is done does not count as sent', async () => {
    const w = world();
    w.h.topic.fault = () => 'failed';
    answer(w, { kind: 'done' });
    expect(await deliver(w.ctx, [owned()], { release: true })).toEqual([{ kind: 'failed', reason: 'publish_failed' }]);
  });
});

describe('tries of one mark', () => {
  it('one more after a failure, with jitter', async () => {
    const w = world();
    answer(w, { kind: 'failed', name: 'TimeoutError' }, { kind: 'done' });
    expect(await deliver(w.ctx, [owned()], { release: true })).toEqual([{ kind: 'sent' }]);
    expect(calls(w)).toEqual([['mark'], ['mark']]);
    expect(w.sleeps).toEqual([50]);
  });

  it('an answer that does not name the mark is tried again too', async () => {
    const w = world();
    answer(w, undefined, { kind: 'done' });
    expect(await deliver(w.ctx, [owned()], { release: true })).toEqual([{ kind: 'sent' }]);
  });

  it('two failures are no acknowledgement', async () => {
    const w = world();
    answer(w, { kind: 'failed', name: 'TimeoutError' });
    expect(await deliver(w.ctx, [owned()], { release: true })).toEqual([{ kind: 'failed', reason: 'mark_failed' }]);
    expect(calls(w)).toEqual([['mark'], ['mark']]);
    expect(w.h.telemetry.lines).toStrictEqual([unmarked('TimeoutError', 1)]);
  });

  it('what is not marked in the end is said once for each name: a missing permission is no throttling', async () => {
    const w = world();
    const names = ['AccessDenied', 'ThrottlingError', 'ThrottlingError'];
    w.h.store.update = async (updates) => {
      w.h.store.updates.push([...updates]);
      // The first try fails for all alike; the last row is not in the second answer.
      if (w.h.store.updates.length === 1) return updates.map(() => ({ kind: 'failed', name: 'TimeoutError' }));
      return [...names.map((name): RowUpdateOutcome => ({ kind: 'failed', name })), { kind: 'done' }];
    };
    await deliver(
      w.ctx,
      ['o-1', 'o-2', 'o-3', 'o-4', 'o-5'].map((id) => owned(id)),
      { release: true },
    );
    expect(w.h.telemetry.lines).toStrictEqual([
      unmarked('AccessDenied', 1),
      unmarked('ThrottlingError', 2),
      unmarked('MissingFromAnswer', 1),
    ]);
  });

  it('only what failed is sent again', async () => {
    const w = world();
    w.h.store.updateFault = ({ eventId }) =>
      eventId === 'o-2' && w.h.store.updates.length === 1 ? 'failed' : undefined;
    for (const eventId of ['o-1', 'o-2', 'o-3']) store(w.h, row({ eventId }));
    const three = [owned('o-1'), owned('o-2'), owned('o-3')];
    expect(await deliver(w.ctx, three, { release: true })).toEqual(three.map(() => ({ kind: 'sent' })));
    expect(w.h.store.updates.map((updates) => updates.map(({ eventId }) => eventId))).toEqual([
      ['o-1', 'o-2', 'o-3'],
      ['o-2'],
    ]);
  });

  it('a release is best effort: once', async () => {
    const w = world();
    w.h.topic.fault = () => 'failed';
    answer(w, { kind: 'failed', name: 'TimeoutError' });
    await deliver(w.ctx, [owned()], { release: true });
    expect(calls(w)).toEqual([['release']]);
    expect(w.h.telemetry.lines.slice(1)).toStrictEqual([
      { level: 'warn', message: 'leases not released', fields: { error_name: 'TimeoutError', count: 1 } },
    ]);
  });

  it('within the deadline margin a published notification is still marked', async () => {
    const w = world();
    w.h.topic.fault = () => {
      w.h.clock.advance(29_000);
      return undefined;
    };
    answer(w, { kind: 'done' });
    expect(await deliver(w.ctx, [owned()], { release: true })).toEqual([{ kind: 'sent' }]);
  });

  it('once calls are aborted none is begun, and the event is not sent', async () => {
    const w = world();
    w.h.topic.fault = () => {
      w.h.clock.advance(29_500);
      return undefined;
    };
    answer(w, { kind: 'done' });
    expect(await deliver(w.ctx, [owned()], { release: true })).toEqual([{ kind: 'failed', reason: 'mark_failed' }]);
    expect(w.h.store.updates).toEqual([]);
  });
});

describe('a mark whose condition failed (rule 6)', () => {
  it.each([
    ['sent: success', row({ status: 'sent' }), { kind: 'sent' }],
    ['still pending: no acknowledgement', row(), { kind: 'failed', reason: 'mark_failed' }],
    ['of a newer version', { eventId: 'o-1', unknown: true } as const, { kind: 'failed', reason: 'row_newer' }],
  ])('%s; it is not tried again', async (_, found, expected) => {
    const w = world();
    answer(w, { kind: 'condition_failed', row: found });
    expect(await deliver(w.ctx, [owned()], { release: true })).toEqual([expected]);
    expect(calls(w)).toEqual([['mark']]);
    expect(w.h.store.reads).toEqual([]);
    expect(w.h.telemetry.sum('RowMissingAtMark')).toBe(0);
  });

  it.each([
    [{}, { event_id: 'o-1' }],
    [{ correlationId: 'c-1' }, { event_id: 'o-1', correlation_id: 'c-1' }],
  ])('gone: acknowledged, since a failure would commit again; error and metric (%j)', async (more, fields) => {
    const w = world();
    answer(w, { kind: 'condition_failed', row: null });
    expect(await deliver(w.ctx, [owned('o-1', more)], { release: true })).toEqual([{ kind: 'sent' }]);
    expect(w.h.telemetry.metrics).toEqual([{ metric: 'RowMissingAtMark', value: 1, reason: undefined }]);
    expect(w.h.telemetry.lines).toStrictEqual([
      { level: 'error', message: expect.stringMatching(/^row missing at mark/), fields },
    ]);
  });

  it('not known: it is read once, consistently', async () => {
    for (const [prepare, expected] of [
      [(w: StageWorld) => store(w.h, row({ status: 'sent' })), { kind: 'sent' }],
      [(w: StageWorld) => store(w.h, row()), { kind: 'failed', reason: 'mark_failed' }],
      [() => {}, { kind: 'sent' }],
      [
        (w: StageWorld) => {
          w.h.store.readFault = () => 'TimeoutError';
        },
        { kind: 'failed', reason: 'mark_failed' },
      ],
    ] as const) {
      const w = world();
      prepare(w);
      answer(w, { kind: 'condition_failed', row: undefined });
      expect(await deliver(w.ctx, [owned()], { release: true })).toEqual([expected]);
      expect(w.h.store.reads).toEqual([['o-1']]);
    }
  });
});
