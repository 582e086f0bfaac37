import { describe, expect, it } from '@jest/globals';
import { commitRound, commitRounds } from '../../src/core/commit.ts';
import { BUSINESS_KEY_IS_FREE } from '../../src/core/conditions.ts';
import { prepareWork } from '../../src/core/plan.ts';
import type { BusinessWrite, Meaning, OnConditionFailed, Plan } from '../../src/core/types.ts';
import type { EventWork } from '../../src/core/work.ts';
import type { CancellationReason, CommitOutcome } from '../../src/ports.ts';
import { hashOf, notification, row, type StageWorld, store, work, world } from './stage-world.ts';

const codes = (...list: string[]): CancellationReason[] => list.map((code) => ({ code }));
const cancelled = (reasons: CancellationReason[][], retried = false): CommitOutcome => ({
  kind: 'cancelled',
  reasons,
  retried,
});
const OK: CommitOutcome = { kind: 'committed', writeUnits: 7 };
const UNKNOWN: CommitOutcome = { kind: 'unknown', name: 'TimeoutError' };
const refused = (permanent: boolean, retried = false): CommitOutcome => ({
  kind: 'refused',
  name: 'ValidationException',
  permanent,
  retried,
});
const throttled = (retried: boolean): CommitOutcome => ({ kind: 'throttled', name: 'ThrottlingException', retried });
const transient = (reason: string) => ({ kind: 'transient', reason });
const permanent = (reason: string) => ({ kind: 'permanent', reason });

function put(eventId: string, onConditionFailed: OnConditionFailed): BusinessWrite {
  const key = { pk: { S: eventId } };
  return {
    kind: 'put',
    table: 'orders',
    key,
    item: key,
    condition: { expression: BUSINESS_KEY_IS_FREE, names: { '#pk': 'pk' } },
    onConditionFailed,
  };
}

function planned(w: StageWorld, eventId: string, policy: OnConditionFailed = 'reject', more: Partial<Plan> = {}) {
  const it = work(eventId, { stage: { at: 'uncommitted' } });
  prepareWork(
    w.ctx,
    it,
    { writes: [put(eventId, policy)], notifications: [notification(eventId)], ...more },
    'committed',
  );
  return it;
}

/** What each commit call answers, in order; the last one is repeated. */
const answer = (w: StageWorld, ...outcomes: (CommitOutcome | undefined)[]) => {
  w.h.store.commitFault = (_events, call) => outcomes[Math.min(call, outcomes.length - 1)];
};

async function commit(w: StageWorld, ...works: EventWork[]) {
  for (const round of commitRounds(works)) await commitRound(w.ctx, round);
  return works.map((it) => (it.stage.at === 'settled' ? it.stage.verdict : it.stage.at));
}

describe('a group that commits', () => {
  it('makes every member ours, and is counted', async () => {
    const w = world();
    answer(w, OK);
    const works = [planned(w, 'o-1'), planned(w, 'o-2')];
    expect(await commit(w, ...works)).toEqual(['owned', 'owned']);
    expect(works[1]?.stage).toEqual({
      at: 'owned',
      owned: { eventId: 'o-2', owner: 'us', notifications: [notification('o-2')] },
      how: 'committed',
      payloadHash: hashOf('a'),
    });
    expect(w.h.telemetry.sum('WriteUnits')).toBe(7);
    expect(w.learned).toEqual(['committed 2']);
    expect([...w.ctx.unknownCommits]).toEqual([]);
    expect(w.h.telemetry.lines).toEqual([]);
  });

  it('leaves alone what is not prepared', async () => {
    const w = world();
    answer(w, OK);
    const other = work('o-2', { stage: { at: 'abandoned', row: row({ eventId: 'o-2' }) } });
    expect(await commit(w, planned(w, 'o-1'), other)).toEqual(['owned', 'abandoned']);
    expect(w.h.store.commits).toEqual([['o-1']]);
  });

  it('without a notification there is nothing to publish: sent at once', async () => {
    const w = world();
    answer(w, OK);
    expect(await commit(w, planned(w, 'o-1', 'reject', { notifications: [] }))).toEqual([
      { kind: 'sent', how: 'committed', payloadHash: hashOf('a') },
    ]);
    expect(w.learned).toEqual(['committed 1']);
  });
});

