import { describe, expect, it } from '@jest/globals';
import { compile } from '../../src/core/jmespath/compile.ts';
import { ExactNumber, type JsonValue } from '../../src/core/json-value.ts';
import { read } from '../values/read.ts';

const search = (expression: string, body: string): JsonValue => compile(expression)(read(body));
const document = `{
  "a": {"b": {"c": "deep"}, "dashed-name": 1, "": "nameless"},
  "list": [{"n": 1, "tag": "x"}, {"n": 2, "tag": "y"}, {"n": 3}],
  "nested": [[1, 2], [3], 4, [[5]]],
  "map": {"one": {"v": 1}, "two": {"v": 2}, "three": {}},
  "empty": {"list": [], "object": {}, "text": "", "null": null, "zero": 0, "false": false},
  "words": ["b", "a", "c"]
}`;

describe('expressions find what the specification says', () => {
  it.each<[string, unknown]>([
    ['a.b.c', 'deep'],
    ['a . b . c', 'deep'],
    ['a."dashed-name"', 1],
    ['a.""', 'nameless'],
    ['"a".b."c"', 'deep'],
    ['a.missing.c', null],
    ['a.b.c.d', null],
    ['@.a.b.c', 'deep'],
    ['(a).b.c', 'deep'],
    ['list[0].n', 1],
    ['list[-1].n', 3],
    ['list[3]', null],
    ['list[-4]', null],
    ['a[0]', null],
    ['list[*].n', [1, 2, 3]],
    ['list[*].tag', ['x', 'y']],
    ['list[].n', [1, 2, 3]],
    ['a[*]', null],
    ['list[1:].n', [2, 3]],
    ['list[:1].n', [1]],
    ['list[::-1].n', [3, 2, 1]],
    ['list[::2].n', [1, 3]],
    ['list[-2:].n', [2, 3]],
    ['list[5:]', []],
    ['list[-9:9].n', [1, 2, 3]],
    ['list[2:0:-1].n', [3, 2]],
    ['a[1:2]', null],
    ['nested[]', [1, 2, 3, 4, [5]]],
    ['nested[][]', [1, 2, 3, 4, 5]],
    ['nested[*][0]', [1, 3, [5]]],
    ['map.*.v', [1, 2]],
    ['map.*', [{ v: 1 }, { v: 2 }, {}]],
    ['list.*', null],
    ['*.b.c', ['deep']],
    ['list[?n > `1`].n', [2, 3]],
    ["list[?tag == 'x'].n", [1]],
    ['list[?tag].n', [1, 2]],
    ['list[?!tag].n', [3]],
    ['a[?b]', null],
    ['list[?n == `2`] | [0].tag', 'y'],
    ['list[*].n | [0]', 1],
    ['nested[?@ == `4`]', [4]],
    ['[a.b.c, list[0].n]', ['deep', 1]],
    ['{x: a.b.c, "y z": list[0].n}', { x: 'deep', 'y z': 1 }],
    ['list[*].{number: n}', [{ number: 1 }, { number: 2 }, { number: 3 }]],
    [
      'list[*].[n, tag]',
      [
        [1, 'x'],
        [2, 'y'],
        [3, null],
      ],
    ],
    ['missing.[a]', null],
    ['missing.{a: a}', null],
    ['missing || a.b.c', 'deep'],
    ['empty.text || empty.list || empty.object || empty.null || empty.false || `7`', 7],
    ['empty.zero || `7`', 0],
    ['a && a.b.c', 'deep'],
    ['empty.text && a', ''],
    ['a || missing && missing', { b: { c: 'deep' }, 'dashed-name': 1, '': 'nameless' }],
    ['!(empty.zero)', false],
    ['!(empty.list)', true],
    ['!missing', true],
    ['!words[0]', false],
    ['!words[3]', true],
    ['!a == `false`', true],
    ['empty.zero == `0.0`', true],
    ['empty.zero == `false`', false],
    ['a.b == `{"c": "deep"}`', true],
    ['nested[0] == `[1, 2]`', true],
    ['nested[0] == `[2, 1]`', false],
    ['a.b != list', true],
    ['missing == `null`', true],
    ["'a' < 'b'", true],
    ["'2026-01-02' >= '2026-01-10'", false],
    ["'10' < `9`", null],
    ['`true` < `false`', null],
    ['missing < missing', null],
    ["list[0].n < '2'", null],
    ['list[0].n <= `1`', true],
    ['list[0].n >= `2`', false],
    ["'it\\'s'", "it's"],
    ["'\\'\\''", "''"],
    ['`"a\\`b\\`"`', 'a`b`'],
    ['` {"k": [1]} `', { k: [1] }],
    ['"\\u0061".b.c', 'deep'],
    ["'😀'", '😀'],
  ])('%s', (expression, found) => {
    expect(search(expression, document)).toEqual(found);
  });
});

