import { describe, expect, it } from '@jest/globals';
import { declarativeMeaning } from '../../src/core/mapping.ts';
import { deliverAll, settleEvents, takeOverAll } from '../../src/core/stages.ts';
import { type EventWork, type Verdict, verdictOf } from '../../src/core/work.ts';
import type { RowUpdateOutcome } from '../../src/ports.ts';
import { MAPPING, START_MS, TOPIC } from './harness.ts';
import { event, hashOf, notification, row, type StageWorld, settled, store, work, world } from './stage-world.ts';

const SENT = (how: string) => ({ kind: 'sent', how, payloadHash: hashOf('a') });
const transient = (reason: string) => ({ kind: 'transient', reason });

const order = (eventId = 'o-1', more: Partial<EventWork> = {}) =>
  work(eventId, { event: event(eventId, { payload: { id: eventId, amount: 10 } }), ...more });

/** The answer to every call that changes rows. */
const answer = (w: StageWorld, outcome: RowUpdateOutcome) => {
  w.h.store.update = async (updates) => {
    w.h.store.updates.push([...updates]);
    return updates.map(() => outcome);
  };
};

describe('several events with one id', () => {
  it('the first is committed and published, and the others are duplicates of it, at no cost', async () => {
    const w = world();
    const works = [order(), order(), order('o-2'), order()];
    await settleEvents(w.ctx, works);
    expect(works.map(verdictOf)).toStrictEqual([
      SENT('committed'),
      SENT('duplicate'),
      SENT('committed'),
      SENT('duplicate'),
    ]);
    expect(works.map(({ twin }) => twin)).toEqual([false, true, false, true]);
    expect(w.h.store.commits).toEqual([['o-1', 'o-2']]);
    expect(w.h.store.reads).toEqual([]);
    expect(w.h.topic.ids).toEqual(['o-1', 'o-2']);
  });

  it('another payload is no duplicate: its own way through the stages finds the row', async () => {
    const w = world();
    const other = order('o-1', { event: event('o-1', { payloadHash: hashOf('b'), messageId: 'm2' }) });
    const works = [order(), other];
    await settleEvents(w.ctx, works);
    expect(works.map(verdictOf)).toStrictEqual([SENT('committed'), { kind: 'permanent', reason: 'payload_mismatch' }]);
    expect(other.twin).toBe(false);
  });

  it('the failure of the first is not that of the others: each has a try of its own', async () => {
    const w = world();
    w.h.store.commitFault = (_, call) =>
      call === 0 ? { kind: 'throttled', name: 'ThrottlingException', retried: false } : undefined;
    const works = [order(), order(), order()];
    await settleEvents(w.ctx, works);
    expect(works.map(verdictOf)).toStrictEqual([transient('throttled'), SENT('committed'), SENT('duplicate')]);
    expect(works.map(({ twin }) => twin)).toEqual([false, false, true]);
    expect(w.h.store.commits).toEqual([['o-1'], ['o-1']]);
  });

  it('what is settled already keeps its verdict, and decides of no other', async () => {
    const w = world();
    const verdict: Verdict = { kind: 'sent', how: 'recovered', payloadHash: hashOf('a') };
    const [before, open, after] = [settled('o-1', verdict), order(), settled('o-1', verdict)];
    await settleEvents(w.ctx, [before, open, after]);
    expect([before, open, after].map(verdictOf)).toStrictEqual([verdict, SENT('committed'), verdict]);
    expect([before, open, after].map(({ twin }) => twin)).toEqual([false, false, false]);
    expect(w.h.store.commits).toEqual([['o-1']]);
  });
});