describe('a group that does not commit', () => {
  it('throttled: all come back, and nothing more is sent', async () => {
    const w = world();
    answer(w, throttled(false));
    expect(await commit(w, planned(w, 'o-1'), planned(w, 'o-2'))).toEqual([
      transient('throttled'),
      transient('throttled'),
    ]);
    expect(w.h.store.commits).toHaveLength(1);
    expect(w.h.telemetry.sum('WriteUnits')).toBe(0);
  });

  it('is not begun within the deadline margin, nor is a lone event', async () => {
    for (const ids of [['o-1', 'o-2'], ['o-1']]) {
      const w = world();
      const works = ids.map((id) => planned(w, id));
      w.h.clock.advance(28_500);
      expect(await commit(w, ...works)).toEqual(ids.map(() => transient('deadline')));
      expect(w.h.store.commits).toEqual([]);
    }
  });

  it('refused: split, the first half never smaller', async () => {
    const w = world();
    w.h.store.commitFault = (events) => (events.length > 1 ? refused(true) : OK);
    expect(await commit(w, planned(w, 'o-1'), planned(w, 'o-2'), planned(w, 'o-3'))).toEqual(Array(3).fill('owned'));
    expect(w.h.store.commits.map((group) => group.length)).toEqual([3, 2, 1, 1, 1]);
  });

  it('cancelled by an existing row: settled by that row without another call, the innocent are sent again together', async () => {
    const w = world();
    const sent = row({ eventId: 'o-2', status: 'sent' });
    answer(
      w,
      cancelled([
        codes('None', 'None'),
        [{ code: 'ConditionalCheckFailed', row: sent }, { code: 'None' }],
        codes('None', 'None'),
      ]),
      OK,
    );
    const works = ['o-1', 'o-2', 'o-3'].map((id) => planned(w, id));
    const units = works.reduce((sum, { stage }) => sum + (stage.at === 'prepared' ? stage.prepared.writeUnits : 0), 0);
    expect(await commit(w, ...works)).toEqual([
      'owned',
      { kind: 'sent', how: 'duplicate', payloadHash: hashOf('a') },
      'owned',
    ]);
    expect(w.h.store.commits).toEqual([
      ['o-1', 'o-2', 'o-3'],
      ['o-1', 'o-3'],
    ]);
    expect(w.h.telemetry.sum('GroupCancellations')).toBe(1);
    // A cancelled transaction reports no units; it consumed them all the same.
    expect(units).toBeGreaterThan(0);
    expect(w.h.telemetry.sum('WriteUnits')).toBe(units + 7);
    expect(w.learned).toEqual(['cancelled 3, by an existing row', 'committed 2']);
    expect(w.sleeps).toEqual([]);
  });

  it('cancelled by a conflict: the guilty one retries alone, after a jitter', async () => {
    const w = world();
    answer(w, cancelled([codes('None', 'TransactionConflict'), codes('None', 'None')]), OK);
    expect(await commit(w, planned(w, 'o-1'), planned(w, 'o-2'))).toEqual(['owned', 'owned']);
    expect(w.h.store.commits[0]).toEqual(['o-1', 'o-2']);
    expect(w.h.store.commits.slice(1).sort()).toEqual([['o-1'], ['o-2']]);
    expect(w.sleeps).toEqual([25]);
    expect(w.learned[0]).toBe('cancelled 2, avoidable');
  });

  it('cancelled by a conflict and an existing row: smaller groups would have avoided one of them', async () => {
    const w = world();
    const exists = { code: 'ConditionalCheckFailed', row: row({ eventId: 'o-1', status: 'sent' }) };
    answer(w, cancelled([[exists, { code: 'None' }], codes('None', 'TransactionConflict')]), OK);
    await commit(w, planned(w, 'o-1'), planned(w, 'o-2'));
    expect(w.learned[0]).toBe('cancelled 2, avoidable');
  });

  it('cancelled by a condition: judged again alone, without a jitter, before it is permanent', async () => {
    const w = world();
    w.h.store.commitFault = (events) =>
      events.length > 1
        ? cancelled([codes('None', 'ConditionalCheckFailed'), codes('None', 'None')])
        : JSON.stringify(events).includes('"o-1"')
          ? cancelled([codes('None', 'ConditionalCheckFailed')])
          : OK;
    expect(await commit(w, planned(w, 'o-1'), planned(w, 'o-2'))).toEqual([permanent('business_rejected'), 'owned']);
    expect(w.h.store.commits.filter((group) => group.join() === 'o-1')).toHaveLength(1);
    expect(w.sleeps).toEqual([]);
    expect(w.learned[0]).toBe('cancelled 2, avoidable');
  });

  it('cancelled with too few reasons: what has none is tried alone', async () => {
    const w = world();
    answer(w, cancelled([codes('None', 'None')]), OK);
    expect(await commit(w, planned(w, 'o-1'), planned(w, 'o-2'))).toEqual(['owned', 'owned']);
    expect(w.h.store.commits.map((group) => group.length)).toEqual([2, 1, 1]);
  });
});

