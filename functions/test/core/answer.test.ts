import { describe, expect, it } from '@jest/globals';
import { buildAnswer } from '../../src/core/answer.ts';
import type { RecordState } from '../../src/core/work.ts';
import { record } from './harness.ts';
import { recordWork } from './stage-world.ts';

const FAILED: RecordState = { at: 'failed', reason: 'throttled', delaySeconds: 5 };
const named = (state: RecordState, id = 'm1') => recordWork(id, { state });
const nameless = (state: RecordState, id: string | undefined) =>
  recordWork('', { state, source: { ...record('', {}), id } });
const ids = (...names: string[]) => ({ batchItemFailures: names.map((itemIdentifier) => ({ itemIdentifier })) });

describe('the answer', () => {
  it('names what failed and what nobody decided, and nothing that is done or in the dead-letter queue', () => {
    expect(
      buildAnswer(
        [
          named({ at: 'done' }, 'm1'),
          named(FAILED, 'm2'),
          named({ at: 'quarantined', reason: 'not_json' }, 'm3'),
          named({ at: 'open' }, 'm4'),
        ],
        false,
      ),
    ).toEqual(ids('m2', 'm4'));
  });

  it('names no id twice', () => {
    expect(buildAnswer([named(FAILED), named(FAILED)], false)).toEqual(ids('m1'));
  });

  it('of a stream names the lowest failed sequence number alone: Lambda reads on from there', () => {
    const batch = [named({ at: 'done' }, '1'), named(FAILED, '2'), named(FAILED, '3')];
    expect(buildAnswer(batch, true)).toEqual(ids('2'));
    expect(buildAnswer(batch, false)).toEqual(ids('2', '3'));
  });

  it.each([undefined, ''])('a failing record whose id is %j fails the batch: unnamed it would count as done', (id) => {
    const build = () => buildAnswer([nameless(FAILED, id)], false);
    expect(build).toThrow(expect.objectContaining({ name: 'UnnamedRecordError' }));
    expect(buildAnswer([nameless({ at: 'done' }, id)], false)).toEqual(ids());
  });
});
