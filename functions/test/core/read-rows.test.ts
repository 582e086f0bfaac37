import { describe, expect, it } from '@jest/globals';
import { readRow, readRows } from '../../src/core/read-rows.ts';
import { row, store, world } from './stage-world.ts';

const NOT_ANSWERED = { kind: 'failed', name: 'MissingFromAnswer' };

describe('rows by id', () => {
  it('in the order asked, each id once a call', async () => {
    const w = world();
    store(w.h, row({ eventId: 'o-2' }));
    const found = { kind: 'found', value: row({ eventId: 'o-2' }) };
    expect(await readRows(w.ctx, ['o-2', 'o-1', 'o-2'])).toStrictEqual([found, { kind: 'absent' }, found]);
    expect(w.h.store.reads).toEqual([['o-2', 'o-1']]);
  });

  it('none asked for: no call, which DynamoDB would refuse', async () => {
    const w = world();
    expect(await readRows(w.ctx, [])).toStrictEqual([]);
    expect(w.h.store.reads).toEqual([]);
  });

  it('a row that the answer leaves out is no absent row: that would be committed again', async () => {
    const w = world();
    w.h.store.readRows = async () => [{ kind: 'absent' }];
    expect(await readRows(w.ctx, ['o-1', 'o-2'])).toStrictEqual([{ kind: 'absent' }, NOT_ANSWERED]);
    w.h.store.readRows = async () => [];
    expect(await readRow(w.ctx, 'o-1')).toStrictEqual(NOT_ANSWERED);
  });

  it('one alone', async () => {
    const w = world();
    store(w.h, row());
    expect(await readRow(w.ctx, 'o-1')).toStrictEqual({ kind: 'found', value: row() });
    expect(await readRow(w.ctx, 'o-2')).toStrictEqual({ kind: 'absent' });
    expect(w.h.store.reads).toEqual([['o-1'], ['o-2']]);
  });
});
