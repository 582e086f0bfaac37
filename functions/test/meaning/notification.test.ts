import { describe, expect, it } from '@jest/globals';
import { ExactNumber } from '../../src/core/json-value.ts';
import { attributesFrom, checkNotification, deduplicationIdOf, groupIdFrom } from '../../src/core/notification.ts';
import type { Notification } from '../../src/core/types.ts';

const rules = { topicMaxBytes: 262_144, topicFifo: false };
const fifo = { ...rules, topicFifo: true };
const base: Notification = { topicArn: 'arn:t', message: 'x', attributes: {} };
const checked = (overrides: Partial<Notification>, under = rules) =>
  checkNotification({ ...base, ...overrides }, under);
const attribute = (type: string, value: string, name = 'a') => ({ attributes: { [name]: { type, value } } });

describe('a notification is checked before the commit', () => {
  it('passes when SNS takes it', () => {
    expect(checked({ subject: 'New', ...attribute('Number', '-1.5e3') })).toBeUndefined();
    expect(checked({ groupId: 'fair-queue-group' })).toBeUndefined();
    expect(checked({ groupId: 'g', deduplicationId: 'd' }, fifo)).toBeUndefined();
  });

  it.each([
    ["'x' * 262144", 'x'.repeat(262_144), undefined],
    ["'x' * 262145", 'x'.repeat(262_145), 'notification_too_large'],
    ["'日' * 90000", '日'.repeat(90_000), 'notification_too_large'],
  ])('C-62: %s', (_name, message, reason) => {
    expect(checked({ message })).toBe(reason);
  });

  it('C-62: counts attributes, and the limit is configuration', () => {
    expect(checked({ message: 'x'.repeat(262_000), ...attribute('String', 'x'.repeat(200)) })).toBe(
      'notification_too_large',
    );
    expect(checked({ message: 'x'.repeat(1025) }, { ...rules, topicMaxBytes: 1024 })).toBe('notification_too_large');
    expect(checked({ message: 'x'.repeat(262_145) }, { ...rules, topicMaxBytes: 1_048_576 })).toBeUndefined();
  });

  it.each(['', '\u0000', 'a\u0008', '\u001b', '\ufffe', '\uffff', '\ud800', 'a\udc00'])(
    'refuses a message that SQS does not take: %j',
    (message) => {
      expect(checked({ message })).toBe('notification_invalid');
    },
  );

  it.each(['\t\n\r', '\u007f\u0085', '日本', '😀', '\ufffd', '\ue000', '\ud7ff'])('takes the message %j', (message) => {
    expect(checked({ message })).toBeUndefined();
  });

  it.each([
    ['', 'notification_invalid'],
    [' ', 'notification_invalid'],
    ['two\nlines', 'notification_invalid'],
    ['tab\t', 'notification_invalid'],
    ['line\u2028separator', 'notification_invalid'],
    ['\u007f', 'notification_invalid'],
    ['\ud800', 'notification_invalid'],
    ['x'.repeat(100), 'notification_invalid'],
    ['x'.repeat(99), undefined],
    ['日本', undefined],
  ])('the subject %j: %s', (subject, reason) => {
    expect(checked({ subject })).toBe(reason);
  });

  it.each([
    ['AWS.x', 'String', '1'],
    ['aws.x', 'String', '1'],
    ['Amazon.x', 'String', '1'],
    ['a b', 'String', '1'],
    [':authority', 'String', 'x'],
    ['', 'String', 'x'],
    ['.a', 'String', 'x'],
    ['a.', 'String', 'x'],
    ['a..b', 'String', 'x'],
    ['ä', 'String', 'x'],
    ['x'.repeat(257), 'String', 'x'],
    ['n', 'Number', 'NaN'],
    ['n', 'Number', ''],
    ['n', 'Number', '9'.repeat(39)],
    ['n', 'Number', '1e126'],
    ['n', 'Number', '1e-126'],
    ['n', 'Number', ' 1'],
    ['n', 'Number.int', 'x'],
    ['s', 'String', ''],
    ['s', 'String', '\u0000'],
    ['s', 'Text', 'x'],
    ['s', '', 'x'],
    ['s', 'Stringy', 'x'],
  ])('C-64: refuses the attribute %j of type %j with %j', (name, type, value) => {
    expect(checked(attribute(type, value, name))).toBe('notification_invalid');
  });

  it('C-64: refuses the name __proto__, which no literal keeps', () => {
    const attributes = JSON.parse('{"__proto__":{"type":"String","value":"x"}}');
    expect(checked({ attributes })).toBe('notification_invalid');
  });

  it.each(['awsx', 'a.b-c_d.1', 'x'.repeat(256)])('C-64: takes the attribute name %s', (name) => {
    expect(checked(attribute('String', 'x', name))).toBeUndefined();
  });

  it('C-65: takes eight attributes, well below the ten that raw delivery passes on', () => {
    const many = (count: number) => ({
      attributes: Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`a${i}`, { type: 'String', value: 'x' }]),
      ),
    });
    expect(checked(many(8))).toBeUndefined();
    expect(checked(many(9))).toBe('notification_invalid');
    expect(checked(many(11))).toBe('notification_invalid');
  });

  it.each([
    ['no group', { deduplicationId: 'd' }],
    ['no de-duplication id', { groupId: 'g' }],
    ['an empty group', { groupId: '', deduplicationId: 'd' }],
    ['a space in the group', { groupId: 'a b', deduplicationId: 'd' }],
    ['a letter that is none of ASCII', { groupId: 'ä', deduplicationId: 'd' }],
    ['a group of 129 characters', { groupId: 'x'.repeat(129), deduplicationId: 'd' }],
    ['a long de-duplication id', { groupId: 'g', deduplicationId: 'x'.repeat(129) }],
  ])('refuses %s on a FIFO topic', (_name, overrides) => {
    expect(checked(overrides, fifo)).toBe('notification_invalid');
  });

  it('takes every mark that ids may hold', () => {
    const id = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~azAZ09';
    expect(checked({ groupId: id, deduplicationId: id }, fifo)).toBeUndefined();
    expect(checked({ groupId: 'x'.repeat(128), deduplicationId: 'x'.repeat(128) }, fifo)).toBeUndefined();
  });

  it('refuses a de-duplication id on a standard topic, and a bad group anywhere', () => {
    expect(checked({ deduplicationId: 'd' })).toBe('notification_invalid');
    expect(checked({ groupId: 'a b' })).toBe('notification_invalid');
  });
});

