import { describe, expect, it } from '@jest/globals';
import { declarativeMeaning, type Mapping } from '../../src/core/mapping.ts';
import { compileSchema } from '../../src/core/schema.ts';
import type { BusinessWrite, Planned } from '../../src/core/types.ts';
import { mapping, onlyEvent, record } from './record.ts';

function plan(body: unknown, overrides: Partial<Mapping> = {}, source = {}): Planned {
  const meaning = declarativeMeaning({ ...mapping, ...overrides }, compileSchema);
  return meaning.plan(onlyEvent(meaning.decode(record(body, source))), []) as Planned;
}

function planOf(body: unknown, overrides: Partial<Mapping> = {}, source = {}) {
  const planned = plan(body, overrides, source);
  if (planned.kind !== 'plan') throw new Error(JSON.stringify(planned));
  return planned.plan;
}

const writeOf = (body: unknown, overrides: Partial<Mapping> = {}) => planOf(body, overrides).writes[0] as BusinessWrite;
const rejected = (reason: string) => ({ kind: 'rejected', reason });
const refuses = (overrides: Partial<Mapping>, sentence: RegExp) =>
  expect(() => declarativeMeaning({ ...mapping, ...overrides }, compileSchema)).toThrow(
    expect.objectContaining({ name: 'ConfigurationError', message: expect.stringMatching(sentence) }),
  );

describe('the business item', () => {
  it('is the whole event under its key, which must be free', () => {
    expect(planOf({ id: 'o-1', amount: 10 }).writes).toEqual([
      {
        kind: 'put',
        table: 'orders',
        key: { pk: { S: 'o-1' } },
        item: { pk: { S: 'o-1' }, id: { S: 'o-1' }, amount: { N: '10' } },
        condition: { expression: 'attribute_not_exists(#pk)', names: { '#pk': 'pk' } },
        onConditionFailed: 'reject',
      },
    ]);
  });

  it.each([
    ['9007199254740993', '9007199254740993'],
    ['12345678901234567890', '12345678901234567890'],
    ['0.12345678901234567890', '0.1234567890123456789'],
  ])('C-48: keeps the digits of %s through an expression', (written, stored) => {
    const write = writeOf(`{"id":"o-1","order":{"n":${written},"list":[${written}]}}`, {
      businessItem: '{n: order.n, first: order.list[0], all: order.list}',
    });
    expect(write).toMatchObject({ item: { n: { N: stored }, first: { N: stored }, all: { L: [{ N: stored }] } } });
  });

  it('C-48: two keys that differ beyond double precision are two items', () => {
    const key = (n: string) =>
      writeOf(`{"id":"o-1","n":${n}}`, { businessKey: 'n', businessHashKey: { name: 'pk', type: 'N' } }).key;
    expect(key('9007199254740993')).toEqual({ pk: { N: '9007199254740993' } });
    expect(key('9007199254740992')).toEqual({ pk: { N: '9007199254740992' } });
  });

  it.each([
    ['C-49: too small', '{"id":"o-1","n":1e-200}', 'number_out_of_range'],
    ['C-49: far too small', '{"id":"o-1","n":1e-400}', 'number_out_of_range'],
    ['C-50: too large', '{"id":"o-1","n":1e400}', 'number_out_of_range'],
    ['too deep', `{"id":"o-1","a":${'['.repeat(33)}${']'.repeat(33)}}`, 'too_deep'],
    ['a member called __proto__', '{"id":"o-1","__proto__":1}', 'value_not_storable'],
  ])('%s: is permanent before any call', (_name, body, reason) => {
    expect(plan(body)).toEqual(rejected(reason));
  });

  it('C-49: a number that cannot be stored does no harm where it is not stored', () => {
    expect(plan('{"id":"o-1","n":1e400}', { businessItem: '{id: id}' }).kind).toBe('plan');
  });

  it('C-49, C-50: zero, small numbers and digit strings are stored as they are', () => {
    const hex = '08040404040404040404040404040404040404040404040404';
    expect(writeOf(`{"id":"o-1","zero":-0,"small":0.0000001,"hex":"${hex}"}`)).toMatchObject({
      item: { zero: { N: '0' }, small: { N: '1e-7' }, hex: { S: hex } },
    });
  });

  it('C-53: keeps an empty note', () => {
    expect(writeOf({ id: 'o-5', note: '' })).toMatchObject({ item: { note: { S: '' } } });
  });

  it('C-56: reaches no expression by name, and names with dots and signs are one attribute each', () => {
    const body =
      '{"id":"o-1","status":"x","name":"x","ttl":1,"key":"o-1","data":{"size":1},"a.b":1,"#x":1,":y":1,"count":1}';
    const write = writeOf(body, { businessHashKey: { name: 'key', type: 'S' } });
    expect(write.condition).toEqual({ expression: 'attribute_not_exists(#pk)', names: { '#pk': 'key' } });
    expect(write).toMatchObject({
      item: {
        status: { S: 'x' },
        name: { S: 'x' },
        ttl: { N: '1' },
        key: { S: 'o-1' },
        data: { M: { size: { N: '1' } } },
        'a.b': { N: '1' },
        '#x': { N: '1' },
        ':y': { N: '1' },
        count: { N: '1' },
      },
    });
  });

  it.each([
    ['is missing', { id: 'o-1' }],
    ['is a text', { id: 'o-1', order: 'x' }],
    ['is a list', { id: 'o-1', order: [] }],
  ])('that %s is permanent', (_name, body) => {
    expect(plan(body, { businessItem: 'order' })).toEqual(rejected('item_not_an_object'));
  });

  it('whose expression fails is permanent, and says so', () => {
    expect(plan({ id: 'o-1' }, { businessItem: 'merge(order)' })).toEqual(rejected('mapping_failed'));
  });
});