describe('an event that an earlier attempt left behind', () => {
  const OVER = row({ leaseExpiresAtMs: START_MS - 1 });
  const abandoned = () => work('o-1', { stage: { at: 'abandoned', row: OVER } });

  it('is ours once its lease is: with the stored notifications, not with new ones', async () => {
    const w = world();
    answer(w, { kind: 'done' });
    const [it, other] = [abandoned(), work('o-2')];
    await takeOverAll(w.ctx, [it, other]);
    expect(it.stage).toStrictEqual({
      at: 'owned',
      owned: { eventId: 'o-1', owner: 'us', notifications: OVER.notifications },
      how: 'recovered',
      payloadHash: hashOf('a'),
    });
    expect(other.stage).toEqual({ at: 'new' });
    expect(w.h.telemetry.metrics).toEqual([{ metric: 'Takeovers', value: 1, reason: undefined }]);
  });

  it.each<[string, RowUpdateOutcome, unknown]>([
    ['sent meanwhile', { kind: 'condition_failed', row: row({ status: 'sent' }) }, SENT('duplicate')],
    [
      'taken by somebody else: it comes back when that lease is over',
      { kind: 'condition_failed', row: row() },
      { ...transient('lease_held'), retryAtMs: START_MS + 10_000 },
    ],
    ['not taken', { kind: 'failed', name: 'TimeoutError' }, transient('takeover_failed')],
    [
      'of a newer version',
      { kind: 'condition_failed', row: { eventId: 'o-1', unknown: true } },
      transient('row_newer'),
    ],
  ])('%s', async (_, outcome, verdict) => {
    const w = world();
    answer(w, outcome);
    const it = abandoned();
    await takeOverAll(w.ctx, [it]);
    expect(it.stage).toStrictEqual({ at: 'settled', verdict });
    expect(w.h.telemetry.metrics).toEqual([]);
  });

  it('is published and marked in the same invocation', async () => {
    const w = world();
    store(w.h, OVER);
    const it = order('o-1', { receiveCount: 2 });
    await settleEvents(w.ctx, [it]);
    expect(verdictOf(it)).toStrictEqual(SENT('recovered'));
    expect(w.h.topic.published).toEqual(OVER.notifications);
    expect(w.h.store.status('o-1')).toBe('sent');
    expect(w.h.store.commits).toEqual([]);
  });
});

describe('what is owed does not wait for other events', () => {
  /** Every commit of one event is the last thing that there is time for. */
  const slow = (w: StageWorld, eventId: string) => {
    w.h.store.commitFault = () => {
      if (w.h.store.commits.at(-1)?.includes(eventId)) w.h.clock.advance(28_500);
      return undefined;
    };
  };
  const paying = (eventId: string) =>
    work(eventId, { event: event(eventId, { payload: { id: eventId, amount: 10, key: 'one' } }) });

  it('what is committed is published while an event that writes the same item is committed after it', async () => {
    const w = world({ meaning: declarativeMeaning({ ...MAPPING, businessKey: 'key', onExistingKey: 'overwrite' }) });
    slow(w, 'o-2');
    const works = [paying('o-1'), paying('o-2'), paying('o-3')];
    await settleEvents(w.ctx, works);
    expect(w.h.store.commits).toEqual([['o-1'], ['o-2']]);
    expect(works.map(verdictOf)).toStrictEqual([SENT('committed'), transient('deadline'), transient('deadline')]);
    expect(w.h.topic.ids).toEqual(['o-1']);
    expect(w.h.store.status('o-1')).toBe('sent');
  });

  it('what an earlier attempt left behind is published while the first events are committed', async () => {
    const w = world();
    store(w.h, row({ leaseExpiresAtMs: START_MS - 1 }));
    slow(w, 'o-2');
    const works = [order('o-1', { receiveCount: 2 }), order('o-2')];
    await settleEvents(w.ctx, works);
    expect(works.map(verdictOf)).toStrictEqual([SENT('recovered'), transient('deadline')]);
    expect(w.h.store.status('o-1')).toBe('sent');
  });

  it('what a commit finds left behind is published too', async () => {
    const w = world();
    store(w.h, row({ leaseExpiresAtMs: START_MS - 1 }));
    const it = order('o-1');
    await settleEvents(w.ctx, [it]);
    expect(w.h.store.commits).toEqual([['o-1']]);
    expect(verdictOf(it)).toStrictEqual(SENT('recovered'));
  });

  it('after the deadline no copy goes through the stages: thousands of copies would keep it from answering', async () => {
    const w = world();
    let looks = 0;
    w.ctx.adaptive.looksUpAll = () => {
      looks += 1;
      return false;
    };
    w.h.store.commitFault = () => {
      w.h.clock.advance(28_500);
      return { kind: 'throttled', name: 'ThrottlingException', retried: false };
    };
    const works = [order(), order(), order()];
    await settleEvents(w.ctx, works);
    expect(works.map(verdictOf)).toStrictEqual([transient('throttled'), transient('deadline'), transient('deadline')]);
    expect(looks).toBe(1);
  });
});

