import { describe, expect, it } from '@jest/globals';
import { applyExisting, applyRow, lookUp } from '../../src/core/look-up.ts';
import type { DecodedEvent, ProcessedEvent, Row } from '../../src/core/types.ts';
import { type EventWork, verdictOf } from '../../src/core/work.ts';
import { START_MS } from './harness.ts';
import { event, hashOf, row, settled, store, work, world } from './stage-world.ts';

const transient = (reason: string) => ({ kind: 'transient', reason });

describe('which rows are read before anything is planned', () => {
  it('those of events that came back; a first delivery is planned without a read', async () => {
    const w = world();
    const works = [work('o-1'), work('o-2', { receiveCount: 2 })];
    await lookUp(w.ctx, works);
    expect(w.h.store.reads).toEqual([['o-2']]);
    expect(works.map(({ stage }) => stage)).toEqual([{ at: 'uncommitted' }, { at: 'uncommitted' }]);
  });

  it('all of them while duplicates are frequent', async () => {
    const w = world({ looksUpAll: true });
    await lookUp(w.ctx, [work('o-1'), work('o-2')]);
    expect(w.h.store.reads).toEqual([['o-1', 'o-2']]);
  });

  it('none of an event that is further already: what is settled stays settled', async () => {
    const w = world();
    const done = settled('o-1', { kind: 'sent', how: 'committed', payloadHash: hashOf('a') });
    const before = done.stage;
    await lookUp(w.ctx, [done, work('o-2', { receiveCount: 2, stage: { at: 'uncommitted' } })]);
    expect(w.h.store.reads).toEqual([]);
    expect(done.stage).toBe(before);
  });

  it('a read that failed is no absent row: the event is not planned', async () => {
    const w = world();
    w.h.store.readFault = () => 'TimeoutError';
    const it = work('o-1', { receiveCount: 2 });
    await lookUp(w.ctx, [it]);
    expect(verdictOf(it)).toEqual(transient('look_up_failed'));
  });

  it('within the deadline margin none', async () => {
    const w = world();
    w.h.clock.advance(28_500);
    const it = work('o-1', { receiveCount: 2 });
    await lookUp(w.ctx, [it]);
    expect(verdictOf(it)).toEqual(transient('deadline'));
    expect(w.h.store.reads).toEqual([]);
  });
});

describe('an event that the filter excludes (G4)', () => {
  const NOT_OURS = { kind: 'not_ours', reason: 'filtered' };
  const excluded = (eventId = 'o-1', more: Partial<DecodedEvent> = {}) =>
    work(eventId, { event: event(eventId, { excluded: true, ...more }) });

  it('is looked up on its first delivery; it is not ours when it has no row, or one that is sent', async () => {
    const w = world();
    store(w.h, row({ eventId: 'o-2', status: 'sent' }));
    store(w.h, row({ eventId: 'o-3' }));
    const works = [excluded('o-1'), excluded('o-2'), excluded('o-3'), work('o-4')];
    await lookUp(w.ctx, works);
    expect(works.map(({ stage }) => (stage.at === 'settled' ? stage.verdict : stage.at))).toEqual([
      NOT_OURS,
      NOT_OURS,
      { kind: 'transient', reason: 'lease_held', retryAtMs: START_MS + 10_000 },
      'uncommitted',
    ]);
    expect(w.h.store.reads).toEqual([['o-1', 'o-2', 'o-3']]);
  });

  it('is read together with redeliveries', async () => {
    const w = world();
    await lookUp(w.ctx, [work('o-1', { receiveCount: 2 }), excluded('o-2')]);
    expect(w.h.store.reads).toEqual([['o-1', 'o-2']]);
  });

  it('is not acknowledged when its row could not be read', async () => {
    const w = world();
    w.h.store.readFault = () => 'TimeoutError';
    const it = excluded();
    await lookUp(w.ctx, [it]);
    expect(verdictOf(it)).toEqual(transient('look_up_failed'));
  });

  it.each<[string, Partial<ProcessedEvent>, unknown]>([
    ['sent', { status: 'sent' }, NOT_OURS],
    ['pending', {}, { kind: 'transient', reason: 'lease_held', retryAtMs: START_MS + 10_000 }],
    ['pending, its attempt is over', { leaseExpiresAtMs: START_MS - 1 }, 'abandoned'],
  ])(
    'claims nothing of the row of another event under its id, but waits until it is sent: %s',
    async (_, stored, then) => {
      for (const messageId of ['other', 'm1', '']) {
        const w = world();
        store(w.h, row({ messageId, ...stored }));
        const it = excluded('o-1', { payloadHash: hashOf('b') });
        await lookUp(w.ctx, [it]);
        expect(it.stage.at === 'settled' ? verdictOf(it) : it.stage.at).toEqual(then);
      }
    },
  );

  it('leaves a row of a newer version to the newer code', async () => {
    const w = world();
    store(w.h, row());
    w.h.store.rows.set('o-1', { ...w.h.store.rows.get('o-1'), v: { N: '2' } });
    const it = excluded();
    await lookUp(w.ctx, [it]);
    expect(verdictOf(it)).toEqual(transient('row_newer'));
  });

  it('an event of ours under the id of another one stays a mismatch', async () => {
    const w = world();
    store(w.h, row({ messageId: 'other', status: 'sent' }));
    const it = work('o-1', { receiveCount: 2, event: event('o-1', { payloadHash: hashOf('b') }) });
    await lookUp(w.ctx, [it]);
    expect(verdictOf(it)).toEqual({ kind: 'permanent', reason: 'payload_mismatch' });
  });
});

