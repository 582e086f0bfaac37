import { describe, expect, it } from '@jest/globals';
import { type RelayContext, relayRows } from '../../src/core/relay-rows.ts';
import type { ProcessedEvent } from '../../src/core/types.ts';
import type { RowUpdateOutcome } from '../../src/ports.ts';
import { START_MS } from './harness.ts';
import { row, type StageWorld, store, world } from './stage-world.ts';

const GRACE_MS = 60_000;

const context = (w: StageWorld, graceMs = GRACE_MS): RelayContext => ({
  ...w.ctx,
  store: w.h.store,
  settings: { ...w.h.settings, graceMs, intervalMinutes: 5, sweepHours: null },
  owner: 'relay/us',
  tally: { relayed: 0, failed: 0, oldestMs: 0 },
});

/** Given up an hour ago. */
const abandoned = (eventId = 'o-1', more: Partial<ProcessedEvent> = {}) =>
  row({
    eventId,
    leaseExpiresAtMs: START_MS - 3_600_000,
    createdAt: new Date(START_MS - 7_200_000).toISOString(),
    ...more,
  });

const calls = (w: StageWorld) =>
  w.h.store.updates.map((updates) => updates.map(({ kind, eventId }) => [kind, eventId]));

describe('rows that no message brings back', () => {
  it('are taken over, published and marked together, and the oldest is measured', async () => {
    const w = world();
    const ctx = context(w);
    store(w.h, abandoned('o-1'));
    store(w.h, abandoned('o-2'));
    w.h.clock.advance(1_000);
    await relayRows(ctx, ['o-1', 'o-2']);
    expect(calls(w)).toEqual([
      [
        ['takeover', 'o-1'],
        ['takeover', 'o-2'],
      ],
      [
        ['mark', 'o-1'],
        ['mark', 'o-2'],
      ],
    ]);
    expect(w.h.topic.ids).toEqual(['o-1', 'o-2']);
    expect(ctx.tally).toEqual({ relayed: 2, failed: 0, oldestMs: 1_000 });
    expect(w.h.telemetry.lines).toEqual([]);
  });

  it('are as old as the oldest whose creation can be read, in whatever order they come', async () => {
    const w = world();
    const ctx = context(w);
    w.h.store.readRows = async () =>
      [3, 7, 5]
        .map((hours) => row({ createdAt: new Date(START_MS - hours * 3_600_000).toISOString() }))
        .concat(row({ createdAt: 'yesterday' }))
        .map((value) => ({ kind: 'found', value }));
    await relayRows(ctx, ['o-1', 'o-2', 'o-3', 'o-4']);
    expect(ctx.tally).toEqual({ relayed: 0, failed: 0, oldestMs: 7 * 3_600_000 });
  });
});

describe('what the row says is not for the relay', () => {
  it.each<[string, (w: StageWorld) => void, ...string[]]>([
    ['it is gone', () => {}],
    ['it is sent', (w) => store(w.h, abandoned('o-1', { status: 'sent' }))],
    [
      'it was written by a newer version',
      (w) => {
        w.h.store.readRows = async () => [{ kind: 'found', value: { eventId: 'o-1', unknown: true } }];
      },
      'warn left to a newer version: o-1, row_newer',
    ],
  ])('%s: it is left alone, and is no failure', async (_, prepare, ...lines) => {
    const w = world();
    const ctx = context(w);
    prepare(w);
    await relayRows(ctx, ['o-1']);
    expect([w.h.store.updates, w.h.topic.calls]).toEqual([[], []]);
    expect(ctx.tally).toEqual({ relayed: 0, failed: 0, oldestMs: 0 });
    const said = w.h.telemetry.lines.map(
      ({ level, message, fields }) => `${level} ${message}: ${fields.event_id}, ${fields.reason}`,
    );
    expect(said).toEqual(lines);
  });

  it('a row that cannot be read is a failure', async () => {
    const w = world();
    const ctx = context(w);
    store(w.h, abandoned());
    w.h.store.readFault = () => 'TimeoutError';
    await relayRows(ctx, ['o-1']);
    expect([w.h.store.updates, w.h.topic.calls]).toEqual([[], []]);
    expect(ctx.tally).toEqual({ relayed: 0, failed: 1, oldestMs: 0 });
  });
});

describe('a lease is taken once it has been over for the grace', () => {
  it.each([
    ['lives', START_MS + 1, GRACE_MS, false],
    ['ends now', START_MS, GRACE_MS, false],
    ['ended within the grace', START_MS - GRACE_MS + 1, GRACE_MS, false],
    ['ended a grace ago', START_MS - GRACE_MS, GRACE_MS, true],
    ['ends now, without a grace', START_MS, 0, true],
    ['was given up', 0, GRACE_MS, true],
    ['is further away than any clock of ours could have set it', START_MS + 3_600_000, GRACE_MS, true],
  ])('one that %s', async (_, leaseExpiresAtMs, graceMs, taken) => {
    const w = world();
    store(w.h, abandoned('o-1', { leaseExpiresAtMs }));
    await relayRows(context(w, graceMs), ['o-1']);
    expect(w.h.topic.ids).toEqual(taken ? ['o-1'] : []);
    expect(w.h.store.status('o-1')).toBe(taken ? 'sent' : 'pending');
  });
});

describe('a row that is not relayed', () => {
  it.each<[string, RowUpdateOutcome, number]>([
    ['its takeover failed: counted', { kind: 'failed', name: 'TimeoutError' }, 1],
    ['somebody else sent it: no failure', { kind: 'condition_failed', row: row({ status: 'sent' }) }, 0],
    ['somebody else took it: no failure', { kind: 'condition_failed', row: row() }, 0],
  ])('%s, and it is not published', async (_, outcome, failed) => {
    const w = world();
    const ctx = context(w);
    store(w.h, abandoned('o-1'));
    store(w.h, abandoned('o-2'));
    const update = w.h.store.update.bind(w.h.store);
    w.h.store.update = async (updates) => {
      const outcomes = await update(updates);
      return updates.map((it, i) =>
        it.kind === 'takeover' && it.eventId === 'o-1' ? outcome : (outcomes[i] ?? outcome),
      );
    };
    await relayRows(ctx, ['o-1', 'o-2']);
    expect(w.h.topic.ids).toEqual(['o-2']);
    expect(ctx.tally).toMatchObject({ relayed: 1, failed });
  });

  it('since it could not be published: counted and named, and its lease is kept', async () => {
    const w = world();
    const ctx = context(w);
    store(w.h, abandoned('o-1'));
    store(w.h, abandoned('o-2'));
    w.h.topic.fault = ({ message }) => (message.includes('o-1') ? 'failed' : undefined);
    await relayRows(ctx, ['o-1', 'o-2']);
    expect(calls(w)[1]).toEqual([['mark', 'o-2']]);
    expect(ctx.tally).toMatchObject({ relayed: 1, failed: 1 });
    expect(w.h.telemetry.lines.slice(1)).toStrictEqual([
      { level: 'error', message: 'not relayed', fields: { event_id: 'o-1', reason: 'publish_failed' } },
    ]);
  });
});