describe('the order of a FIFO topic group', () => {
  const FIFO = `${TOPIC}.fifo`;
  const ordered = () =>
    world({
      meaning: declarativeMeaning({
        ...MAPPING,
        topicArn: FIFO,
        topicFifo: true,
        notificationGroupId: 'group',
        businessKey: 'key',
        onExistingKey: 'overwrite',
      }),
    });
  const grouped = (eventId: string, key: string, group: string) =>
    work(eventId, { event: event(eventId, { payload: { id: eventId, amount: 10, key, group } }) });

  it('is that of the batch, also where events of the group are committed one after another', async () => {
    const w = ordered();
    const works = [
      grouped('o-1', 'x', 'g'),
      grouped('o-2', 'x', 'g'),
      grouped('o-3', 'y', 'g'),
      grouped('o-4', 'z', 'h'),
    ];
    await settleEvents(w.ctx, works);
    expect(works.map(verdictOf)).toStrictEqual(works.map(() => SENT('committed')));
    expect(w.h.topic.ids).toEqual(['o-1', 'o-4', 'o-2', 'o-3']);
  });

  it('no later event of it overtakes one that was not published, even when it is committed later', async () => {
    const w = ordered();
    w.h.topic.fault = ({ message }) => (message.includes('o-1') ? 'failed' : undefined);
    const works = [
      grouped('o-1', 'x', 'g'),
      grouped('o-2', 'x', 'g'),
      grouped('o-3', 'y', 'h'),
      grouped('o-4', 'y', 'h'),
    ];
    await settleEvents(w.ctx, works);
    const failed = transient('publish_failed');
    expect(works.map(verdictOf)).toStrictEqual([failed, failed, SENT('committed'), SENT('committed')]);
    expect(w.h.topic.ids).toEqual(['o-3', 'o-4']);
    expect(w.h.store.status('o-2')).toBe('pending');
  });

  it('nor one that an earlier attempt left behind and that failed now', async () => {
    const w = ordered();
    const left = { topicArn: FIFO, message: '{"event_id":"o-1"}', attributes: {}, groupId: 'g', deduplicationId: 'd' };
    store(w.h, row({ leaseExpiresAtMs: START_MS - 1, notifications: [left] }));
    w.h.topic.fault = ({ message }) => (message.includes('o-1') ? 'failed' : undefined);
    const works = [order('o-1', { receiveCount: 2 }), grouped('o-2', 'x', 'g')];
    await settleEvents(w.ctx, works);
    expect(works.map(verdictOf)).toStrictEqual([transient('publish_failed'), transient('publish_failed')]);
    expect(w.h.topic.ids).toEqual([]);
  });
});

describe('an event whose lease is ours', () => {
  const owned = (eventId = 'o-1') =>
    work(eventId, {
      stage: {
        at: 'owned',
        owned: { eventId, owner: 'us', notifications: [notification(eventId), notification(eventId)] },
        how: 'recovered',
        payloadHash: hashOf('a'),
      },
    });

  it('is sent when it is published and marked; its notifications are counted', async () => {
    const w = world();
    answer(w, { kind: 'done' });
    const [it, other] = [owned(), work('o-2')];
    await deliverAll(w.ctx, [other, it]);
    expect(it.stage).toStrictEqual({ at: 'settled', verdict: SENT('recovered') });
    expect(other.stage).toEqual({ at: 'new' });
    expect(w.h.telemetry.metrics).toEqual([{ metric: 'Notifications', value: 2, reason: undefined }]);
  });

  it('and is not when its publish failed: its lease is given back, and nothing is counted', async () => {
    const w = world();
    w.h.topic.fault = () => 'failed';
    answer(w, { kind: 'done' });
    const it = owned();
    await deliverAll(w.ctx, [it]);
    expect(it.stage).toStrictEqual({ at: 'settled', verdict: transient('publish_failed') });
    expect(w.h.store.updates.flat().map(({ kind }) => kind)).toEqual(['release']);
    expect(w.h.telemetry.sum('Notifications')).toBe(0);
  });
});