/** Lists in lists. */
function nested(levels: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < levels; level += 1) value = [value];
  return value;
}

describe('C-64: attributes come from data, and data never fails a publish', () => {
  it.each<[string, unknown, unknown]>([
    ['a text', 'x', { type: 'String', value: 'x' }],
    ['a number', 1.5, { type: 'Number', value: '1.5' }],
    ['an exact number', new ExactNumber('9007199254740993'), { type: 'Number', value: '9007199254740993' }],
    ['a bigint', 7n, { type: 'Number', value: '7' }],
    ['38 digits', new ExactNumber('9'.repeat(38)), { type: 'Number', value: '9'.repeat(38) }],
    ['39 digits', new ExactNumber('9'.repeat(39)), { type: 'String', value: '9'.repeat(39) }],
    ['a number that is too large', 1e126, { type: 'String', value: '1e126' }],
    ['a number that is too small', 1e-126, { type: 'String', value: '1e-126' }],
    ['the smallest', 1e-125, { type: 'Number', value: '1e-125' }],
    ['an empty list', [], undefined],
    ['a boolean', false, { type: 'String', value: 'false' }],
    ['a list of scalars', ['a', 1, null], { type: 'String.Array', value: '["a",1,null]' }],
    ['a list of objects', [{}], { type: 'String', value: '[{}]' }],
    ['an object', { a: 1 }, { type: 'String', value: '{"a":1}' }],
    ['an empty text', '', undefined],
    ['null', null, undefined],
    ['undefined', undefined, undefined],
    ['NaN', Number.NaN, undefined],
    ['a control character', '\u0000', undefined],
    ['half of a surrogate pair', '\ud800', undefined],
    ['a function', () => 1, undefined],
    ['a list with NaN', [Number.NaN], undefined],
    ['a list with a bigint', [1n], undefined],
    ['a list with undefined', [undefined], undefined],
    ['a list with a hole', Object.assign([1], { length: 2 }), undefined],
    ['a list with half of a surrogate pair', ['\ud800'], undefined],
    ['an object whose member is undefined', { a: undefined }, undefined],
    ['a member whose name is half of a surrogate pair', { '\udc00': 1 }, undefined],
    ['a date', new Date(0), undefined],
    ['a date inside of a list', [[new Date(0)]], undefined],
    ['a map', new Map([['a', 1]]), undefined],
    ['an instance of a class', { a: new (class A {})() }, undefined],
    ['an exact number that is none', new ExactNumber('007'), undefined],
    ['an exact number inside that is none', { n: new ExactNumber('') }, undefined],
    ['exact numbers', { n: new ExactNumber('-0.50e+7') }, { type: 'String', value: '{"n":-0.50e+7}' }],
    [
      'an object without a prototype',
      Object.assign(Object.create(null), { a: 1 }),
      { type: 'String', value: '{"a":1}' },
    ],
    ['as many levels as are written', nested(256), { type: 'String', value: '['.repeat(256) + ']'.repeat(256) }],
    ['more levels', nested(257), undefined],
  ])('%s', (_name, value, expected) => {
    expect(attributesFrom({ a: value })).toEqual(expected === undefined ? {} : { a: expected });
  });
});

describe('ids on a FIFO topic', () => {
  it('C-68: the de-duplication id is fixed by event and place', () => {
    expect(deduplicationIdOf('o-1', 0)).toBe(deduplicationIdOf('o-1', 0));
    expect(new Set([deduplicationIdOf('o-1', 0), deduplicationIdOf('o-1', 1), deduplicationIdOf('o-10', 0)]).size).toBe(
      3,
    );
    expect(deduplicationIdOf('日'.repeat(600), 0)).toHaveLength(64);
  });

  it('a group that the topic takes stays readable; others still tell groups apart', () => {
    expect(groupIdFrom('customer-1')).toBe('customer-1');
    expect(groupIdFrom('customer 1')).toMatch(/^[0-9a-f]{64}$/);
    expect(groupIdFrom('customer 1')).not.toBe(groupIdFrom('customer 2'));
    expect(checkNotification({ ...base, groupId: groupIdFrom(''), deduplicationId: 'd' }, fifo)).toBeUndefined();
  });
});