describe('the business key', () => {
  it.each([
    ['missing', { id: 'o-1' }, 'business_key_missing'],
    ['null', { id: 'o-1', key: null }, 'business_key_missing'],
    ['C-53: empty', { id: 'o-1', key: '' }, 'business_key_invalid'],
    ['a number for a string key', { id: 'o-1', key: 7 }, 'business_key_invalid'],
    ['an object', { id: 'o-1', key: {} }, 'business_key_invalid'],
    ['C-55: 2049 bytes', { id: 'o-1', key: 'x'.repeat(2049) }, 'business_key_invalid'],
    ['C-55: 2049 bytes of three-byte letters', { id: 'o-1', key: '日'.repeat(683) }, 'business_key_invalid'],
  ])('%s', (_name, body, reason) => {
    expect(plan(body, { businessKey: 'key' })).toEqual(rejected(reason));
  });

  it('C-55: may have 2048 bytes', () => {
    expect(plan({ id: 'o-1', key: 'x'.repeat(2048) }, { businessKey: 'key' }).kind).toBe('plan');
  });

  it.each([
    ['7', '7'],
    ['7.0', '7'],
    ['-1e-7', '-1e-7'],
  ])('of type N takes the number %s', (written, stored) => {
    const write = writeOf(`{"id":"o-1","key":${written}}`, {
      businessKey: 'key',
      businessHashKey: { name: 'pk', type: 'N' },
    });
    expect(write.key).toEqual({ pk: { N: stored } });
  });

  it.each(['"7"', 'true', '1e400'])('of type N takes nothing else: %s', (written) => {
    expect(
      plan(`{"id":"o-1","key":${written}}`, { businessKey: 'key', businessHashKey: { name: 'pk', type: 'N' } }),
    ).toEqual(rejected('business_key_invalid'));
  });

  it.each([
    [1024, 'plan'],
    [1025, 'rejected'],
  ])('C-55: a sort key has 1024 bytes at most: %d', (bytes, kind) => {
    const planned = plan(
      { id: 'o-1', sk: 'y'.repeat(bytes) },
      { businessSortKey: 'sk', businessRangeKey: { name: 'sk', type: 'S' } },
    );
    expect(planned.kind).toBe(kind);
    if (planned.kind === 'rejected') expect(planned.reason).toBe('business_key_invalid');
  });

  it('has both parts in the item', () => {
    const write = writeOf(
      { id: 'o-1', line: 2 },
      { businessSortKey: 'line', businessRangeKey: { name: 'sk', type: 'N' } },
    );
    expect(write).toMatchObject({
      key: { pk: { S: 'o-1' }, sk: { N: '2' } },
      item: { pk: { S: 'o-1' }, sk: { N: '2' }, line: { N: '2' } },
    });
    expect(write.condition?.names).toEqual({ '#pk': 'pk' });
  });

  it('may stand in the item already, with the same value only', () => {
    expect(writeOf({ id: 'o-1', pk: 'o-1' })).toMatchObject({ item: { pk: { S: 'o-1' } } });
    expect(plan({ id: 'o-1', pk: 'other' })).toEqual(rejected('item_key_conflict'));
    expect(plan({ id: 'o-1', pk: 1 })).toEqual(rejected('item_key_conflict'));
    expect(plan({ id: 'o-1', pk: null })).toEqual(rejected('item_key_conflict'));
  });
});

