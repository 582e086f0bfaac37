import { describe, expect, it } from '@jest/globals';
import type { PipelineContext } from '../../src/core/pipeline-context.ts';
import { quarantineAll } from '../../src/core/quarantine.ts';
import type { EventWork, RecordWork } from '../../src/core/work.ts';
import type { Failed } from '../../src/ports.ts';
import { record, START_MS } from './harness.ts';
import { hashOf, recordWork, row, type StageWorld, settled, store, world } from './stage-world.ts';

const bad = (eventId: string, reason: 'schema_violation' | 'payload_mismatch' = 'schema_violation') =>
  settled(eventId, { kind: 'permanent', reason });
const of = (id: string, ...events: EventWork[]) => recordWork(id, { events });
const unread = (id: string, eventId?: string) =>
  recordWork(id, { issues: [{ reason: 'fingerprint_missing', ...(eventId === undefined ? {} : { eventId }) }] });
/** What became of each record, in the order asked. */
const quarantine = async (ctx: PipelineContext, records: readonly RecordWork[]) => {
  const outcomes = new Map(await quarantineAll(ctx, records));
  return records.map((it) => outcomes.get(it));
};
const failed = (reason: string) => ({ kind: 'failed', reason });
const sent = (w: StageWorld) => w.h.queue.deadLetters.map(({ messageId }) => messageId);
const OVER = { leaseExpiresAtMs: START_MS - 1 };

describe('only what is provably uncommitted is quarantined (rule 10)', () => {
  it('no row: quarantined, with the reason of each', async () => {
    const w = world();
    expect(await quarantine(w.ctx, [of('m1', bad('o-1')), of('m2', bad('o-2', 'payload_mismatch'))])).toEqual([
      { kind: 'quarantined', reason: 'schema_violation' },
      { kind: 'quarantined', reason: 'payload_mismatch' },
    ]);
    expect(w.h.store.reads).toEqual([['o-1', 'o-2']]);
    expect(w.h.queue.deadLetters.map(({ attributes }) => attributes.event_id?.value)).toEqual(['o-1', 'o-2']);
  });

  it('nothing to quarantine: no call', async () => {
    const w = world();
    expect(await quarantine(w.ctx, [])).toEqual([]);
    expect(w.h.store.reads).toEqual([]);
  });

  it('nothing but what turns out to be done: no call to the queue', async () => {
    const w = world();
    store(w.h, row({ status: 'sent' }));
    const calls: unknown[] = [];
    w.h.queue.quarantine = async (messages) => {
      calls.push(messages);
      return [];
    };
    expect(await quarantine(w.ctx, [of('m1', bad('o-1'))])).toEqual([{ kind: 'done' }]);
    expect(calls).toEqual([]);
  });

  it('no id could be read: quarantined without a look-up', async () => {
    const w = world();
    expect(await quarantine(w.ctx, [unread('m1')])).toEqual([{ kind: 'quarantined', reason: 'fingerprint_missing' }]);
    expect(w.h.store.reads).toEqual([]);
  });

  it('within the deadline margin nothing is', async () => {
    const w = world();
    w.h.clock.advance(28_500);
    expect(await quarantine(w.ctx, [of('m1', bad('o-1'))])).toEqual([failed('deadline')]);
    expect([w.h.store.reads, sent(w)]).toEqual([[], []]);
  });

  it('a commit with an unknown outcome may still be executed: the message comes back, its neighbour goes', async () => {
    const w = world();
    w.ctx.unknownCommits.add('o-1');
    expect(await quarantine(w.ctx, [of('m1', bad('o-1')), of('m2', bad('o-2'))])).toEqual([
      failed('commit_pending'),
      { kind: 'quarantined', reason: 'schema_violation' },
    ]);
    expect(sent(w)).toEqual(['m2']);
  });

  it('a read that failed is no absent row', async () => {
    const w = world();
    w.h.store.readFault = () => 'TimeoutError';
    expect(await quarantine(w.ctx, [of('m1', bad('o-1')), unread('m2', 'o-2')])).toEqual([
      failed('look_up_failed'),
      failed('look_up_failed'),
    ]);
    expect(sent(w)).toEqual([]);
  });

  it('an event of it that is sent already is not looked up again', async () => {
    const w = world();
    const done = settled('o-1', { kind: 'sent', how: 'committed', payloadHash: hashOf('a') });
    expect(await quarantine(w.ctx, [of('m1', done, bad('o-2'))])).toEqual([
      { kind: 'quarantined', reason: 'schema_violation' },
    ]);
    expect(w.h.store.reads).toEqual([['o-2']]);
  });
});

