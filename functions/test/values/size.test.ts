import { describe, expect, it } from '@jest/globals';
import type { AttributeMap, AttributeValue } from '../../src/core/attribute-value.ts';
import { ITEM_MAX_BYTES, TOPIC_MAX_BYTES_DEFAULT } from '../../src/core/limits.ts';
import {
  attributesBytes,
  conditionBytes,
  itemBytes,
  keyBytes,
  messageBytes,
  notificationBytes,
  valueBytes,
  writeUnits,
  writtenBytes,
} from '../../src/core/size.ts';
import type { BusinessWrite, Notification } from '../../src/core/types.ts';

describe('the size of an item, by the rules that AWS publishes', () => {
  it.each<[string, AttributeValue, number]>([
    ['an empty string', { S: '' }, 0],
    ['letters of one byte', { S: 'abc' }, 3],
    ['letters of three bytes', { S: '日本' }, 6],
    ['letters of four bytes', { S: '😀' }, 4],
    ['true', { BOOL: true }, 1],
    ['null', { NULL: true }, 1],
    ['zero', { N: '0' }, 2],
    ['one digit', { N: '7' }, 2],
    ['two digits', { N: '42' }, 2],
    ['three digits', { N: '123' }, 3],
    ['a negative number', { N: '-42' }, 3],
    ['trailing zeros', { N: '4200' }, 2],
    ['an odd number of them', { N: '420' }, 3],
    ['a fraction', { N: '0.5' }, 2],
    ['a fraction of two digits', { N: '0.05' }, 2],
    ['digits on both sides', { N: '1.5' }, 3],
    ['38 digits', { N: '9'.repeat(38) }, 20],
    ['a binary', { B: new Uint8Array(5) }, 5],
    ['an empty list', { L: [] }, 3],
    ['an empty map', { M: {} }, 3],
    ['a list', { L: [{ S: 'ab' }, { BOOL: true }] }, 3 + 1 + 2 + 1 + 1],
    ['a map', { M: { name: { S: 'ab' } } }, 3 + 1 + 4 + 2],
    ['a set of strings', { SS: ['ab', '日'] }, 5],
    ['a set of numbers', { NS: ['1', '123'] }, 5],
    ['a set of binaries', { BS: [new Uint8Array(2), new Uint8Array(3)] }, 5],
  ])('%s', (_name, value, bytes) => {
    expect(valueBytes(value)).toBe(bytes);
    expect(itemBytes({ 名: value })).toBe(3 + bytes);
    expect(keyBytes({ 名: value })).toBe(3 + bytes);
  });

  it.each([
    ["'x' * (399*1024)", 'x'.repeat(399 * 1024), true],
    ["'x' * (410*1024)", 'x'.repeat(410 * 1024), false],
    ["'日' * (140*1024)", '日'.repeat(140 * 1024), false],
    ["'x' * (1000*1024)", 'x'.repeat(1000 * 1024), false],
  ])('C-58: an item with %s', (_name, blob, fits) => {
    expect(itemBytes({ pk: { S: 'o-1' }, blob: { S: blob } }) <= ITEM_MAX_BYTES).toBe(fits);
  });
});

describe('the size of a transaction', () => {
  const key: AttributeMap = { pk: { S: 'o-1' } };
  const base = { table: 'orders', key, onConditionFailed: 'reject' } as const;
  const condition = { expression: '#v < :v', names: { '#v': 'v' }, values: { ':v': { N: '7' } } };

  it.each<[string, BusinessWrite, number]>([
    ['a put counts its item', { ...base, kind: 'put', item: { ...key, a: { S: 'xyz' } } }, 9],
    ['a condition counts its values', { ...base, kind: 'put', item: key, condition }, 5 + 4],
    [
      'an update counts key and values',
      { ...base, kind: 'update', expression: 'SET #a = :a', values: { ':a': { S: 'xyz' } } },
      5 + 5,
    ],
    ['an update without values', { ...base, kind: 'update', expression: 'REMOVE #a' }, 5],
    ['a delete counts its key', { ...base, kind: 'delete' }, 5],
    ['a check counts key and condition', { ...base, kind: 'check', condition }, 9],
  ])('%s', (_name, write, bytes) => {
    expect(writtenBytes(write) + conditionBytes(write)).toBe(bytes);
  });

  it.each([
    [0, 1],
    [1, 1],
    [1024, 1],
    [1025, 2],
    [400 * 1024, 400],
  ])('%d bytes are %d write units, and twice that in a transaction', (bytes, units) => {
    expect(writeUnits(bytes, false)).toBe(units);
    expect(writeUnits(bytes, true)).toBe(2 * units);
  });
});

describe('the size of a message', () => {
  const notification = (message: string, value?: string): Notification => ({
    topicArn: 'arn:aws:sns:eu-central-1:111122223333:orders',
    message,
    attributes: value === undefined ? {} : { k: { type: 'String', value } },
  });

  it.each([
    ["'x' * 262144", notification('x'.repeat(262_144)), true],
    ["'x' * 262145", notification('x'.repeat(262_145)), false],
    ["'x' * 262000 and a 200-byte attribute", notification('x'.repeat(262_000), 'x'.repeat(200)), false],
    ["'日' * 90000", notification('日'.repeat(90_000)), false],
    ["'日' * 87381", notification('日'.repeat(87_381)), true],
  ])('C-62: %s', (_name, message, fits) => {
    expect(notificationBytes(message) <= TOPIC_MAX_BYTES_DEFAULT).toBe(fits);
  });

  it('C-62: counts name, type and value of an attribute, and the subject', () => {
    expect(attributesBytes({ tenant: { type: 'String', value: '日' } })).toBe(6 + 6 + 3);
    expect(messageBytes('日', { a: { type: 'Number', value: '1' } })).toBe(3 + 1 + 6 + 1);
    expect(notificationBytes({ ...notification('x'), subject: 'sub' })).toBe(4);
  });

  it('counts the bytes that base64 stands for', () => {
    expect(attributesBytes({ b: { type: 'Binary', value: 'AAECAw==' } })).toBe(1 + 6 + 4);
    expect(attributesBytes({ b: { type: 'Binary.gz', value: 'AAECAw==' } })).toBe(1 + 9 + 4);
    expect(attributesBytes({ b: { type: 'String', value: 'AAECAw==' } })).toBe(1 + 6 + 8);
  });
});