describe('an unknown outcome', () => {
  it('is told by the rows: found, absent, or not read', async () => {
    const w = world();
    answer(w, UNKNOWN, OK);
    store(w.h, row({ eventId: 'o-1', leaseOwner: 'us', messageId: 'm1' }));
    expect(await commit(w, planned(w, 'o-1'), planned(w, 'o-2'))).toEqual(['owned', 'owned']);
    expect(w.h.store.reads).toEqual([['o-1', 'o-2']]);
    expect(w.h.store.commits).toEqual([['o-1', 'o-2'], ['o-2']]);
    expect([...w.ctx.unknownCommits]).toEqual(['o-1', 'o-2']);
  });

  it.each([['o-1'], ['o-1', 'o-2']])('whose rows cannot be read: all come back (%s %s)', async (...ids) => {
    const w = world();
    answer(w, UNKNOWN, OK);
    w.h.store.readFault = () => 'TimeoutError';
    const works = ids.map((id) => planned(w, id));
    expect(await commit(w, ...works)).toEqual(ids.map(() => transient('commit_unknown')));
    expect(w.h.store.commits).toHaveLength(1);
  });

  it('of one member alone is not resolved again: nobody of the group is tried a third time', async () => {
    const w = world();
    answer(w, UNKNOWN);
    w.ctx.unknownCommits.add('o-1');
    expect(await commit(w, planned(w, 'o-1'), planned(w, 'o-2'))).toEqual(Array(2).fill(transient('commit_unknown')));
    expect(w.h.store.reads).toEqual([]);
  });

  it('a failed call is logged by its name, with the number of its events', async () => {
    const w = world();
    answer(w, throttled(false));
    await commit(w, planned(w, 'o-1'), planned(w, 'o-2'));
    expect(w.h.telemetry.lines).toEqual([
      { level: 'warn', message: 'commit failed', fields: { error_name: 'ThrottlingException', count: 2 } },
    ]);
  });

  it('a second one is not resolved again', async () => {
    const w = world();
    answer(w, UNKNOWN);
    expect(await commit(w, planned(w, 'o-1'), planned(w, 'o-2'))).toEqual(Array(2).fill(transient('commit_unknown')));
    expect(w.h.store.commits).toHaveLength(2);
    expect(w.h.store.reads).toHaveLength(1);
  });

  it('within the deadline margin is not read', async () => {
    const w = world();
    w.h.store.commitFault = () => {
      w.h.clock.advance(28_500);
      return UNKNOWN;
    };
    expect(await commit(w, planned(w, 'o-1'))).toEqual([transient('commit_unknown')]);
    expect(w.h.store.reads).toEqual([]);
    expect([...w.ctx.unknownCommits]).toEqual(['o-1']);
  });
});

