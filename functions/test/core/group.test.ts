import { describe, expect, it } from '@jest/globals';
import { type Groupable, halves, inRounds, packGroups } from '../../src/core/group.ts';

const MB = 1024 * 1024;

interface Entry extends Groupable {
  readonly name: string;
}

const entry = (name: string, items: readonly string[], bytes = 1): Entry => ({ name, items, bytes });

/** An event of so many actions. */
const actions = (name: string, count: number, bytes = 1): Entry =>
  entry(
    name,
    Array.from({ length: count }, (_, i) => `${name}${i}`),
    bytes,
  );

const names = (entries: readonly Entry[]): string => entries.map(({ name }) => name).join('');
const packed = (entries: readonly Entry[], size = 100) => packGroups(entries, size, (one) => one).map(names);

describe('a transaction holds what DynamoDB takes', () => {
  it.each<[string, readonly Entry[], string[]]>([
    ['nothing: no call', [], []],
    ['100 actions', [actions('a', 60), actions('b', 40)], ['ab']],
    ['101 actions', [actions('a', 60), actions('b', 41)], ['a', 'b']],
    ['actions are counted anew in the next one', [actions('a', 60), actions('b', 60), actions('c', 40)], ['a', 'bc']],
    ['actions of all events count', [actions('a', 40), actions('b', 40), actions('c', 40)], ['ab', 'c']],
    ['4 MB', [actions('a', 1, 3 * MB), actions('b', 1, MB)], ['ab']],
    ['a byte more', [actions('a', 1, 3 * MB), actions('b', 1, MB + 1)], ['a', 'b']],
    [
      'bytes are counted anew in the next one',
      [actions('a', 1, 3 * MB), actions('b', 1, 2 * MB), actions('c', 1, 2 * MB)],
      ['a', 'bc'],
    ],
    [
      'bytes of all events count',
      [actions('a', 1, 2 * MB), actions('b', 1, 1.5 * MB), actions('c', 1, MB)],
      ['ab', 'c'],
    ],
    ['too much for any: alone, and no empty call beside it', [actions('a', 101), actions('b', 1)], ['a', 'b']],
  ])('%s', (_, entries, groups) => {
    expect(packed(entries)).toEqual(groups);
  });

  it.each([
    [1, ['a', 'b', 'c', 'd', 'e']],
    [2, ['ab', 'cd', 'e']],
    [5, ['abcde']],
  ])('at most as many events as were learned to go well (%i)', (size, groups) => {
    const five = ['a', 'b', 'c', 'd', 'e'].map((name) => actions(name, 1));
    expect(packed(five, size)).toEqual(groups);
  });
});

describe('writes to one item happen in the order of the batch', () => {
  it.each<[string, readonly Entry[], readonly string[]]>([
    ['nothing: no round', [], []],
    ['no item is shared', [entry('a', ['x']), entry('b', ['y'])], ['ab']],
    ['the second of an item waits', [entry('a', ['x']), entry('b', ['x']), entry('c', ['y'])], ['ac', 'b']],
    ['one shared item of several is enough', [entry('a', ['x', 'y']), entry('b', ['z', 'y'])], ['a', 'b']],
    [
      'what shares an item with one that waits, waits behind it',
      [entry('a', ['x']), entry('b', ['x', 'y']), entry('c', ['y'])],
      ['a', 'b', 'c'],
    ],
    [
      'the last of several that touch an item is the one to wait for, whichever item it is',
      [entry('a', ['x']), entry('b', ['x']), entry('c', ['z']), entry('d', ['x', 'z']), entry('e', ['z'])],
      ['ac', 'b', 'd', 'e'],
    ],
  ])('%s', (_, entries, rounds) => {
    expect(inRounds(entries, ({ items }) => items).map(names)).toEqual(rounds);
  });
});

describe('who makes a whole call fail is found by splitting', () => {
  it.each([
    [[], [[], []]],
    [['a'], [['a'], []]],
    [
      ['a', 'b'],
      [['a'], ['b']],
    ],
    [
      ['a', 'b', 'c'],
      [['a', 'b'], ['c']],
    ],
  ])('%j', (group, expected) => {
    expect(halves(group)).toEqual(expected);
  });
});
