import { describe, expect, it } from '@jest/globals';
import { chunks, inParallel } from '../../src/core/parallel.ts';

/** Tasks that end when the test says so. */
function gates() {
  const started: string[] = [];
  const open = new Map<string, { pass: (result: string) => void; fail: (error: Error) => void }>();
  const task = (item: string) =>
    new Promise<string>((pass, fail) => {
      started.push(item);
      open.set(item, { pass, fail });
    });
  return { started, task, gate: (item: string) => open.get(item) };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('several at a time', () => {
  it('answers in the order of the items, whichever ends first', async () => {
    const { started, task, gate } = gates();
    const all = inParallel(2, ['a', 'b', 'c'], task);
    expect(started).toEqual(['a', 'b']);
    gate('b')?.pass('B');
    await settle();
    expect(started).toEqual(['a', 'b', 'c']);
    gate('c')?.pass('C');
    await settle();
    gate('a')?.pass('A');
    expect(await all).toStrictEqual(['A', 'B', 'C']);
  });

  it('no items, no answers', async () => {
    const { started, task } = gates();
    expect(await inParallel(2, [], task)).toStrictEqual([]);
    expect(started).toEqual([]);
  });

  it('fewer items than it may run are each run once', async () => {
    const { started, task, gate } = gates();
    const all = inParallel(8, ['a'], task);
    gate('a')?.pass('A');
    expect(await all).toStrictEqual(['A']);
    expect(started).toEqual(['a']);
  });

  it('one that throws stops no other, and what it threw comes after all have ended', async () => {
    const { started, task, gate } = gates();
    let over = false;
    const all = inParallel(1, ['a', 'b'], task).finally(() => {
      over = true;
    });
    all.catch(() => {});
    gate('a')?.fail(new Error('first'));
    await settle();
    expect([started, over]).toEqual([['a', 'b'], false]);
    gate('b')?.fail(new Error('second'));
    await expect(all).rejects.toThrow('first');
  });
});

describe('pieces of a call', () => {
  it.each([
    [[], []],
    [[1, 2], [[1, 2]]],
    [
      [1, 2, 3],
      [[1, 2], [3]],
    ],
  ])('%j by two', (items, pieces) => {
    expect(chunks(items, 2)).toEqual(pieces);
  });
});