describe('only a lone call condemns, and only when nothing of it may still be executed', () => {
  it.each<[string, CommitOutcome, unknown]>([
    ['refused for good', refused(true), permanent('request_refused')],
    ['refused for now', refused(false), transient('commit_failed')],
    ['a condition', cancelled([codes('None', 'ConditionalCheckFailed')]), permanent('business_rejected')],
    ['a permanent reason', cancelled([codes('None', 'ValidationError')]), permanent('request_refused')],
    ['throttled', throttled(false), transient('throttled')],
    ['a throttled reason', cancelled([codes('None', 'ThrottlingError')]), transient('throttled')],
    ['nobody named', cancelled([codes('None', 'None')]), transient('cancelled_unknown')],
    ['no reasons', cancelled([]), transient('cancelled_unknown')],
    ['refused for good, sent twice', refused(true, true), transient('commit_pending')],
    ['refused for now, sent twice', refused(false, true), transient('commit_failed')],
    [
      'a condition, sent twice',
      cancelled([codes('None', 'ConditionalCheckFailed')], true),
      transient('commit_pending'),
    ],
    [
      'a permanent reason, sent twice',
      cancelled([codes('None', 'ValidationError')], true),
      transient('commit_pending'),
    ],
  ])('%s', async (_, outcome, verdict) => {
    const w = world();
    answer(w, outcome);
    expect(await commit(w, planned(w, 'o-1'))).toEqual([verdict]);
    expect(w.h.store.commits).toHaveLength(1);
    expect(w.sleeps).toEqual([]);
  });

  it.each<[string, CommitOutcome]>([
    ['refused for good', refused(true)],
    ['a condition', cancelled([codes('None', 'ConditionalCheckFailed')])],
    ['a permanent reason', cancelled([codes('None', 'ValidationError')])],
  ])('%s after a call with an unknown outcome proves nothing', async (_, outcome) => {
    const w = world();
    answer(w, UNKNOWN, outcome);
    expect(await commit(w, planned(w, 'o-1'))).toEqual([transient('commit_pending')]);
  });

  it('what the SDK sent twice is remembered, whatever it answered; what it sent once is not', async () => {
    for (const retried of [true, false]) {
      const w = world();
      answer(w, throttled(retried));
      await commit(w, planned(w, 'o-1'), planned(w, 'o-2'));
      expect([...w.ctx.unknownCommits]).toEqual(retried ? ['o-1', 'o-2'] : []);
    }
  });

  it('an existing row decides, also alone', async () => {
    const w = world();
    answer(w, cancelled([[{ code: 'ConditionalCheckFailed', row: row() }, { code: 'None' }]], true));
    expect(await commit(w, planned(w, 'o-1'))).toEqual([expect.objectContaining(transient('lease_held'))]);
  });
});

describe('conflicts', () => {
  const conflict = cancelled([codes('None', 'TransactionConflict')]);

  it('four tries, the jitter doubling', async () => {
    const w = world();
    answer(w, conflict);
    expect(await commit(w, planned(w, 'o-1'))).toEqual([transient('conflict')]);
    expect(w.h.store.commits).toHaveLength(4);
    expect(w.sleeps).toEqual([50, 100, 200]);
  });

  it('end with the deadline', async () => {
    const w = world();
    w.h.store.commitFault = () => {
      w.h.clock.advance(28_490);
      return conflict;
    };
    expect(await commit(w, planned(w, 'o-1'))).toEqual([transient('deadline')]);
    expect(w.h.store.commits).toHaveLength(1);
  });
});

describe('a condition that does not reject', () => {
  const condition = cancelled([codes('None', 'ConditionalCheckFailed')]);

  it('superseded: the row alone is committed, as sent', async () => {
    const w = world();
    answer(w, condition, undefined);
    expect(await commit(w, planned(w, 'o-1', 'supersede'))).toEqual([
      { kind: 'sent', how: 'superseded', payloadHash: hashOf('a') },
    ]);
    expect(w.h.store.status('o-1')).toBe('sent');
    expect(w.h.store.items.size).toBe(0);
  });

  const planner = (plan: Meaning['plan']): Meaning => ({
    decode: () => ({ kind: 'events', events: [], issues: [] }),
    plan,
  });
  const again: Plan = { writes: [put('o-1', 'replan')], notifications: [notification()] };

  it('planned again at most three times more', async () => {
    let plans = 1;
    const w = world({
      meaning: planner(() => {
        plans += 1;
        return { kind: 'plan', plan: again };
      }),
    });
    answer(w, condition);
    expect(await commit(w, planned(w, 'o-1', 'replan'))).toEqual([transient('replan_exhausted')]);
    expect([plans, w.h.store.commits.length]).toEqual([4, 4]);
  });

  it('a new plan that rejects the event is not sent', async () => {
    const w = world({ meaning: planner(() => ({ kind: 'rejected', reason: 'schema_violation' })) });
    answer(w, condition);
    expect(await commit(w, planned(w, 'o-1', 'replan'))).toEqual([permanent('schema_violation')]);
    expect(w.h.store.commits).toHaveLength(1);
  });
});
