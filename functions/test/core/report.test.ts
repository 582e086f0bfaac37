import { describe, expect, it } from '@jest/globals';
import { reportBatch } from '../../src/core/report.ts';
import type { EventWork, RecordState, RecordWork, Verdict } from '../../src/core/work.ts';
import { record, START_MS } from './harness.ts';
import { event, hashOf, recordWork, settled, work, world } from './stage-world.ts';

/** Metrics (with their reason) and lines of one batch. */
function reported(...batch: RecordWork[]) {
  const { h, ctx } = world();
  reportBatch(ctx, batch);
  return {
    metrics: h.telemetry.metrics.map(({ metric, value, reason }) => [metric, value, ...(reason ? [reason] : [])]),
    lines: h.telemetry.lines,
  };
}

const line = (failed: number, count = 1) => ({ level: 'info', message: 'batch', fields: { count, failed } });
const counts = (...more: unknown[]) => [['Received', 1], ['BatchSize', 1], ...more, ['EventAge', 1_000]];
const failed = (more: Partial<Extract<RecordState, { at: 'failed' }>> = {}): RecordState => ({
  at: 'failed',
  reason: 'throttled',
  delaySeconds: 8,
  ...more,
});
const fields = (more: object = {}) => ({ message_id: 'm1', receive_count: 1, ...more });
const sent = (eventId: string) => settled(eventId, { kind: 'sent', how: 'committed', payloadHash: hashOf('a') });
const bad = (eventId: string) =>
  work(eventId, {
    event: event(eventId, { correlationId: `c-${eventId}` }),
    stage: { at: 'settled', verdict: { kind: 'permanent', reason: 'schema_violation' } },
  });
const of = (verdict: Verdict) => recordWork('m1', { events: [settled('o-1', verdict)], state: { at: 'done' } });

describe('a batch', () => {
  it('that went well is one line', () => {
    const sent = settled('o-1', { kind: 'sent', how: 'committed', payloadHash: hashOf('a') });
    expect(reported(recordWork('m1', { events: [sent], state: { at: 'done' } }))).toStrictEqual({
      metrics: counts(['Committed', 1]),
      lines: [line(0)],
    });
  });

  it('counts every failure, those that nobody decided too', () => {
    const { metrics, lines } = reported(
      recordWork('m1', { state: { at: 'done' } }),
      recordWork('m2', { state: failed() }),
      recordWork('m3'),
    );
    expect(metrics.slice(0, 2)).toEqual([
      ['Received', 3],
      ['BatchSize', 3],
    ]);
    expect(lines.at(-1)).toStrictEqual(line(2, 3));
  });

  it.each<[string, (number | undefined)[], number | undefined]>([
    ['is as old as its oldest record', [-1_000, -5_000, -2_000], 5_000],
    ['is as old as those whose age is known', [-3_000, undefined], 3_000],
    ['of records without a time has no age', [undefined], undefined],
    ['that was sent just now has no age', [0], undefined],
    ['that was sent by a clock ahead of ours has no age', [60_000], undefined],
  ])('%s', (_, sent, age) => {
    const { metrics } = reported(
      ...sent.map((ms) => {
        const { sentAtMs: __, ...timeless } = record('m1', {});
        const source = ms === undefined ? timeless : { ...timeless, sentAtMs: START_MS + ms };
        return recordWork('m1', { source, state: { at: 'done' } });
      }),
    );
    expect(metrics.filter(([metric]) => metric === 'EventAge')).toEqual(age === undefined ? [] : [['EventAge', age]]);
  });
});

