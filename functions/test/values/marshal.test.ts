import { describe, expect, it } from '@jest/globals';
import type { AttributeValue } from '../../src/core/attribute-value.ts';
import { ExactNumber } from '../../src/core/json-value.ts';
import { NESTING_MAX_LEVELS } from '../../src/core/limits.ts';
import { fromAttributeMap, fromAttributeValue, toAttributeMap, toAttributeValue } from '../../src/core/marshal.ts';
import { read } from './read.ts';

const reasonOf = (value: unknown) => {
  const result = toAttributeValue(value);
  return result.ok ? undefined : result.reason;
};
const stored = (value: unknown) => {
  const result = toAttributeValue(value);
  if (!result.ok) throw new Error(result.reason);
  return result.value;
};

describe('numbers reach DynamoDB with every digit, or not at all', () => {
  it.each([
    ['C-48', '9007199254740993', '9007199254740993'],
    ['C-48', '12345678901234567890', '12345678901234567890'],
    ['C-48', '1e21', '1e21'],
    ['C-48', '9007199254740991', '9007199254740991'],
    ['C-49', '0.12345678901234567890', '0.1234567890123456789'],
    ['C-49', '0.0000001', '1e-7'],
    ['C-49', '-0', '0'],
    ['C-49', '1e-130', '1e-130'],
    ['C-50', '1e125', '1e125'],
  ])('%s: %s becomes N %s', (_id, body, text) => {
    expect(stored(read(body))).toEqual({ N: text });
  });

  it.each([
    ['C-49', '1e-200'],
    ['C-49', '1e-400'],
    ['C-49', '0.123456789012345678901234567890123456789'],
    ['C-50', '1e400'],
    ['C-50', '1e126'],
    ['C-50', '123456789012345678901234567890123456789'],
  ])('%s: %s is number_out_of_range, wherever it stands', (_id, body) => {
    expect(reasonOf(read(body))).toBe('number_out_of_range');
    expect(reasonOf(read(`{"a":[{"n":${body}}]}`))).toBe('number_out_of_range');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 10n ** 126n, new ExactNumber('no number')])(
    'C-50: %p out of a handler is number_out_of_range',
    (value) => {
      expect(reasonOf(value)).toBe('number_out_of_range');
    },
  );

  it('takes bigint', () => {
    expect(stored(-9007199254740993n)).toEqual({ N: '-9007199254740993' });
  });

  it('C-50: stores a string of digits as a string', () => {
    const hex = '08040404040404040404040404040404040404040404040404';
    expect(stored(hex)).toEqual({ S: hex });
  });
});