describe('functions do what the specification says', () => {
  it.each<[string, unknown]>([
    ['abs(`-1.5`)', 1.5],
    ['avg(`[1, 2, 4.5]`)', 2.5],
    ['avg(`[]`)', null],
    ['ceil(`1.2`)', 2],
    ['floor(`-1.2`)', -2],
    ["contains('foobar', 'oba')", true],
    ["contains('foobar', `1`)", false],
    ['contains(words, `"b"`)', true],
    ['contains(nested, `[1, 2.0]`)', true],
    ['contains(nested, `[1]`)', false],
    ["ends_with('foobar', 'bar')", true],
    ["starts_with('foobar', 'bar')", false],
    ["join('-', words)", 'b-a-c'],
    ["join('', `[]`)", ''],
    ['keys(map)', ['one', 'two', 'three']],
    ['values(map)', [{ v: 1 }, { v: 2 }, {}]],
    ['length(words)', 3],
    ['length(map)', 3],
    ["length('日本😀')", 3],
    ['map(&n, list)', [1, 2, 3]],
    ['map(&tag, list)', ['x', 'y', null]],
    ['map(&@, `[0, false, ""]`)', [0, false, '']],
    ['max(`[1, 3, 2]`)', 3],
    ['max(words)', 'c'],
    ['max(`[]`)', null],
    ['min(`[1, 3, 2]`)', 1],
    ['min(words)', 'a'],
    ['max_by(list, &n).n', 3],
    ['min_by(list, &n).n', 1],
    ['max_by(`[]`, &n)', null],
    ['merge(`{"a": 1, "b": 1}`, `{"b": 2}`)', { a: 1, b: 2 }],
    ['not_null(missing, empty.zero, a)', 0],
    ['not_null(missing, empty.false)', false],
    ['not_null(missing)', null],
    ['reverse(words)', ['c', 'a', 'b']],
    ["reverse('ab😀')", '😀ba'],
    ['sort(words)', ['a', 'b', 'c']],
    ['sort(`[10, 9, 1]`)', [1, 9, 10]],
    ['sort(`["\\ud83d\\ude00", "\\uff5e"]`)', ['\uff5e', '😀']],
    ['sort_by(list, &n)[*].n', [1, 2, 3]],
    ['sort_by(`[{"k": 1, "i": 1}, {"k": 0, "i": 2}, {"k": 1, "i": 3}]`, &k)[*].i', [2, 1, 3]],
    ['sum(`[1, 2, 3.5]`)', 6.5],
    ['sum(`[]`)', 0],
    ['sum(`[0.1, 0.2]`)', 0.3],
    ['to_array(words)', ['b', 'a', 'c']],
    ['to_array(`1`)', [1]],
    ["to_number('1.50')", 1.5],
    ["to_number('x')", null],
    ["to_number('')", null],
    ['to_number(`true`)', null],
    ['to_string(`{"a": [1.0, "x"]}`)', '{"a":[1,"x"]}'],
    ["to_string('x')", 'x'],
    ['type(missing)', 'null'],
    ['type(words)', 'array'],
    ['type(map)', 'object'],
    ["type('')", 'string'],
    ['type(`1`)', 'number'],
    ['type(`true`)', 'boolean'],
  ])('%s', (expression, found) => {
    expect(search(expression, document)).toEqual(found);
  });

  it.each([
    "abs('1')",
    'abs(missing)',
    'avg(`[1, "2"]`)',
    'contains(`1`, `1`)',
    "ends_with('a', `1`)",
    'join(`1`, words)',
    "join('', nested)",
    'keys(words)',
    'values(words)',
    'length(`1`)',
    'length(missing)',
    'map(&n, map)',
    'max(`[1, "a"]`)',
    'max(`[true]`)',
    'max_by(list, &tag)',
    'merge(words)',
    'min(map)',
    'reverse(`1`)',
    'sort(`[1, "a"]`)',
    'sort(nested)',
    'sort_by(list, &tag)',
    'sum(words)',
  ])('%s throws, and names no value', (expression) => {
    expect(() => search(expression, document)).toThrow(
      expect.objectContaining({ name: 'ArgumentError', message: expect.stringMatching(/^[a-z:_& ]+$/) }),
    );
  });
});

