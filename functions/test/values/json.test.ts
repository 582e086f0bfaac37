import { describe, expect, it } from '@jest/globals';
import { readJson, writeJson } from '../../src/core/json.ts';
import { ExactNumber, type JsonValue } from '../../src/core/json-value.ts';
import { READ_MAX_LEVELS } from '../../src/core/limits.ts';
import { read } from './read.ts';

const reasonOf = (body: string) => {
  const result = readJson(body);
  return result.ok ? undefined : result.reason;
};

describe('the reader keeps every digit', () => {
  it.each([
    ['C-48', '9007199254740993', '9007199254740993'],
    ['C-48', '12345678901234567890', '12345678901234567890'],
    ['C-48', '-9007199254740993', '-9007199254740993'],
    ['C-48', '9007199254740993.0', '9007199254740993'],
    ['C-48', '123456789012345678901234567890', '123456789012345678901234567890'],
    ['C-49', '0.12345678901234567890', '0.1234567890123456789'],
    ['C-49', '1e-400', '1e-400'],
    ['C-49', '0.30000000000000001', '0.30000000000000001'],
    ['C-50', '1e400', '1e400'],
    ['C-50', '-1.5E+400', '-1.5e400'],
  ])('%s: %s is kept as %s', (_id, body, text) => {
    expect(read(body)).toEqual(new ExactNumber(text));
    expect(read(`{"deep":[{"n":${body}}]}`)).toEqual({ deep: [{ n: new ExactNumber(text) }] });
  });

  it.each([
    ['C-48', '9007199254740991', 9007199254740991],
    ['C-48', '9007199254740992', 9007199254740992],
    ['C-48', '1e21', 1e21],
    ['C-49', '1e-200', 1e-200],
    ['C-49', '0.0000001', 1e-7],
    ['C-49', '0.10', 0.1],
    ['C-49', '1.7976931348623157e308', Number.MAX_VALUE],
    ['C-49', '5e-324', Number.MIN_VALUE],
  ])('%s: %s is a plain number, since a double holds it', (_id, body, number) => {
    expect(read(body)).toBe(number);
  });

  it('C-49: minus zero is zero wherever it is written', () => {
    for (const body of ['-0', '-0.0', '-0e5', '-0.00000000000000000000']) expect(writeJson(read(body))).toBe('0');
  });

  it.each(['1e99999999999', '[1E-12345678901]', '{"a":1e1000000001}'])(
    'refuses an exponent that nothing can use: %s',
    (body) => {
      expect(reasonOf(body)).toBe('number_out_of_range');
    },
  );

  it('takes zero with any exponent', () => {
    expect(read('0e99999999999')).toBe(0);
  });

  it('C-50: never takes a string for a number', () => {
    const hex = '08040404040404040404040404040404040404040404040404';
    expect(read(`{"hex":"${hex}","e":"1e400","long":" 9007199254740993"}`)).toEqual({
      hex,
      e: '1e400',
      long: ' 9007199254740993',
    });
  });
});

describe('the reader refuses what is no JSON', () => {
  it.each([
    ['C-37', 'not json'],
    ['C-37', ''],
    ['C-50', '{"n":NaN}'],
    ['C-50', '{"n":Infinity}'],
    ['C-50', '{"n":-Infinity}'],
    ['C-37', '{"a":1}x'],
    ['C-37', '{"a":01}'],
    ['C-37', '{"a":1,}'],
    ['C-37', "{'a':1}"],
    ['C-37', '\u00a0{}'],
    ['C-37', '"\u0000"'],
    ['C-37', '1234567890123456x'],
  ])('%s: %j', (_id, body) => {
    expect(reasonOf(body)).toBe('not_json');
  });

  it('C-37: drops one byte order mark in front, and only one', () => {
    expect(read('\ufeff{"id":"o-7","amount":10}')).toEqual({ id: 'o-7', amount: 10 });
    expect(reasonOf('\ufeff\ufeff{}')).toBe('not_json');
    expect(reasonOf('\ufeff')).toBe('not_json');
    expect(read('{"a":"\ufeff"}')).toEqual({ a: '\ufeff' });
  });
});

