import { describe, expect, it } from '@jest/globals';
import { judgeRow } from '../../src/core/judge.ts';
import type { Row } from '../../src/core/types.ts';
import { START_MS } from './harness.ts';
import { hashOf, row } from './stage-world.ts';

const BOUNDS = { functionTimeoutMs: 30_000, leaseMarginMs: 1_000 };
const judge = (stored: Row, messageId = 'm1', payloadHash = hashOf('a')) =>
  judgeRow(stored, { payloadHash, messageId, owner: 'us' }, START_MS, BOUNDS);

describe('an existing row decides (rule 4)', () => {
  it('sent under the same hash: a duplicate', () => {
    const sent = row({ status: 'sent' });
    expect(judge(sent)).toEqual({ kind: 'duplicate', row: sent });
  });

  it('sent under another hash is no duplicate: the second of two events with one id would be lost silently', () => {
    const sent = row({ status: 'sent', payloadHash: hashOf('b') });
    expect(judge(sent)).toEqual({ kind: 'mismatch', row: sent });
  });

  it('another hash of this very message is the same event, sent or pending', () => {
    const sent = row({ status: 'sent', payloadHash: hashOf('b'), messageId: 'm1' });
    expect(judge(sent).kind).toBe('duplicate');
    expect(judge(row({ payloadHash: hashOf('b'), messageId: 'm1' })).kind).toBe('held');
  });

  it('a row of a newer version is left to the newer code, whoever asks', () => {
    const claimant = { payloadHash: hashOf('a'), owner: 'us' };
    for (const messageId of ['m1', undefined])
      expect(judgeRow({ eventId: 'o-1', unknown: true }, { ...claimant, messageId }, START_MS, BOUNDS)).toEqual({
        kind: 'newer',
      });
  });

  it('two messages without an id are not the same message', () => {
    expect(judge(row({ payloadHash: hashOf('b'), messageId: '' }), '').kind).toBe('mismatch');
  });

  it.each(['v2:abc', `v1:${'a'.repeat(63)}`, `v1:${'a'.repeat(65)}`, `xv1:${'a'.repeat(64)}`, ''])(
    'the algorithm of %j is not known here: left to the newer code, never a mismatch',
    (payloadHash) => {
      expect(judge(row({ payloadHash }))).toEqual({ kind: 'newer' });
    },
  );

  it('a row in a shape that this code does not know is left to the newer code', () => {
    expect(judge({ eventId: 'o-1', unknown: true })).toEqual({ kind: 'newer' });
  });
});

describe('a pending row is judged by its lease (rule 5)', () => {
  it("another's live lease: held until its end, in milliseconds", () => {
    expect(judge(row())).toEqual({ kind: 'held', untilMs: START_MS + 10_000 });
  });

  it('over: abandoned', () => {
    const over = row({ leaseExpiresAtMs: START_MS - 1 });
    expect(judge(over)).toEqual({ kind: 'abandoned', row: over });
  });

  it('our own: ours, whether the lease is over or not', () => {
    for (const leaseExpiresAtMs of [START_MS + 10_000, START_MS - 1]) {
      const ours = row({ leaseOwner: 'us', leaseExpiresAtMs });
      expect(judge(ours)).toEqual({ kind: 'ours', row: ours });
    }
  });
});