describe('the dead-letter queue has it, or the message comes back', () => {
  it.each<[string, Failed[], unknown[], unknown[]]>([
    [
      'the second is refused',
      [false, 'AccessDenied'],
      [{ kind: 'quarantined', reason: 'schema_violation' }, failed('quarantine_failed')],
      [{ error_name: 'AccessDenied', count: 1 }],
    ],
    [
      'the first is refused',
      ['RequestThrottled', false],
      [failed('quarantine_failed'), { kind: 'quarantined', reason: 'schema_violation' }],
      [{ error_name: 'RequestThrottled', count: 1 }],
    ],
    [
      'the answer names none',
      [],
      [failed('quarantine_failed'), failed('quarantine_failed')],
      [{ error_name: 'MissingFromAnswer', count: 2 }],
    ],
  ])('%s, and the log says why', async (_, answer, outcomes, said) => {
    const w = world();
    w.h.queue.quarantine = async () => answer;
    expect(await quarantine(w.ctx, [of('m1', bad('o-1')), of('m2', bad('o-2'))])).toEqual(outcomes);
    expect(w.h.telemetry.lines).toStrictEqual(
      said.map((fields) => ({ level: 'warn', message: 'messages not quarantined', fields })),
    );
  });

  it('says which message lost attributes, and how many; nothing when none did', async () => {
    const w = world();
    const attributes = Object.fromEntries(
      Array.from({ length: 8 }, (_, i) => [`a${i}`, { type: 'String', value: 'x' }]),
    );
    const wide = recordWork('m1', { events: [bad('o-1')], source: { ...record('m1', {}), attributes } });
    await quarantine(w.ctx, [wide, of('m2', bad('o-2'))]);
    expect(w.h.telemetry.lines).toEqual([
      { level: 'warn', message: expect.stringContaining('attributes dropped'), fields: { message_id: 'm1', count: 2 } },
    ]);
  });
});

describe('what turns out to be committed is finished first', () => {
  it('sent: the message is done', async () => {
    const w = world();
    store(w.h, row({ status: 'sent' }));
    expect(await quarantine(w.ctx, [of('m1', bad('o-1'))])).toEqual([{ kind: 'done' }]);
    expect(sent(w)).toEqual([]);
  });

  it('pending, its lease over: published from the stored bytes and marked, then done', async () => {
    const w = world();
    store(w.h, row(OVER));
    expect(await quarantine(w.ctx, [of('m1', bad('o-1'))])).toEqual([{ kind: 'done' }]);
    expect(w.h.topic.ids).toEqual(['o-1']);
    expect(w.h.store.status('o-1')).toBe('sent');
  });

  it('pending under a live lease: back until its end', async () => {
    const w = world();
    store(w.h, row());
    const held = { ...failed('lease_held'), retryAtMs: START_MS + 10_000 };
    expect(await quarantine(w.ctx, [of('m1', bad('o-1')), unread('m2', 'o-1')])).toEqual([held, held]);
    expect(sent(w)).toEqual([]);
  });

  it('pending, and SNS refuses: back without a time of its own', async () => {
    const w = world();
    w.h.topic.fault = () => 'failed';
    store(w.h, row(OVER));
    store(w.h, row({ ...OVER, eventId: 'o-2' }));
    expect(await quarantine(w.ctx, [of('m1', bad('o-1')), unread('m2', 'o-2')])).toEqual([
      failed('publish_failed'),
      failed('publish_failed'),
    ]);
  });

  it("another event's pending row is published on its own account, and the message stays permanent", async () => {
    const w = world();
    store(w.h, row({ ...OVER, payloadHash: hashOf('b') }));
    expect(await quarantine(w.ctx, [of('m1', bad('o-1'))])).toEqual([
      { kind: 'quarantined', reason: 'payload_mismatch' },
    ]);
    expect(w.h.topic.ids).toEqual(['o-1']);
    expect(w.h.store.status('o-1')).toBe('sent');
  });

  it('two messages that name one row: the first finishes it, the second comes back to be told by the row', async () => {
    const w = world();
    store(w.h, row(OVER));
    expect(await quarantine(w.ctx, [of('m1', bad('o-1')), of('m2', bad('o-1'))])).toEqual([
      { kind: 'done' },
      failed('lease_held'),
    ]);
    expect(w.h.topic.ids).toEqual(['o-1']);
  });

  it('a row of a newer version is left to the newer code', async () => {
    const w = world();
    store(w.h, row());
    w.h.store.rows.set('o-1', { ...w.h.store.rows.get('o-1'), v: { N: '2' } });
    expect(await quarantine(w.ctx, [of('m1', bad('o-1')), unread('m2', 'o-1')])).toEqual([
      failed('row_newer'),
      failed('row_newer'),
    ]);
  });
});

