import { describe, expect, it } from '@jest/globals';
import { runStandard } from '../../src/core/standard.ts';
import type { DecodedEvent, Planned } from '../../src/core/types.ts';
import type { EventWork, RecordWork } from '../../src/core/work.ts';
import { record, START_MS } from './harness.ts';
import { event, hashOf, notification, recordWork, row, type StageWorld, store, work, world } from './stage-world.ts';

/** Receives from which a record may be what kills the process. */
const SUSPECT = 3;

interface Moment {
  readonly planned: string;
  readonly deleted: readonly string[];
  readonly deadLetters: readonly string[];
  readonly published: readonly string[];
}

/** A world that plans every event, `bad` ones as permanent, and keeps what was finished at each plan. */
function watched(): { w: StageWorld; moments: Moment[] } {
  const moments: Moment[] = [];
  const w: StageWorld = world({
    meaning: {
      decode: () => ({ kind: 'events', events: [], issues: [] }),
      plan: ({ eventId }: DecodedEvent): Planned => {
        moments.push({
          planned: eventId,
          deleted: [...w.h.queue.deleted],
          deadLetters: w.h.queue.deadLetters.map(({ messageId }) => messageId),
          published: [...w.h.topic.ids],
        });
        return eventId.startsWith('bad')
          ? { kind: 'rejected', reason: 'schema_violation' }
          : { kind: 'plan', plan: { writes: [], notifications: [notification(eventId)] } };
      },
    },
  });
  return { w, moments };
}

/** A record whose id is that of its events. */
function of(eventId: string, receiveCount = 1, events?: EventWork[]): RecordWork {
  const messageId = `m-${eventId}`;
  return recordWork(messageId, {
    source: record(messageId, {}, { receiveCount }),
    events: events ?? [work(eventId, { event: event(eventId, { messageId }), receiveCount })],
  });
}

const states = (batch: readonly RecordWork[]) => batch.map(({ state }) => state.at);
const committed = (w: StageWorld, eventId: string, more: Parameters<typeof row>[0] = {}) =>
  store(w.h, row({ eventId, leaseExpiresAtMs: START_MS - 1, messageId: `m-${eventId}`, ...more }));

describe('a batch without suspects', () => {
  it('begins with what is closest to the dead-letter queue, and asks for no delete', async () => {
    const { w, moments } = watched();
    w.h.queue.delete = () => {
      throw new Error('called');
    };
    const batch = [of('a', 1), of('b', 2), of('c', 1)];
    await runStandard(w.ctx, batch);
    expect(moments.map(({ planned }) => planned)).toEqual(['b', 'a', 'c']);
    expect(states(batch)).toEqual(['done', 'done', 'done']);
  });

  it('is judged by the breaker as a whole', async () => {
    const { w } = watched();
    const batch = ['bad-1', 'bad-2', 'bad-3', 'a', 'b'].map((id) => of(id));
    await runStandard(w.ctx, batch);
    expect(states(batch)).toEqual(['failed', 'failed', 'failed', 'done', 'done']);
    expect(w.h.telemetry.sum('BreakerOpen')).toBe(1);
  });
});