describe('the reader notices a member that is written twice', () => {
  it.each([
    '{"a":1,"a":1}',
    '{"a":1,"b":{"c":1,"c":2}}',
    '[{"a":1},{"a":1,"a":2}]',
    '{"a":1,"\\u0061":2}',
    '{"a:b":":","a:b":"::"}',
    '{"a":":::::","a":1}',
    '{"a":1,"a":"\\u003a"}',
    '{"\\u003a":1,":":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"a":9007199254740993,"a":1}',
    '{"a":{"b":{"c":":"}},"a":{}}',
    '{"":1,"":2}',
    '{"a":1,"a":null}',
  ])('%s', (body) => {
    expect(reasonOf(body)).toBe('duplicate_member');
  });

  it.each([
    '{"a":1,"b":1}',
    '{"a":{"a":{"a":1}}}',
    '{"a":":","b":"::",":":":"}',
    '{"a":"\\u003a","b":"\\\\u003a"}',
    '{"a":"\\"a\\":1,\\"a\\":2"}',
    '{"a":"x\\\\","b":"\\u003A"}',
    '[{"a":1},{"a":1}]',
    '{"a":1,"A":1}',
    '{"__proto__":{"__proto__":1}}',
  ])('but not in %s', (body) => {
    expect(reasonOf(body)).toBeUndefined();
  });
});

describe('the reader takes names as data', () => {
  it('C-60: builds objects without a prototype', () => {
    const value = read('{"__proto__":{"polluted":1},"constructor":{"prototype":2},"toString":3}') as object;
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(Object.getPrototypeOf(Reflect.get(value, '__proto__'))).toBeNull();
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('keeps them where a number needs all its digits', () => {
    const value = read('{"__proto__":9007199254740993,"b":{"__proto__":[1e400]}}') as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'b']);
    expect(Reflect.get(value, '__proto__')).toEqual(new ExactNumber('9007199254740993'));
  });
});

describe('the reader refuses half of a surrogate pair', () => {
  it.each(['"\\ud800"', '{"a":"\\uDFFF"}', '{"\\ud83d":1}', '["\\ude00\\ud83d"]', '"\ud800"', '{"\udc00":1}'])(
    '%j',
    (body) => {
      expect(reasonOf(body)).toBe('not_well_formed');
    },
  );

  it.each(['"\\ud83d\\ude00"', '"😀"', '"\\\\ud800"'])('but not %j', (body) => {
    expect(reasonOf(body)).toBeUndefined();
  });
});

describe('the reader bounds the nesting', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  it('reads what is too deep to be stored, so that ids can still be found', () => {
    expect(reasonOf(nested(READ_MAX_LEVELS))).toBeUndefined();
    expect(reasonOf(nested(READ_MAX_LEVELS + 1))).toBe('too_deep');
  });

  it.each([nested(100_000), `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, `[9007199254740993,${nested(5_000)}]`])(
    'survives any depth',
    (body) => {
      expect(['too_deep', 'not_json']).toContain(reasonOf(body));
    },
  );
});

describe('the writer', () => {
  it('writes numbers with every digit', () => {
    expect(writeJson(read('[9007199254740993,0.1,1e400,1e21,-0,12345678901234567890.5]'))).toBe(
      '[9007199254740993,0.1,1e400,1e21,0,12345678901234567890.5]',
    );
  });

  it('keeps the members in their order, whatever they are called', () => {
    expect(writeJson(read('{ "b":1, "__proto__":2, "a":[null,true,false,""] }'))).toBe(
      '{"b":1,"__proto__":2,"a":[null,true,false,""]}',
    );
  });

  it('C-44: leaves letters of any script as they are', () => {
    expect(writeJson({ name: '日本' })).toBe('{"name":"日本"}');
  });

  it('escapes what SQS and SNS refuse in a message', () => {
    expect(writeJson(['\u0000\u001f', '\ufffe\uffff', '\u007f'] as JsonValue)).toBe(
      '["\\u0000\\u001f","\\ufffe\\uffff","\u007f"]',
    );
  });
});