describe('a part of the message that no longer decodes', () => {
  const committedBy = async (messageId: string, it: RecordWork, status: 'pending' | 'sent') => {
    const w = world();
    store(w.h, row({ ...OVER, messageId, status }));
    const [outcome] = await quarantine(w.ctx, [it]);
    return { outcome, w };
  };

  it.each(['pending', 'sent'] as const)('is sent when this very message committed it (%s)', async (status) => {
    const { outcome, w } = await committedBy('m1', unread('m1', 'o-1'), status);
    expect(outcome).toEqual({ kind: 'done' });
    expect(w.h.store.status('o-1')).toBe('sent');
    expect(sent(w)).toEqual([]);
  });

  it('is bad when another message committed an event with its id; that one is finished', async () => {
    const { outcome, w } = await committedBy('m0', unread('m1', 'o-1'), 'pending');
    expect(outcome).toEqual({ kind: 'quarantined', reason: 'fingerprint_missing' });
    expect(w.h.topic.ids).toEqual(['o-1']);
  });

  it('is bad when neither the row nor the message has an id', async () => {
    const source = { ...record('', {}), id: undefined };
    const nameless = recordWork('', { source, issues: [{ reason: 'fingerprint_missing', eventId: 'o-1' }] });
    const { outcome } = await committedBy('', nameless, 'sent');
    expect(outcome).toEqual({ kind: 'quarantined', reason: 'fingerprint_missing' });
    const empty = recordWork('', { issues: [{ reason: 'fingerprint_missing', eventId: 'o-1' }] });
    expect((await committedBy('', empty, 'sent')).outcome).toEqual({
      kind: 'quarantined',
      reason: 'fingerprint_missing',
    });
  });

  it('is sent beside an event with another id, and bad beside one with its own', async () => {
    for (const [eventId, expected] of [
      ['o-2', { kind: 'done' }],
      ['o-1', { kind: 'quarantined', reason: 'fingerprint_missing' }],
    ] as const) {
      const done = settled(eventId, { kind: 'sent', how: 'committed', payloadHash: hashOf('a') });
      const it = recordWork('m1', { events: [done], issues: [{ reason: 'fingerprint_missing', eventId: 'o-1' }] });
      expect((await committedBy('m1', it, 'sent')).outcome).toEqual(expected);
    }
  });

  it('is bad beside another that does not decode under the same id: the row is that of one of them', async () => {
    const two = recordWork('m1', {
      issues: [
        { reason: 'fingerprint_missing', eventId: 'o-1' },
        { reason: 'mapping_failed', eventId: 'o-1' },
      ],
    });
    const { outcome } = await committedBy('m1', two, 'sent');
    expect(outcome).toEqual({ kind: 'quarantined', reason: 'fingerprint_missing' });
  });

  it('is not sent while SNS refuses what it committed', async () => {
    const w = world();
    w.h.topic.fault = () => 'failed';
    store(w.h, row({ ...OVER, messageId: 'm1' }));
    const it = unread('m1', 'o-1');
    expect(await quarantine(w.ctx, [it])).toStrictEqual([failed('publish_failed')]);
    expect(it.issues).toHaveLength(1);
  });

  it('takes no other part of the message along: that one keeps it permanent', async () => {
    const two = recordWork('m1', {
      issues: [{ reason: 'fingerprint_missing', eventId: 'o-1' }, { reason: 'event_id_missing' }],
    });
    const { outcome } = await committedBy('m1', two, 'sent');
    expect(outcome).toEqual({ kind: 'quarantined', reason: 'event_id_missing' });
  });

  it('is taken over in the name of nobody when its message has none', async () => {
    const w = world();
    store(w.h, row(OVER));
    const source = { ...record('', {}), id: undefined };
    await quarantine(w.ctx, [recordWork('', { source, issues: [{ reason: 'fingerprint_missing', eventId: 'o-1' }] })]);
    expect(w.h.store.updates[0]?.[0]).toMatchObject({ kind: 'takeover', owner: 'request/' });
  });

  it('is taken over by this attempt, in the name of this message', async () => {
    const w = world();
    store(w.h, row({ ...OVER, messageId: 'm1' }));
    await quarantine(w.ctx, [unread('m1', 'o-1')]);
    expect(w.h.store.updates[0]?.[0]).toMatchObject({ kind: 'takeover', owner: 'request/m1' });
  });
});