describe('before a suspect is tried', () => {
  it('everything else is finished, in the dead-letter queue, and deleted', async () => {
    const { w, moments } = watched();
    const batch = [of('s', SUSPECT), of('bad'), of('a'), of('b'), of('c')];
    await runStandard(w.ctx, batch);
    expect(moments.at(-1)).toEqual({
      planned: 's',
      deleted: ['handle-m-bad', 'handle-m-a', 'handle-m-b', 'handle-m-c'],
      deadLetters: ['m-bad'],
      published: ['a', 'b', 'c'],
    });
    expect(states(batch)).toEqual(['done', 'quarantined', 'done', 'done', 'done']);
  });

  it('nothing is quarantined that the breaker may hold back with it; what is done is deleted all the same', async () => {
    const { w, moments } = watched();
    const batch = [of('bad-s', SUSPECT), of('bad-1'), of('bad-2'), of('a'), of('b')];
    await runStandard(w.ctx, batch);
    expect(moments.at(-1)).toEqual({
      planned: 'bad-s',
      deleted: ['handle-m-a', 'handle-m-b'],
      deadLetters: [],
      published: ['a', 'b'],
    });
    expect(states(batch)).toEqual(['failed', 'failed', 'failed', 'done', 'done']);
  });

  it('that is good after all, what waited for it is quarantined', async () => {
    const { w } = watched();
    const batch = [of('s', SUSPECT), of('bad-1'), of('bad-2'), of('a'), of('b')];
    await runStandard(w.ctx, batch);
    expect(states(batch)).toEqual(['done', 'quarantined', 'quarantined', 'done', 'done']);
  });

  it('what is committed already is finished together: it needs no plan, and so kills nothing', async () => {
    const { w, moments } = watched();
    for (const id of ['b', 'c']) committed(w, id);
    const batch = [of('a', SUSPECT), of('b', SUSPECT), of('c', SUSPECT)];
    await runStandard(w.ctx, batch);
    expect(moments).toEqual([
      { planned: 'a', deleted: ['handle-m-b', 'handle-m-c'], deadLetters: [], published: ['b', 'c'] },
    ]);
    expect(w.h.topic.calls).toEqual([2, 1]);
    expect(states(batch)).toEqual(['done', 'done', 'done']);
  });

  it('a record is not known by one of its events alone: the other one is to be planned', async () => {
    const { w, moments } = watched();
    committed(w, 'b-1', { messageId: 'm-b' });
    const parts = ['b-1', 'b-2'].map((id) =>
      work(id, { event: event(id, { messageId: 'm-b' }), receiveCount: SUSPECT }),
    );
    const batch = [of('a', SUSPECT), of('b', SUSPECT, parts)];
    await runStandard(w.ctx, batch);
    expect(moments.map(({ planned, deleted }) => [planned, deleted])).toEqual([
      ['a', []],
      ['b-2', ['handle-m-a']],
    ]);
    expect(states(batch)).toEqual(['done', 'done']);
  });

  it('a suspect that is permanent by its row is not quarantined: the breaker does not know the others yet', async () => {
    const { w, moments } = watched();
    committed(w, 'x', { status: 'sent', payloadHash: hashOf('b'), messageId: 'm0' });
    const batch = [of('a', SUSPECT), of('x', SUSPECT)];
    await runStandard(w.ctx, batch);
    expect(moments).toEqual([{ planned: 'a', deleted: [], deadLetters: [], published: [] }]);
    expect(states(batch)).toEqual(['done', 'quarantined']);
  });

  it('nor is one whose plan is permanent, before the next one is tried', async () => {
    const { w, moments } = watched();
    const batch = [of('bad-s', SUSPECT), of('s', SUSPECT)];
    await runStandard(w.ctx, batch);
    expect(moments.map(({ planned, deadLetters }) => [planned, deadLetters])).toEqual([
      ['bad-s', []],
      ['s', []],
    ]);
    expect(states(batch)).toEqual(['quarantined', 'done']);
  });
});

describe('suspects', () => {
  it('whose turn does not come before the deadline are returned untried, at no call', async () => {
    const { w, moments } = watched();
    const update = w.h.store.update.bind(w.h.store);
    w.h.store.update = async (...all) => {
      const outcomes = await update(...all);
      w.h.clock.advance(28_500);
      return outcomes;
    };
    const batch = ['1', '2', '3'].map((id) => of(id, SUSPECT));
    await runStandard(w.ctx, batch);
    expect(batch[0]?.state.at).toBe('done');
    expect(moments.map(({ planned }) => planned)).toEqual(['1']);
    expect(w.h.queue.deleted).toEqual([]);
    expect(batch.slice(1).map(({ state }) => state)).toEqual([
      expect.objectContaining({ at: 'failed', reason: 'deadline' }),
      expect.objectContaining({ at: 'failed', reason: 'deadline' }),
    ]);
  });

  it('that are all committed already cost no delete: the answer acknowledges them', async () => {
    const { w, moments } = watched();
    for (const id of ['a', 'b']) committed(w, id);
    const batch = [of('a', SUSPECT), of('b', SUSPECT)];
    await runStandard(w.ctx, batch);
    expect([moments, w.h.queue.deleted]).toEqual([[], []]);
    expect(states(batch)).toEqual(['done', 'done']);
  });

  it('take turns by their message, one without an id first, and the other way round on the next receive', async () => {
    for (const [receiveCount, planned] of [
      [SUSPECT, ['nameless', '1', '2']],
      [SUSPECT + 1, ['2', '1', 'nameless']],
    ] as const) {
      const { w, moments } = watched();
      const batch = ['2', 'nameless', '1'].map((id) => {
        const source = record(id, {}, { receiveCount });
        return recordWork(id, {
          source: id === 'nameless' ? { ...source, id: undefined } : source,
          events: [work(id, { receiveCount })],
        });
      });
      await runStandard(w.ctx, batch);
      expect(moments.map((it) => it.planned)).toEqual(planned);
    }
  });
});
