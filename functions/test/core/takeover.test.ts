import { describe, expect, it } from '@jest/globals';
import { relayShardOf } from '../../src/core/row.ts';
import { takeOver } from '../../src/core/takeover.ts';
import type { RowUpdateOutcome } from '../../src/ports.ts';
import { START_MS } from './harness.ts';
import { row, type StageWorld, world } from './stage-world.ts';

const OVER = row({ leaseExpiresAtMs: START_MS - 1 });
const claim = { row: OVER, owner: 'us' };

const answer = (w: StageWorld, ...outcomes: RowUpdateOutcome[]) => {
  w.h.store.update = async (updates) => {
    w.h.store.updates.push([...updates]);
    return outcomes;
  };
};

describe('a lease is taken as it was read (rule 5)', () => {
  it('names the owner and the expiry that were read, and ours until the invocation is stopped, plus the margin', async () => {
    const w = world();
    answer(w, { kind: 'done' });
    expect(await takeOver(w.ctx, [claim])).toEqual([{ kind: 'taken' }]);
    expect(w.h.store.updates).toEqual([
      [
        {
          kind: 'takeover',
          eventId: 'o-1',
          fromOwner: 'other',
          fromExpiresAtMs: START_MS - 1,
          owner: 'us',
          expiresAtMs: START_MS + 31_000,
          relayShard: relayShardOf('o-1'),
        },
      ],
    ]);
  });

  it('never further away than others believe: a long invocation of the relay is no clock skew', async () => {
    const w = world({ deadlineMs: START_MS + 60_000 });
    answer(w, { kind: 'done' });
    w.h.clock.advance(1_000);
    await takeOver(w.ctx, [claim]);
    expect(w.h.store.updates[0]?.[0]).toHaveProperty('expiresAtMs', START_MS + 32_000);
  });

  it('never further away than the end of a short invocation', async () => {
    const w = world({ deadlineMs: START_MS + 5_000 });
    answer(w, { kind: 'done' });
    await takeOver(w.ctx, [claim]);
    expect(w.h.store.updates[0]?.[0]).toHaveProperty('expiresAtMs', START_MS + 6_000);
  });

  it('25 a call, each answered for its own row', async () => {
    const w = world();
    const claims = Array.from({ length: 26 }, (_, i) => ({ row: { ...OVER, eventId: `o-${i}` }, owner: 'us' }));
    w.h.store.update = async (updates) => {
      w.h.store.updates.push([...updates]);
      return updates.map(({ eventId }) =>
        eventId === 'o-25' ? { kind: 'failed', name: 'TimeoutError' } : { kind: 'done' },
      );
    };
    const outcomes = await takeOver(w.ctx, claims);
    expect(w.h.store.updates.map((updates) => updates.length)).toEqual([25, 1]);
    expect(outcomes.filter(({ kind }) => kind === 'taken')).toHaveLength(25);
    expect(outcomes[25]).toEqual({ kind: 'failed', reason: 'takeover_failed' });
  });

  it('a failure is said once for each name over all calls: a missing permission is no throttling', async () => {
    const w = world();
    const claims = Array.from({ length: 27 }, (_, i) => ({ row: { ...OVER, eventId: `o-${i}` }, owner: 'us' }));
    w.h.store.update = async (updates) =>
      updates.flatMap(({ eventId }): RowUpdateOutcome[] => {
        if (eventId === 'o-1') return [{ kind: 'failed', name: 'AccessDenied' }];
        if (eventId === 'o-2' || eventId === 'o-25') return [{ kind: 'failed', name: 'ThrottlingError' }];
        if (eventId === 'o-3') return [{ kind: 'condition_failed', row: row({ status: 'sent' }) }];
        return eventId === 'o-26' ? [] : [{ kind: 'done' }];
      });
    await takeOver(w.ctx, claims);
    const line = (error_name: string, count: number) => ({
      level: 'warn',
      message: 'leases not taken over',
      fields: { error_name, count },
    });
    expect(w.h.telemetry.lines).toStrictEqual([
      line('AccessDenied', 1),
      line('ThrottlingError', 2),
      line('MissingFromAnswer', 1),
    ]);
  });

  it('is not begun within the deadline margin', async () => {
    const w = world();
    w.h.clock.advance(28_500);
    expect(await takeOver(w.ctx, [claim, claim])).toEqual([
      { kind: 'failed', reason: 'deadline' },
      { kind: 'failed', reason: 'deadline' },
    ]);
    expect(w.h.store.updates).toEqual([]);
  });
});

describe('a takeover that did not happen is never taken for one', () => {
  it.each<[string, RowUpdateOutcome[], unknown]>([
    ['the call failed', [{ kind: 'failed', name: 'TimeoutError' }], { kind: 'failed', reason: 'takeover_failed' }],
    ['the answer does not name it', [], { kind: 'failed', reason: 'takeover_failed' }],
    [
      'the row is not known',
      [{ kind: 'condition_failed', row: undefined }],
      { kind: 'failed', reason: 'takeover_failed' },
    ],
    ['the row is gone', [{ kind: 'condition_failed', row: null }], { kind: 'failed', reason: 'takeover_failed' }],
    [
      'the row is of a newer version',
      [{ kind: 'condition_failed', row: { eventId: 'o-1', unknown: true } }],
      { kind: 'failed', reason: 'row_newer' },
    ],
    ['somebody else sent it', [{ kind: 'condition_failed', row: row({ status: 'sent' }) }], { kind: 'sent' }],
    ['somebody else took it', [{ kind: 'condition_failed', row: row() }], { kind: 'held', untilMs: START_MS + 10_000 }],
    [
      'somebody else took it and gave it up',
      [{ kind: 'condition_failed', row: row({ leaseExpiresAtMs: 0 }) }],
      { kind: 'failed', reason: 'takeover_failed' },
    ],
    [
      'an earlier try of ours took it, and its answer was lost',
      [{ kind: 'condition_failed', row: row({ leaseOwner: 'us' }) }],
      { kind: 'taken' },
    ],
  ])('%s', async (_, outcomes, expected) => {
    const w = world();
    answer(w, ...outcomes);
    expect(await takeOver(w.ctx, [claim])).toEqual([expected]);
  });
});
