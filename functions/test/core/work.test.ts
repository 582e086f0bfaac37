import { describe, expect, it } from '@jest/globals';
import {
  eventsOf,
  hasPermanent,
  newWork,
  recordVerdict,
  staged,
  type Verdict,
  verdictOf,
} from '../../src/core/work.ts';
import { event, hashOf, recordWork, settled, work } from './stage-world.ts';

const SENT: Verdict = { kind: 'sent', how: 'committed', payloadHash: hashOf('a') };
const BAD: Verdict = { kind: 'permanent', reason: 'schema_violation' };
const LATER = (retryAtMs?: number): Verdict => ({
  kind: 'transient',
  reason: 'lease_held',
  ...(retryAtMs === undefined ? {} : { retryAtMs }),
});
const verdict = (...verdicts: Verdict[]) =>
  recordVerdict(recordWork('m1', { events: verdicts.map((each, index) => settled(`o-${index}`, each)) }));

describe('an event in this invocation', () => {
  it('begins with nothing known about it', () => {
    expect(newWork(event(), { receiveCount: 2, owner: 'us' })).toStrictEqual({
      event: event(),
      receiveCount: 2,
      owner: 'us',
      contested: false,
      stage: { at: 'new' },
      twin: false,
      items: [],
    });
    expect(newWork(event(), { receiveCount: 1, owner: 'us', contested: true }).contested).toBe(true);
  });

  it('that nobody settled comes back', () => {
    expect(verdictOf(work())).toEqual({ kind: 'transient', reason: 'internal' });
  });
});

describe('the events of a batch', () => {
  const first = work('o-1');
  const second = settled('o-2', SENT);
  const third = work('o-3');

  it('are those of its records, in their order', () => {
    const records = [[first, second], [], [third]].map((events, index) => recordWork(`m${index}`, { events }));
    expect(eventsOf(records)).toEqual([first, second, third]);
  });

  it('at one stage are found with what they know there', () => {
    expect(staged([first, second, third], 'settled')).toEqual([{ work: second, stage: second.stage }]);
    expect(staged([first, second, third], 'new').map(({ work }) => work)).toEqual([first, third]);
  });
});

describe('the verdict on a message of several events', () => {
  it('is done when all are sent or not ours, or when there are none', () => {
    expect(verdict(SENT, { kind: 'not_ours', reason: 'filtered' })).toEqual({ kind: 'done' });
    expect(verdict()).toEqual({ kind: 'done' });
  });

  it('one transient event keeps it in the queue, whatever the others are', () => {
    expect(verdict(BAD, LATER(), SENT)).toEqual({ kind: 'transient', reason: 'lease_held', retryAtMs: undefined });
    expect(recordVerdict(recordWork('m1', { events: [settled('o-1', BAD), work('o-2')] }))).toMatchObject({
      kind: 'transient',
      reason: 'internal',
    });
  });

  it('the first transient reason counts, and the earliest time to come back', () => {
    const throttled: Verdict = { kind: 'transient', reason: 'throttled' };
    expect(verdict(LATER(300), LATER(100), LATER(200))).toMatchObject({ retryAtMs: 100 });
    expect(verdict(throttled, LATER(200))).toEqual({ kind: 'transient', reason: 'throttled', retryAtMs: 200 });
    expect(verdict(LATER(200), throttled)).toEqual({ kind: 'transient', reason: 'lease_held', retryAtMs: 200 });
  });

  it('otherwise the first permanent one quarantines it, under its id; a part that cannot be read comes last', () => {
    const issues = [{ reason: 'not_json', eventId: 'o-9' }] as const;
    expect(verdict(SENT, BAD)).toEqual({ kind: 'permanent', reason: 'schema_violation', eventId: 'o-1' });
    expect(recordVerdict(recordWork('m1', { events: [settled('o-1', BAD)], issues: [...issues] }))).toMatchObject({
      reason: 'schema_violation',
    });
    expect(recordVerdict(recordWork('m1', { events: [settled('o-1', SENT)], issues: [...issues] }))).toEqual({
      kind: 'permanent',
      reason: 'not_json',
      eventId: 'o-9',
    });
  });
});

describe('the id of a permanent message', () => {
  it('is the key of its row, the prefix included, whether an event or a part that cannot be read is guilty', () => {
    expect(recordVerdict(recordWork('m1', { events: [settled('p#o-1', BAD)] }))).toMatchObject({ eventId: 'p#o-1' });
    const issues = [{ reason: 'fingerprint_missing', eventId: 'p#o-1' }] as const;
    expect(recordVerdict(recordWork('m1', { issues: [...issues] }))).toMatchObject({ eventId: 'p#o-1' });
  });
});

describe('a message with something permanent about it', () => {
  it('has one permanent event, or a part that cannot be read, whatever keeps it in the queue', () => {
    const has = (...verdicts: Verdict[]) =>
      hasPermanent(recordWork('m1', { events: verdicts.map((each, index) => settled(`o-${index}`, each)) }));
    expect(has(SENT, BAD, LATER())).toBe(true);
    expect(has(SENT, LATER())).toBe(false);
    expect(hasPermanent(recordWork('m1', { issues: [{ reason: 'not_json' }] }))).toBe(true);
  });
});