describe('an event', () => {
  it.each<[Verdict, unknown[]]>([
    [{ kind: 'sent', how: 'committed', payloadHash: '' }, [['Committed', 1]]],
    [{ kind: 'sent', how: 'recovered', payloadHash: '' }, [['Recovered', 1]]],
    [{ kind: 'sent', how: 'duplicate', payloadHash: '' }, [['Duplicates', 1]]],
    [{ kind: 'sent', how: 'superseded', payloadHash: '' }, [['Superseded', 1]]],
    [{ kind: 'not_ours', reason: 'filtered' }, [['NotOurs', 1, 'filtered']]],
    [{ kind: 'transient', reason: 'throttled' }, []],
    [{ kind: 'permanent', reason: 'schema_violation' }, []],
  ])('that is %j is counted by what it is, without a line of its own', (verdict, metrics) => {
    expect(reported(of(verdict))).toStrictEqual({ metrics: counts(...metrics), lines: [line(0)] });
  });

  it('that nobody settled is not counted: its record says why', () => {
    const undecided = recordWork('m1', { events: [work()], state: { at: 'done' } });
    expect(reported(undecided).metrics).toEqual(counts());
  });

  it.each([
    [{}, {}],
    [{ correlationId: 'c-1' }, { correlation_id: 'c-1' }],
  ])('with the id of another is an error that names it (%j)', (more, named) => {
    const mismatch: EventWork = work('o-1', {
      event: event('o-1', { messageId: 'm7', ...more }),
      receiveCount: 4,
      stage: { at: 'settled', verdict: { kind: 'permanent', reason: 'payload_mismatch' } },
    });
    expect(reported(recordWork('m1', { events: [mismatch], state: { at: 'done' } }))).toStrictEqual({
      metrics: counts(['PayloadMismatches', 1]),
      lines: [
        {
          level: 'error',
          message: 'another event with another payload already used this id',
          fields: { event_id: 'o-1', message_id: 'm7', receive_count: 4, ...named },
        },
        line(0),
      ],
    });
  });
});

describe('a record', () => {
  it('that is not ours is counted by its reason and said', () => {
    expect(reported(recordWork('m1', { notOurs: 's3_test_event', state: { at: 'done' } }))).toStrictEqual({
      metrics: counts(['NotOurs', 1, 's3_test_event']),
      lines: [
        { level: 'info', message: 'not ours: acknowledged', fields: fields({ reason: 's3_test_event' }) },
        line(0),
      ],
    });
  });

  it('some of whose parts the filter excludes counts them beside its events', () => {
    const sent = settled('o-1', { kind: 'sent', how: 'committed', payloadHash: hashOf('a') });
    expect(reported(recordWork('m1', { events: [sent], excluded: 2, state: { at: 'done' } }))).toStrictEqual({
      metrics: counts(['Committed', 1], ['NotOurs', 2, 'filtered']),
      lines: [line(0)],
    });
  });

  it('in the dead-letter queue is an error', () => {
    expect(reported(recordWork('m1', { state: { at: 'quarantined', reason: 'not_json' } }))).toStrictEqual({
      metrics: counts(['Quarantined', 1, 'not_json']),
      lines: [{ level: 'error', message: 'quarantined', fields: fields({ reason: 'not_json' }) }, line(0)],
    });
  });

  it.each<[string, RecordState, unknown[], object]>([
    ['with its delay', failed(), [['Failed', 1, 'throttled']], { reason: 'throttled', delay_seconds: 8 }],
    [
      'without one, after the visibility timeout',
      failed({ reason: 'internal', delaySeconds: undefined }),
      [['Failed', 1, 'internal']],
      { reason: 'internal' },
    ],
    [
      'and what is permanent about one that is held back from quarantine',
      failed({ reason: 'breaker_open', permanentReason: 'not_json' }),
      [['Failed', 1, 'breaker_open']],
      { reason: 'breaker_open', permanent_reason: 'not_json', delay_seconds: 8 },
    ],
    [
      'and waits for a lease',
      failed({ reason: 'lease_held' }),
      [
        ['Failed', 1, 'lease_held'],
        ['LeaseWaits', 1],
      ],
      { reason: 'lease_held', delay_seconds: 8 },
    ],
    [
      'since there was no time to begin it',
      failed({ reason: 'deadline' }),
      [
        ['Failed', 1, 'deadline'],
        ['DeferredAtDeadline', 1],
      ],
      { reason: 'deadline', delay_seconds: 8 },
    ],
    [
      'since the invocation ended before it was decided',
      { at: 'open' },
      [
        ['Failed', 1, 'deadline'],
        ['DeferredAtDeadline', 1],
      ],
      { reason: 'deadline' },
    ],
  ])('that comes back says so: %s', (_, state, metrics, said) => {
    expect(reported(recordWork('m1', { state }))).toStrictEqual({
      metrics: counts(...metrics),
      lines: [{ level: 'warn', message: 'failed: comes back', fields: fields(said) }, line(1)],
    });
  });
});