describe('what a handler gives has one documented outcome', () => {
  it.each([
    ['undefined', undefined],
    ['a member that is undefined', { a: undefined }],
    ['an element that is undefined', [1, undefined, 2]],
    ['a hole in a list', Array(3)],
    ['an empty set', new Set()],
    ['a set of two types', new Set(['a', 1])],
    ['a set of other things', new Set([true])],
    ['a set of lists', new Set([['a']])],
    ['a set with one number twice', new Set([1, 1n])],
    ['a set with one binary twice', new Set([new Uint8Array([1]), new Uint8Array([1])])],
    ['a date', new Date(0)],
    ['an instance of a class', new (class A {})()],
    ['an object that inherits', Object.create({ inherited: 1 })],
    ['a map', new Map([['a', 1]])],
    ['a function', () => 1],
    ['a symbol', Symbol('a')],
    ['a member called by a symbol', { [Symbol('a')]: 1 }],
    ['a boxed string', Object('text')],
    ['a regular expression', /a/],
    ['an array of doubles', new Float64Array(1)],
    ['a member without a name', { '': 1 }],
    ['a member called __proto__', JSON.parse('{"__proto__":1}')],
    ['a name above 64 KB', { ['x'.repeat(65_536)]: 1 }],
  ])('C-52: %s is value_not_storable', (_name, value) => {
    expect(reasonOf(value)).toBe('value_not_storable');
    expect(reasonOf({ member: value })).toBe('value_not_storable');
    expect(reasonOf([value])).toBe('value_not_storable');
  });

  it("C-52: '' stays '', and null stays null", () => {
    expect(stored({ s: '', n: null })).toEqual({ M: { s: { S: '' }, n: { NULL: true } } });
  });

  it('C-60: an object without a prototype is an object like any other', () => {
    expect(stored(Object.assign(Object.create(null), { b: 1 }))).toEqual({ M: { b: { N: '1' } } });
  });

  it('stores binaries and sets of one type', () => {
    const bytes = new Uint8Array([1, 2]);
    expect(stored(bytes)).toEqual({ B: bytes });
    expect(stored(new Set(['a', '']))).toEqual({ SS: ['a', ''] });
    expect(stored(new Set([1, 2n, new ExactNumber('9007199254740993')]))).toEqual({
      NS: ['1', '2', '9007199254740993'],
    });
    expect(stored(new Set([bytes]))).toEqual({ BS: [bytes] });
  });

  it('stores the bytes of a Buffer, which writes itself as JSON in a form of its own', () => {
    const buffer = Buffer.from('xaby').subarray(1, 3);
    const bytes = new TextEncoder().encode('ab');
    expect(stored(buffer)).toStrictEqual({ B: bytes });
    expect(stored(new Set([buffer]))).toStrictEqual({ BS: [bytes] });
    expect(JSON.stringify(stored({ list: [buffer] }))).toBe(JSON.stringify({ M: { list: { L: [{ B: bytes }] } } }));
  });

  it.each(['\ud800', { a: '\udc00' }, { '\ud800': 1 }, new Set(['\ud800'])])(
    'refuses half of a surrogate pair: %j',
    (value) => {
      expect(reasonOf(value)).toBe('not_well_formed');
    },
  );

  it('takes an item only where an object is', () => {
    expect(toAttributeMap([])).toEqual({ ok: false, reason: 'value_not_storable' });
    expect(toAttributeMap(null)).toEqual({ ok: false, reason: 'value_not_storable' });
    expect(toAttributeMap({ a: 1 })).toEqual({ ok: true, value: { a: { N: '1' } } });
  });

  it('keeps names that mean something elsewhere', () => {
    const item = read('{"constructor":1,"toString":2,"a.b":3,"#x":4,":y":5,"hasOwnProperty":6}');
    expect(toAttributeMap(item)).toEqual({
      ok: true,
      value: {
        constructor: { N: '1' },
        toString: { N: '2' },
        'a.b': { N: '3' },
        '#x': { N: '4' },
        ':y': { N: '5' },
        hasOwnProperty: { N: '6' },
      },
    });
  });
});

describe('nesting', () => {
  const nested = (levels: number): unknown =>
    levels === 0 ? 1 : levels % 2 === 0 ? [nested(levels - 1)] : { a: nested(levels - 1) };

  it('is stored down to 32 levels in an attribute: 31 lists and maps around a scalar, or 32 around nothing', () => {
    expect(toAttributeMap({ attribute: nested(NESTING_MAX_LEVELS - 1) }).ok).toBe(true);
    expect(toAttributeMap({ attribute: nested(NESTING_MAX_LEVELS) })).toEqual({ ok: false, reason: 'too_deep' });
    expect(reasonOf(nested(NESTING_MAX_LEVELS - 1))).toBeUndefined();
    expect(reasonOf(nested(NESTING_MAX_LEVELS))).toBe('too_deep');
    expect(toAttributeMap({ attribute: read('['.repeat(32) + ']'.repeat(32)) }).ok).toBe(true);
    expect(toAttributeMap({ attribute: read('['.repeat(33) + ']'.repeat(33)) })).toEqual({
      ok: false,
      reason: 'too_deep',
    });
  });

  it('that never ends is too deep as well', () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    expect(reasonOf(loop)).toBe('too_deep');
  });
});

describe('reading items back', () => {
  it.each<[AttributeValue, unknown]>([
    [{ S: '' }, ''],
    [{ N: '1.50' }, 1.5],
    [{ N: '1E+2' }, 100],
    [{ N: '9007199254740993' }, new ExactNumber('9007199254740993')],
    [{ N: '-0' }, 0],
    [{ BOOL: false }, false],
    [{ NULL: true }, null],
    [{ L: [{ N: '1' }, { L: [] }] }, [1, []]],
    [{ M: { a: { S: 'x' } } }, { a: 'x' }],
    [{ B: new Uint8Array([1]) }, new Uint8Array([1])],
    [{ SS: ['a'] }, new Set(['a'])],
    [{ NS: ['1', '9007199254740993'] }, new Set([1, new ExactNumber('9007199254740993')])],
    [{ BS: [new Uint8Array([1])] }, new Set([new Uint8Array([1])])],
  ])('%j', (stored, value) => {
    expect(fromAttributeValue(stored)).toEqual(value);
  });

  it('gives objects without a prototype', () => {
    expect(Object.getPrototypeOf(fromAttributeMap({ a: { M: {} } }))).toBeNull();
  });
});