describe('when another event already wrote the key', () => {
  it('overwrite has no condition', () => {
    const write = writeOf({ id: 'o-1' }, { onExistingKey: 'overwrite' });
    expect(write.condition).toBeUndefined();
  });

  it('newer writes over an older version only, and keeps the version in the item', () => {
    const write = writeOf('{"id":"o-1","v":9007199254740993}', { onExistingKey: 'newer', version: 'v' });
    expect(write).toMatchObject({
      item: { business_version: { N: '9007199254740993' }, v: { N: '9007199254740993' } },
      condition: {
        expression: 'attribute_not_exists(#pk) OR attribute_not_exists(#version) OR #version < :version',
        names: { '#pk': 'pk', '#version': 'business_version' },
        values: { ':version': { N: '9007199254740993' } },
      },
      onConditionFailed: 'supersede',
    });
  });

  it.each([{ id: 'o-1' }, { id: 'o-1', v: '1' }, { id: 'o-1', v: null }, { id: 'o-1', v: {} }])(
    'newer needs a number: %j',
    (body) => {
      expect(plan(body, { onExistingKey: 'newer', version: 'v' })).toEqual(rejected('version_invalid'));
    },
  );

  it('newer refuses an item that says another version itself', () => {
    const newer = { onExistingKey: 'newer', version: 'v' } as const;
    expect(plan({ id: 'o-1', v: 1, business_version: 2 }, newer)).toEqual(rejected('item_key_conflict'));
    expect(plan('{"id":"o-1","v":1,"business_version":1.0}', newer).kind).toBe('plan');
  });
});

describe('the notification', () => {
  const notificationOf = (body: unknown, overrides: Partial<Mapping> = {}, source = {}) =>
    planOf(body, overrides, source).notifications[0];

  it('is a small document with the event id, and ids as attributes', () => {
    expect(notificationOf({ id: 'o-1', trace: 't' }, { correlationId: 'trace', eventIdPrefix: 'p#' })).toEqual({
      topicArn: mapping.topicArn,
      message: '{"event_id":"p#o-1"}',
      attributes: { event_id: { type: 'String', value: 'p#o-1' }, correlation_id: { type: 'String', value: 't' } },
    });
  });

  it('is what the expression finds: a text as it is, anything else as JSON with every digit', () => {
    const body = '{"id":"o-1","text":"日本","n":9007199254740993}';
    expect(notificationOf(body, { notification: 'text' })).toMatchObject({ message: '日本' });
    expect(notificationOf(body, { notification: '{n: n, t: text}' })).toMatchObject({
      message: '{"n":9007199254740993,"t":"日本"}',
    });
    expect(notificationOf(body, { notification: '@' })).toMatchObject({ message: body });
  });

  it('that the expression does not find is permanent, not left out', () => {
    expect(plan({ id: 'o-1' }, { notification: 'order' })).toEqual(rejected('notification_invalid'));
  });

  it.each([
    ['a text', { id: 'o-1', s: 'New order' }, 'New order'],
    ['a number', { id: 'o-1', s: 7 }, '7'],
    ['empty', { id: 'o-1', s: '' }, undefined],
    ['missing', { id: 'o-1' }, undefined],
  ])('has a subject that is %s', (_name, body, subject) => {
    expect(notificationOf(body, { notificationSubject: 's' })?.subject).toBe(subject);
  });

  it('C-64: leaves out attributes that are empty, missing or cannot be had', () => {
    const notificationAttributes = {
      tenant: 'tenant',
      region: 'region',
      none: 'none',
      bad: 'sum(id)',
      n: 'n',
      big: 'big',
    };
    expect(
      notificationOf('{"id":"o-1","tenant":"","region":null,"n":1.50,"big":9007199254740993}', {
        notificationAttributes,
      }),
    ).toMatchObject({
      attributes: {
        event_id: { type: 'String', value: 'o-1' },
        n: { type: 'Number', value: '1.5' },
        big: { type: 'Number', value: '9007199254740993' },
      },
    });
    const names = Object.keys(notificationOf({ id: 'o-1', tenant: '' }, { notificationAttributes })?.attributes ?? {});
    expect(names).toEqual(['event_id']);
  });

  it('C-65: has eight attributes at most, the operator’s own included', () => {
    const own = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, 'id']));
    const attributes = notificationOf(
      { id: 'o-1', trace: 't' },
      { correlationId: 'trace', notificationAttributes: own(6) },
    )?.attributes;
    expect(Object.keys(attributes ?? {})).toHaveLength(8);
    refuses({ notificationAttributes: own(7) }, /^notification_attributes has 7 entries: at most 6/);
    refuses({ notificationAttributes: own(11) }, /^notification_attributes has 11 entries/);
  });

  it('C-68: has a de-duplication id that comes from the event, whatever message and attempt carry it', () => {
    const fifo = { topicFifo: true };
    const first = notificationOf({ id: 'o-1' }, fifo, { id: 'm1', receiveCount: 1 });
    const again = notificationOf({ id: 'o-1' }, fifo, { id: 'm2', receiveCount: 3 });
    expect(again).toEqual(first);
    expect(first?.deduplicationId).toMatch(/^[0-9a-f]{64}$/);
    expect(notificationOf({ id: 'o-2' }, fifo)?.deduplicationId).not.toBe(first?.deduplicationId);
  });

  it('has a group on a FIFO topic: as said, else the message’s, else the event’s own', () => {
    const fifo = { topicFifo: true, notificationGroupId: 'customer' };
    expect(notificationOf({ id: 'o-1', customer: 'c 1' }, fifo, { groupId: 'g' })?.groupId).toMatch(/^[0-9a-f]{64}$/);
    expect(notificationOf({ id: 'o-1', customer: 'c-1' }, fifo, { groupId: 'g' })?.groupId).toBe('c-1');
    expect(notificationOf({ id: 'o-1' }, fifo, { groupId: 'g' })?.groupId).toBe('g');
    expect(notificationOf({ id: 'o-1' }, fifo)?.groupId).toBe('o-1');
    expect(notificationOf({ id: 'o-1' }, {}, { groupId: 'g' })).not.toHaveProperty('groupId');
  });
});