describe('what an operator needs to find a record', () => {
  const { id: _, ...unnamed } = record('m1', {});
  const nameless = { ...unnamed, id: undefined };

  it.each<[string, Partial<RecordWork> & { source?: RecordWork['record'] }, object]>([
    ['its message', {}, { message_id: 'm1', receive_count: 1 }],
    ['how often it came', { source: record('m1', {}, { receiveCount: 3 }) }, { message_id: 'm1', receive_count: 3 }],
    [
      'its group',
      { source: record('m1', {}, { groupId: 'A' }) },
      { message_id: 'm1', receive_count: 1, group_id: 'A' },
    ],
    ['no message where the source named none', { source: nameless }, { receive_count: 1 }],
    [
      'its event',
      { events: [work('o-1', { event: event('o-1', { correlationId: 'c-1' }) })] },
      { message_id: 'm1', receive_count: 1, event_id: 'o-1', correlation_id: 'c-1' },
    ],
    [
      'the id that could be read from an event that cannot be used',
      { issues: [{ reason: 'schema_violation', eventId: 'o-9' }] },
      { message_id: 'm1', receive_count: 1, event_id: 'o-9' },
    ],
    [
      'the id of the unusable part rather than that of its neighbour',
      { events: [work('o-1')], issues: [{ reason: 'schema_violation', eventId: 'o-9' }] },
      { message_id: 'm1', receive_count: 1, event_id: 'o-9' },
    ],
    [
      'no event rather than the neighbour of an unusable part without an id',
      {
        events: [work('o-1')],
        issues: [{ reason: 'event_id_missing' }, { reason: 'schema_violation', eventId: 'o-9' }],
      },
      { message_id: 'm1', receive_count: 1 },
    ],
    [
      'of its events the one that is permanent',
      { events: [work('o-1'), bad('o-2'), bad('o-3')], issues: [{ reason: 'schema_violation', eventId: 'o-9' }] },
      { message_id: 'm1', receive_count: 1, event_id: 'o-2', correlation_id: 'c-o-2' },
    ],
    ['no event where none could be read', { issues: [{ reason: 'not_json' }] }, { message_id: 'm1', receive_count: 1 }],
  ])('%s', (_title, more, said) => {
    const { lines } = reported(recordWork('m1', { ...more, state: { at: 'quarantined', reason: 'not_json' } }));
    expect(lines[0]?.fields).toStrictEqual({ ...said, reason: 'not_json' });
  });

  it.each<[string, Partial<RecordWork>, object]>([
    ['the only event', { events: [sent('o-1')] }, { event_id: 'o-1' }],
    [
      'the only part that holds an id',
      { issues: [{ reason: 'schema_violation', eventId: 'o-9' }] },
      { event_id: 'o-9' },
    ],
    ['none of several events', { events: [sent('o-1'), sent('o-2')] }, {}],
    ['none of several events, although one of them is permanent', { events: [sent('o-1'), bad('o-2')] }, {}],
    [
      'none of several unusable parts',
      {
        issues: [
          { reason: 'schema_violation', eventId: 'o-8' },
          { reason: 'schema_violation', eventId: 'o-9' },
        ],
      },
      {},
    ],
  ])('that comes back for a reason that passes: %s', (_title, more, said) => {
    const { lines } = reported(recordWork('m1', { ...more, state: failed() }));
    expect(lines[0]?.fields).toStrictEqual({ ...fields(said), reason: 'throttled', delay_seconds: 8 });
  });

  it.each(['breaker_open', 'quarantine_off', 'quarantine_failed'] as const)(
    'that is held back from quarantine (%s): the event that is permanent',
    (reason) => {
      const { lines } = reported(
        recordWork('m1', { events: [sent('o-1'), bad('o-2')], state: failed({ reason }) }),
        recordWork('m2', { events: [sent('o-3'), bad('o-4')] }),
      );
      expect(lines.map(({ fields: { event_id } }) => event_id)).toEqual(['o-2', undefined, undefined]);
    },
  );
});

describe('C-58: what is too large is logged with its size, never with its body', () => {
  const source = record('m1', '{"blob":"日本"}');

  it.each(['item_too_large', 'transaction_too_large', 'notification_too_large'] as const)('%s', (reason) => {
    const { lines } = reported(
      recordWork('m1', { source, state: { at: 'quarantined', reason } }),
      recordWork('m1', { source, state: failed({ reason: 'quarantine_off', permanentReason: reason }) }),
    );
    expect(lines.map(({ fields: { bytes } }) => bytes)).toEqual([17, 17, undefined]);
    expect(JSON.stringify(lines)).not.toContain('日');
  });

  it('another reason is no matter of size', () => {
    const { lines } = reported(
      recordWork('m1', { source, state: { at: 'quarantined', reason: 'schema_violation' } }),
      recordWork('m1', { source, state: failed({ reason: 'quarantine_off', permanentReason: 'not_json' }) }),
    );
    for (const { fields: logged } of lines) expect(logged).not.toHaveProperty('bytes');
  });
});