describe('the row of a put that failed its condition (rule 2)', () => {
  it('came with the reason: no read', async () => {
    const w = world();
    const it = work();
    await applyExisting(w.ctx, it, row({ status: 'sent' }));
    expect(verdictOf(it)).toEqual({ kind: 'sent', how: 'duplicate', payloadHash: hashOf('a') });
    expect(w.h.store.reads).toEqual([]);
  });

  it.each([
    ['found', { kind: 'sent', how: 'duplicate', payloadHash: hashOf('a') }],
    ['absent', transient('row_missing')],
    ['failed', transient('look_up_failed')],
  ] as const)('came without it, and is %s by one read', async (read, verdict) => {
    const w = world();
    if (read === 'found') store(w.h, row({ status: 'sent' }));
    if (read === 'failed') w.h.store.readFault = () => 'TimeoutError';
    const it = work();
    await applyExisting(w.ctx, it, undefined);
    expect(verdictOf(it)).toEqual(verdict);
    expect(w.h.store.reads).toEqual([['o-1']]);
  });
});

describe('what a row makes of an event', () => {
  const apply = (stored: Row): EventWork => {
    const it = work();
    applyRow(world().ctx, it, stored);
    return it;
  };

  it('our own commit: published from the stored bytes, under the stored hash', () => {
    const ours = row({ leaseOwner: 'us', payloadHash: hashOf('b'), messageId: 'm1' });
    expect(apply(ours).stage).toEqual({
      at: 'owned',
      owned: { eventId: 'o-1', owner: 'us', notifications: ours.notifications },
      how: 'committed',
      payloadHash: hashOf('b'),
    });
  });

  it('abandoned: to be taken over', () => {
    const over = row({ leaseExpiresAtMs: 0 });
    expect(apply(over).stage).toEqual({ at: 'abandoned', row: over });
  });

  it('held: transient until the end of the lease, never acknowledged', () => {
    expect(verdictOf(apply(row()))).toEqual({ ...transient('lease_held'), retryAtMs: START_MS + 10_000 });
  });

  it("another event's: permanent; a newer version's: transient", () => {
    expect(verdictOf(apply(row({ payloadHash: hashOf('b') })))).toEqual({
      kind: 'permanent',
      reason: 'payload_mismatch',
    });
    expect(verdictOf(apply({ eventId: 'o-1', unknown: true }))).toEqual(transient('row_newer'));
  });
});