describe('numbers keep their digits (C-48, C-49)', () => {
  const big = new ExactNumber('9007199254740993');

  it.each<[string, unknown]>([
    ['n', big],
    ['[n, {m: n}]', [big, { m: big }]],
    ['list[*].n', [big]],
    ['n == `9007199254740993`', true],
    ['n == `9007199254740992`', false],
    ['n > `9007199254740992`', true],
    ['n < `9007199254740994`', true],
    ['n >= `9007199254740993.0`', true],
    ['list[?n > `9007199254740992`] | length(@)', 1],
    ['n && `1`', 1],
    ['!n', false],
    ['n.text', null],
    ['n.*', null],
    ['n[0]', null],
    ['type(n)', 'number'],
    ['to_string(n)', '9007199254740993'],
    ['to_number(n)', big],
    ["to_number('9007199254740993')", big],
    ['abs(`-9007199254740993`)', big],
    ['floor(`9007199254740993.5`)', big],
    ['ceil(`9007199254740992.5`)', big],
    ['floor(`-9007199254740992.5`)', new ExactNumber('-9007199254740993')],
    ['ceil(`-9007199254740993.5`)', new ExactNumber('-9007199254740993')],
    ['ceil(`0.10000000000000000001`)', 1],
    ['floor(`0.10000000000000000001`)', 0],
    ['floor(`-0.10000000000000000001`)', -1],
    ['floor(n)', big],
    ['sum([n, `1`])', 9007199254740994],
    ['sum([n, `0.5`])', new ExactNumber('9007199254740993.5')],
    ['sum(`[9007199254740991, 2]`)', big],
    ['max([n, `9007199254740992`])', big],
    ['min([n, `9007199254740992`])', 9007199254740992],
    ['sort([n, `9007199254740992`])', [9007199254740992, big]],
    ['contains([n], `9007199254740993`)', true],
    ['max_by(list, &n).n', big],
    ['`9007199254740993`', big],
  ])('%s', (expression, found) => {
    expect(search(expression, '{"n":9007199254740993,"list":[{"n":9007199254740993}]}')).toEqual(found);
  });

  it.each(['avg([n, n])', 'length(n)', 'keys(n)', 'sum(`[1e400, 1e-700]`)'])('%s throws', (expression) => {
    expect(() => search(expression, '{"n":9007199254740993}')).toThrow();
  });
});