describe('the schema', () => {
  it('rejects what does not match', () => {
    const jsonSchema = '{"type":"object","required":["amount"]}';
    expect(plan({ id: 'o-1' }, { jsonSchema })).toEqual(rejected('schema_violation'));
    expect(plan({ id: 'o-1', amount: 1 }, { jsonSchema }).kind).toBe('plan');
  });
});

describe('a schema without a validator', () => {
  it('is refused at start-up: the package was bundled without one', () => {
    expect(() => declarativeMeaning({ ...mapping, jsonSchema: '{}' })).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', message: expect.stringMatching(/^json_schema is set/) }),
    );
  });
});

describe('a wrong mapping stops the function at start-up, with one sentence', () => {
  it.each(['processed_events', 'arn:aws:dynamodb:eu-central-1:111122223333:table/processed_events'])(
    'C-14: business items in the table of the events: %s',
    (businessTable) => {
      refuses({ businessTable }, /^BUSINESS_TABLE and PROCESSED_EVENTS_TABLE name one table/);
    },
  );

  it.each<[Partial<Mapping>, RegExp]>([
    [{ eventId: '' }, /^event_id is empty/],
    [{ eventId: 'a.' }, /^event_id is no JMESPath expression.* unexpected end of expression \(EOF\), in a\.$/],
    [{ businessKey: 'a b' }, /^business_key is no JMESPath/],
    [{ businessItem: '{a: a' }, /^business_item is no JMESPath/],
    [{ fingerprint: 'nope(@)' }, /^fingerprint is no JMESPath.*: Unknown function: nope\(\), in nope/],
    [{ eventFilter: "a == 'b" }, /^event_filter is no JMESPath/],
    [{ correlationId: '[*' }, /^correlation_id is no JMESPath/],
    [{ notification: 'items[*].nope(@)' }, /^notification is no JMESPath/],
    [{ notificationSubject: '`{`' }, /^notification_subject is no JMESPath/],
    [{ notificationGroupId: '?' }, /^notification_group_id is no JMESPath/],
    [{ notificationAttributes: { a: '(' } }, /^notification_attributes\["a"\] is no JMESPath/],
    [{ notificationAttributes: { 'a b': 'a' } }, /^notification_attributes: "a b" is no name/],
    [{ notificationAttributes: { event_id: 'a' } }, /^notification_attributes: "event_id" is no name/],
    [{ jsonSchema: '{' }, /^json_schema is not a JSON Schema/],
    [{ onExistingKey: 'newer' }, /^business_version and on_existing_key = "newer" belong together/],
    [{ version: 'v' }, /^business_version and on_existing_key = "newer" belong together/],
    [{ onExistingKey: 'newer', version: '!' }, /^business_version is no JMESPath/],
    [
      { onExistingKey: 'newer', version: 'v', businessHashKey: { name: 'business_version', type: 'N' } },
      /cannot be a key/,
    ],
    [{ businessSortKey: 'sk' }, /^business_sort_key and business_sort_key_name belong together/],
    [{ businessRangeKey: { name: 'sk', type: 'S' } }, /belong together/],
    [{ businessSortKey: 'sk', businessRangeKey: { name: 'pk', type: 'S' } }, /must differ/],
  ])('%j', (overrides, sentence) => {
    refuses(overrides, sentence);
  });
});
