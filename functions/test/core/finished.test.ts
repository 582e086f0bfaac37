import { describe, expect, it } from '@jest/globals';
import { deleteFinished } from '../../src/core/finished.ts';
import { record } from './harness.ts';
import { recordWork, world } from './stage-world.ts';

describe('what is finished is deleted before a record that may crash the process', () => {
  it('done or quarantined, with a handle, once', async () => {
    const w = world();
    const { receiptHandle: _, ...handleless } = record('m5', {});
    const batch = [
      recordWork('m1', { state: { at: 'done' } }),
      recordWork('m2', { state: { at: 'quarantined', reason: 'not_json' } }),
      recordWork('m3', { state: { at: 'failed', reason: 'throttled', delaySeconds: 1 } }),
      recordWork('m4'),
      recordWork('m5', { state: { at: 'done' }, source: handleless }),
    ];
    await deleteFinished(w.ctx, batch);
    await deleteFinished(w.ctx, batch);
    // Strictly: toEqual takes a list with an undefined handle at its end for one without.
    expect(w.h.queue.deleted).toStrictEqual(['handle-m1', 'handle-m2']);
    expect(w.h.telemetry.lines).toEqual([]);
  });

  it('a delete that failed, or that the answer does not name, is tried again; its neighbour is not', async () => {
    const w = world();
    const batch = ['m1', 'm2', 'm3'].map((id) => recordWork(id, { state: { at: 'done' } }));
    const calls: (readonly string[])[] = [];
    w.h.queue.delete = async (handles) => {
      calls.push(handles);
      return ['ReceiptHandleIsInvalid', false];
    };
    await deleteFinished(w.ctx, batch);
    await deleteFinished(w.ctx, batch);
    expect(calls[1]).toEqual(['handle-m1', 'handle-m3']);
    const line = (error_name: string) => ({
      level: 'warn',
      message: 'finished messages not deleted ahead',
      fields: { error_name, count: 1 },
    });
    expect(w.h.telemetry.lines).toStrictEqual([
      line('ReceiptHandleIsInvalid'),
      line('MissingFromAnswer'),
      line('ReceiptHandleIsInvalid'),
    ]);
  });

  it('when none could be deleted, no other is tried: each try costs the time of those that are still to be tried', async () => {
    const w = world();
    const batch = ['m1', 'm2'].map((id) => recordWork(id, { state: { at: 'done' } }));
    const calls: (readonly string[])[] = [];
    w.h.queue.delete = async (handles) => {
      calls.push(handles);
      return handles.map(() => 'AccessDenied');
    };
    await deleteFinished(w.ctx, batch);
    await deleteFinished(w.ctx, [...batch, recordWork('m3', { state: { at: 'done' } })]);
    expect(calls).toEqual([['handle-m1', 'handle-m2']]);
    expect(batch.map(({ deleted }) => deleted)).toEqual([false, false]);
    expect(w.h.telemetry.lines).toStrictEqual([
      {
        level: 'warn',
        message: 'finished messages not deleted ahead',
        fields: { error_name: 'AccessDenied', count: 2 },
      },
    ]);
  });

  it('nothing finished: no call', async () => {
    const w = world();
    w.h.queue.delete = () => {
      throw new Error('called');
    };
    await deleteFinished(w.ctx, [recordWork('m1')]);
  });
});
