import { describe, expect, it } from '@jest/globals';
import { readRow, readRows } from '../../src/core/read-rows.ts';
import { row, store, world } from './stage-world.ts';

const line = (error_name: string, count: number) => ({
  level: 'warn',
  message: 'rows not read',
  fields: { error_name, count },
});
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
    expect(w.h.telemetry.lines).toStrictEqual([line('MissingFromAnswer', 1), line('MissingFromAnswer', 1)]);
  });

  it('a failure is said once for each name: a missing permission is no throttling', async () => {
    const w = world();
    const names = new Map([
      ['o-1', 'AccessDeniedException'],
      ['o-2', 'ThrottlingException'],
      ['o-3', 'ThrottlingException'],
    ]);
    w.h.store.readRows = async (ids) =>
      ids.map((id) => {
        const name = names.get(id);
        return name === undefined ? { kind: 'absent' } : { kind: 'failed', name };
      });
    // An id that is asked for twice is one row that could not be read.
    await readRows(w.ctx, ['o-1', 'o-1', 'o-2', 'o-3', 'o-4']);
    await readRow(w.ctx, 'o-1');
    await readRow(w.ctx, 'o-4');
    expect(w.h.telemetry.lines).toStrictEqual([
      line('AccessDeniedException', 1),
      line('ThrottlingException', 2),
      line('AccessDeniedException', 1),
    ]);
  });

  it('one alone', async () => {
    const w = world();
    store(w.h, row());
    expect(await readRow(w.ctx, 'o-1')).toStrictEqual({ kind: 'found', value: row() });
    expect(await readRow(w.ctx, 'o-2')).toStrictEqual({ kind: 'absent' });
    expect(w.h.store.reads).toEqual([['o-1'], ['o-2']]);
  });
});
