import { describe, expect, it } from '@jest/globals';
import { compileCondition, compileExpression } from '../../src/core/expression.ts';
import { readJson, writeJson } from '../../src/core/json.ts';
import type { JsonObject, JsonValue } from '../../src/core/json-value.ts';

const read = (text: string): JsonObject => (readJson(text) as { readonly value: JsonObject }).value;
const found = (text: string, event: JsonValue) => compileExpression(text, 'v')(event);
const BIG = read('{"n":9007199254740993,"other":9007199254740992.1,"m":2,"list":[{"n":9007199254740993},{"n":1}]}');

describe('a plain path', () => {
  it('never reaches a prototype', () => {
    for (const member of ['constructor', 'toString', '__proto__', 'n.text', 'n.constructor', 'list.length']) {
      expect(found(member, BIG)).toBeNull();
    }
    expect(found('__proto__.a', read('{"__proto__":{"a":1}}'))).toBe(1);
  });
});

describe('a number that no double holds', () => {
  it('is passed on with every digit', () => {
    expect(found('{n: n}.n', BIG)).toBe(BIG.n);
    expect(writeJson(found('{a: list[*].n, b: not_null(x, n), c: m > `1`}', BIG))).toBe(
      '{"a":[9007199254740993,1],"b":9007199254740993,"c":true}',
    );
    expect(found('to_string(n)', BIG)).toBe('9007199254740993');
    expect(found('to_string(list[0])', BIG)).toBe('{"n":9007199254740993}');
    expect(found('n == list[0].n', BIG)).toBe(true);
    expect(found('n == m', BIG)).toBe(false);
    expect(writeJson(found('{n: n, t: [n]}', read('{"n":-1e400}')))).toBe('{"n":-1e400,"t":[-1e400]}');
  });

  it.each([
    'n > `1`',
    '{x: n > `1`}',
    'n > `1` || m',
    'list[?n > `5`]',
    'sum([n])',
    'abs(n)',
    'sort_by(list, &n)',
    'type(n)',
    'keys(n)',
    '*.text',
    'n | text',
    'to_number(n)',
    "to_number('9007199254740993')",
    'n == other',
  ])('is computed with by no expression, and that is loud: %s', (text) => {
    expect(() => found(text, BIG)).toThrow();
  });

  it('is judged by the filter as the nearest double', () => {
    const passes = (text: string) => compileCondition(text, 'event_filter')(BIG);
    expect(passes('n > `100`')).toBe(true);
    expect(passes('n < `100`')).toBe(false);
    expect(passes('list[?n > `100`]')).toBe(true);
  });
});

describe('the filter', () => {
  it.each([
    ['0', true],
    ['"x"', true],
    ['{"a":0}', true],
    ['null', false],
    ['false', false],
    ['""', false],
    ['[]', false],
    ['{}', false],
  ])('holds %s for %s, as JMESPath does', (value, expected) => {
    expect(compileCondition('v', 'event_filter')(read(`{"v":${value}}`))).toBe(expected);
  });
});

describe('what Powertools would change without a word', () => {
  it('the order of a list of the event, and of a literal', () => {
    const event = read('{"tags":["b","a"]}');
    expect(found('[sort(tags), reverse(tags)]', event)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect(event).toEqual(read('{"tags":["b","a"]}'));
    const reversed = compileExpression('reverse(`[1,2]`)', 'v');
    expect([reversed(event), reversed(event)]).toEqual([
      [2, 1],
      [2, 1],
    ]);
  });

  it('0, false and an empty text', () => {
    expect(found('[not_null(x, a[0]), not_null(x, a[2])]', read('{"a":[0,false,""]}'))).toEqual([0, '']);
    expect(found('map(&@, a)', read('{"a":[0,false,"",null]}'))).toEqual([0, false, '', null]);
  });

  it('an exception of its own making into nothing', () => {
    expect(() => found("map('x', a)", read('{"a":[1]}'))).toThrow();
    expect(() => found('map(&[::0], a)', read('{"a":[[1]]}'))).toThrow();
    expect(() => found('avg(a)', read('{"a":[]}'))).toThrow('not a number');
  });

  it('a prototype or a part of its own into a value', () => {
    for (const text of ['{a: n}.constructor', '{a: n}.toString', '{a: n}."__proto__"', '@ | n.constructor', '&a']) {
      expect(() => found(text, BIG)).toThrow();
    }
  });

  it('no order, which is undefined to it, into a hole', () => {
    expect(writeJson(found('{a: a > b, b: [a < b]}', read('{"a":"1","b":1}')))).toBe('{"a":null,"b":[null]}');
  });
});

describe('refused at start-up', () => {
  it.each([
    ['abs()', /at least 1 argument/],
    ['abs(a, b)', /at most 1 argument/],
    ['items[*].nope(@)', /Unknown function: nope\(\)/],
    ['a && map(&nope (@), b)', /Unknown function: nope\(\)/],
    ['!a.b', /write !\(a\.b\)/],
    ["at > '2026-01-01'", /strings have no order/],
    ['`"2026"` <= at', /strings have no order/],
    ['n == `9007199254740993`', /more digits than a double/],
    ['{"__proto__": a}', /no object may have a member/],
  ])('%s', (text, message) => {
    for (const compiled of [compileExpression, compileCondition]) expect(() => compiled(text, 'v')).toThrow(message);
  });

  it.each([
    "a == '> \\' nope(x)'",
    '!(a.b)',
    'a != b.c',
    '"nope("',
    'S > `1`',
    'sum(a)',
    'join(a, b)',
    'sort_by(a, &b.c)',
  ])('not: %s', (text) => {
    expect(() => compileExpression(text, 'v')).not.toThrow();
  });

  it('names the variable and the expression', () => {
    expect(() => compileExpression('a.', 'event_id')).toThrow(/^event_id is no JMESPath expression.*, in a\.$/);
    expect(() => compileExpression(' ', 'event_id')).toThrow(
      'event_id is empty: write a JMESPath expression, or leave it out.',
    );
  });

  it.each(['kind == "order"', '"order" == kind || kind != "order"', 'a && (kind == "order")'])(
    'refuses %s: double quotes name a member, so the filter would pass over every event',
    (text) => {
      expect(() => compileExpression(text, 'event_filter')).toThrow("write 'order'");
    },
  );

  it.each(["kind == 'order'", 'kind == `"order"`', '"detail-type" == \'x\'', '{"a": b}', 'a == "b-c"'])(
    'takes %s',
    (text) => {
      expect(() => compileExpression(text, 'event_filter')).not.toThrow();
    },
  );
});