describe('an expression changes nothing that it is given', () => {
  it.each(['sort(words)', 'reverse(words)', 'sort_by(list, &n)', 'reverse(list)', 'merge(map, a)', 'to_array(words)'])(
    '%s',
    (expression) => {
      const value = read(document);
      compile(expression)(value);
      expect(value).toEqual(read(document));
    },
  );

  it('takes the names of JavaScript’s own for names', () => {
    expect(search('[constructor, toString, __proto__, a.hasOwnProperty]', document)).toEqual([null, null, null, null]);
    expect(search('__proto__.x', '{"__proto__":{"x":1}}')).toBe(1);
    const built = search('{"__proto__": a}', '{"a":1}') as object;
    expect(Object.keys(built)).toEqual(['__proto__']);
  });
});

describe('a wrong expression is refused when it is compiled', () => {
  it.each([
    ['', 'it ends too early'],
    ['a.', 'it ends too early'],
    ['a[', 'it ends too early'],
    ['a[0', 'it ends too early'],
    ['a ||', 'it ends too early'],
    ['length(a', 'it ends too early'],
    ['{a: b', 'it ends too early'],
    ['a b', '"b" is not expected at character 3'],
    ['a]', '"]" is not expected at character 2'],
    ['a.1', '1 is not expected at character 3'],
    ['.a', '"." is not expected at character 1'],
    ['a..b', '"." is not expected at character 3'],
    ['[a', 'it ends too early'],
    ['a[b]', '"b" is not expected at character 3'],
    ['a[1.5]', '"." is not expected at character 4'],
    ['{a}', '"}" is not expected at character 3'],
    ['{1: a}', '1 is not expected at character 2'],
    ['a = b', '"=" is not expected at character 3'],
    ['a #', '"#" is not expected at character 3'],
    ['1', '1 is not expected at character 1'],
    ["'open", 'a quote is not closed at character 1'],
    ['"open', 'a quote is not closed at character 1'],
    ['`1', 'a quote is not closed at character 1'],
    ['`{`', 'the literal at character 1 is not JSON'],
    ['a == `x`', 'the literal at character 6 is not JSON'],
    ['"\\x"', 'the literal at character 1 is not JSON'],
    ['a[::0]', 'the step of a slice cannot be 0'],
    ['a[1:2:3:4]', '":" is not expected at character 8'],
    ['a[1:b]', '"b" is not expected at character 5'],
    ['a[1:"2"]', '"2" is not expected at character 5'],
    ['a[1 2]', '2 is not expected at character 5'],
    ['nope(a)', 'there is no function nope()'],
    ['a[*].nope(@)', 'there is no function nope()'],
    ['toString(a)', 'there is no function toString()'],
    ['"length"(a)', '"(" is not expected at character 9'],
    ['a.b(c)', 'there is no function b()'],
    ['length()', 'length() takes 1 arguments, not 0'],
    ['length(a, b)', 'length() takes 1 arguments, not 2'],
    ['merge()', 'merge() takes 1 or more arguments, not 0'],
    ['sort_by(a)', 'sort_by() takes 2 arguments, not 1'],
    ['sort_by(a, b)', 'sort_by() takes an &expression there'],
    ['map(a, &b)', 'map() takes an &expression there'],
    ['&a', '&expression stands outside of the arguments of a function that takes one'],
    ['length(&a)', '&expression stands outside of the arguments of a function that takes one'],
    ['*.*.', 'it ends too early'],
    ['(a', 'it ends too early'],
    ['a[*]b', '"b" is not expected at character 5'],
    ['!a.b', '! binds more tightly than what follows: write !(a.b) for !a.b'],
    ['!a[?b]', '! binds more tightly than what follows: write !(a.b) for !a.b'],
    ['!a[]', '! binds more tightly than what follows: write !(a.b) for !a.b'],
    ['(!a).b', '! binds more tightly than what follows: write !(a.b) for !a.b'],
    ['length(a,)', '")" is not expected at character 10'],
  ])('%s: %s', (expression, message) => {
    expect(() => compile(expression)).toThrow(expect.objectContaining({ name: 'ExpressionError', message }));
  });
});
