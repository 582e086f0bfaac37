import { describe, expect, it } from '@jest/globals';
import type { AttributeMap, AttributeValue } from '../../src/core/attribute-value.ts';
import { renderWrite, update } from '../../src/core/handler-write.ts';
import { itemName, prepare } from '../../src/core/prepare.ts';
import type { BusinessWrite, Notification, Plan } from '../../src/core/types.ts';
import { notification } from './stage-world.ts';

const RULES = { processedEventsTable: 'processed_events', topicMaxBytes: 1_000 };
const KB = 1024;

/** A map of strings, `bytes` long as DynamoDB counts it. */
const sized = (key: AttributeMap, keyBytes: number, bytes: number): AttributeMap => ({
  ...key,
  filler: { S: 'x'.repeat(bytes - keyBytes - 'filler'.length) },
});

/** The row of `o-1`: its key alone is 11 bytes. */
const row = (bytes = 20): AttributeMap => sized({ event_id: { S: 'o-1' } }, 11, bytes);

const put = (pk: string, bytes = 20): BusinessWrite => ({
  kind: 'put',
  table: 'orders',
  key: { pk: { S: pk } },
  item: sized({ pk: { S: pk } }, 2 + Buffer.byteLength(pk), bytes),
  onConditionFailed: 'reject',
});

const check = (key: AttributeMap): BusinessWrite => ({
  kind: 'check',
  table: 'orders',
  key,
  condition: { expression: 'attribute_exists(pk)' },
  onConditionFailed: 'replan',
});

const changed: BusinessWrite = {
  kind: 'update',
  table: 'orders',
  key: { pk: { S: 'a' } },
  expression: 'SET #u0 = :u0',
  names: { '#u0': 'n' },
  values: { ':u0': { N: '1' } },
  onConditionFailed: 'reject',
};

const plan = (more: Partial<Plan> = {}): Plan => ({ writes: [], notifications: [], ...more });

const refused = (reason: string) => ({ ok: false, reason });

const verdict = (prepared: ReturnType<typeof prepare>) => (prepared.ok ? 'commits' : prepared.reason);

describe('an event that is ready to be committed', () => {
  it('names its items, its own row first, and knows its bytes and what the transaction costs', () => {
    const writes = [put('p-1', 1_025), check({ pk: { S: 'p-2' }, sk: { N: '1.0' } })];
    const notifications = [notification()];
    const ready = row(2_000);
    expect(prepare(plan({ writes, notifications }), ready, RULES)).toStrictEqual({
      ok: true,
      value: {
        row: ready,
        writes,
        policies: ['reject', 'replan'],
        notifications,
        items: [
          '["processed_events",["event_id","So-1"]]',
          '["orders",["pk","Sp-1"]]',
          '["orders",["pk","Sp-2"],["sk","N1"]]',
        ],
        bytes: 2_000 + 1_025 + 'pkp-2'.length + 'sk'.length + 2,
        writeUnits: 2 * 2 + 2 * 2 + 2,
      },
    });
  });
});

describe('what no topic would take is refused before anything is written', () => {
  const FIFO = { topicArn: 'arn:aws:sns:us-east-1:111122223333:orders.fifo' };
  const ORDERED = { groupId: 'g', deduplicationId: 'd' };

  it.each<[string, Partial<Notification>, string]>([
    ['an empty message', { message: '' }, 'notification_invalid'],
    ['a message beyond the limit of the topic', { message: 'x'.repeat(1_001) }, 'notification_too_large'],
    ['a message without a group for a FIFO topic', FIFO, 'notification_invalid'],
    ['a message of a group for a FIFO topic', { ...FIFO, ...ORDERED }, 'commits'],
    ['a de-duplication id for a standard topic', ORDERED, 'notification_invalid'],
  ])('%s', (_, more, expected) => {
    const notifications = [notification(), { ...notification(), ...more }];
    const prepared = prepare(plan({ notifications }), row(), RULES);
    expect(verdict(prepared)).toBe(expected);
    if (expected !== 'commits') expect(prepared).toStrictEqual(refused(expected));
  });
});

describe('what DynamoDB would refuse harms no neighbour: it never enters a group', () => {
  it('99 writes fit beside the row, one more does not', () => {
    const writes = Array.from({ length: 100 }, (_, i) => put(`p-${i}`));
    expect(verdict(prepare(plan({ writes: writes.slice(1) }), row(), RULES))).toBe('commits');
    expect(prepare(plan({ writes }), row(), RULES)).toStrictEqual(refused('transaction_too_large'));
  });

  it.each([
    ['nothing to publish', 0, 92],
    ['one notification', 1, 129],
    ['two notifications', 2, 166],
  ])('a row of 400 KB less what its mark adds (%s)', (_, count, reserve) => {
    const notifications = Array.from({ length: count }, () => notification());
    const most = 400 * KB - reserve;
    expect(verdict(prepare(plan({ notifications }), row(most), RULES))).toBe('commits');
    expect(prepare(plan({ notifications }), row(most + 1), RULES)).toStrictEqual(refused('item_too_large'));
  });

  it('a business item of 400 KB', () => {
    expect(verdict(prepare(plan({ writes: [put('p-1', 400 * KB)] }), row(), RULES))).toBe('commits');
    const beyond = plan({ writes: [put('p-1', 400 * KB + 1)] });
    expect(prepare(beyond, row(), RULES)).toStrictEqual(refused('item_too_large'));
  });

  it('4 MB together, the row and the values of conditions included', () => {
    const ten = Array.from({ length: 10 }, (_, i) => put(`p-${i}`, 400 * KB));
    const rest = 4 * KB * KB - 10 * 400 * KB - 20;
    const condition = { expression: 'version = :v', values: { ':v': { S: '12345' } } };
    const last = (bytes: number) => ({ ...put('last', bytes), condition });
    const most = prepare(plan({ writes: [...ten, last(rest - 7)] }), row(20), RULES);
    expect(most).toHaveProperty('value.bytes', 4 * KB * KB);
    expect(prepare(plan({ writes: [...ten, last(rest - 6)] }), row(20), RULES)).toStrictEqual(
      refused('transaction_too_large'),
    );
  });

  const expression = (bytes: number) => 'é'.repeat((bytes - (bytes % 2)) / 2) + 'a'.repeat(bytes % 2);

  it.each<[string, (bytes: number) => BusinessWrite]>([
    [
      'the condition of a check',
      (bytes) => ({ ...check({ pk: { S: 'a' } }), condition: { expression: expression(bytes) } }) as BusinessWrite,
    ],
    ['the condition of a put', (bytes) => ({ ...put('a'), condition: { expression: expression(bytes) } })],
    ['an update', (bytes) => ({ ...changed, expression: expression(bytes) })],
    ['the condition of an update', (bytes) => ({ ...changed, condition: { expression: expression(bytes) } })],
  ])('an expression above 4 KB: %s', (_, write) => {
    expect(verdict(prepare(plan({ writes: [put('b'), write(4 * KB)] }), row(), RULES))).toBe('commits');
    expect(prepare(plan({ writes: [put('b'), write(4 * KB + 1)] }), row(), RULES)).toStrictEqual(
      refused('transaction_too_large'),
    );
  });

  it('an update of more attributes than an expression has room for', () => {
    const rendered = (attributes: number) => {
      const set = Object.fromEntries(Array.from({ length: attributes }, (_, i) => [`a${i}`, i]));
      const write = renderWrite(update({ table: 'orders', key: { pk: 'a' }, set }));
      if (!write.ok) throw new Error(write.reason);
      return write.value;
    };
    expect(verdict(prepare(plan({ writes: [rendered(250)] }), row(), RULES))).toBe('commits');
    expect(prepare(plan({ writes: [rendered(300)] }), row(), RULES)).toStrictEqual(refused('transaction_too_large'));
  });

  it('one item twice, however its key is written', () => {
    const writes = [check({ pk: { N: '1' } }), check({ pk: { N: '1.0' } })];
    expect(prepare(plan({ writes }), row(), RULES)).toStrictEqual(refused('transaction_self_conflict'));
  });

  it('its own row as a business item', () => {
    const own: BusinessWrite = { ...check({ event_id: { S: 'o-1' } }), table: 'processed_events' };
    expect(prepare(plan({ writes: [own] }), row(), RULES)).toStrictEqual(refused('transaction_self_conflict'));
  });
});

describe('the key of a business item', () => {
  const bytes = (length: number) => ({ B: new Uint8Array(length) });
  const text = (length: number) => ({ S: 'x'.repeat(length) });

  it.each<[string, AttributeMap, boolean]>([
    ['a string', { pk: { S: 'a' } }, true],
    ['a number', { pk: { N: '1' } }, true],
    ['bytes', { pk: bytes(1) }, true],
    ['hash and sort key', { pk: { S: 'a' }, sk: { N: '1' } }, true],
    ['2,048 bytes of text', { pk: { S: 'é'.repeat(1_024) } }, true],
    ['2,048 bytes', { pk: bytes(2_048) }, true],
    ['2,048 bytes beside the 1,024 of a sort key', { pk: text(2_048), sk: text(1_024) }, true],
    ['2,048 bytes beside 1,024, named in any order', { a: bytes(1_024), b: text(2_048) }, true],
    ['two of 1,025 bytes: one of them is the sort key', { pk: text(1_025), sk: bytes(1_025) }, false],
    ['2,049 bytes beside a short one', { pk: text(2_049), sk: text(1) }, false],
    ['a short one beside 2,049 bytes', { pk: text(1), sk: text(2_049) }, false],
    ['no attribute', {}, false],
    ['three attributes', { pk: { S: 'a' }, sk: { S: 'b' }, more: { S: 'c' } }, false],
    ['an empty text', { pk: { S: '' } }, false],
    ['an empty text beside a good one', { pk: { S: 'a' }, sk: { S: '' } }, false],
    ['half a surrogate pair', { pk: { S: '\ud800' } }, false],
    ['2,049 bytes of text', { pk: { S: `${'é'.repeat(1_024)}a` } }, false],
    ['no bytes', { pk: bytes(0) }, false],
    ['2,049 bytes', { pk: bytes(2_049) }, false],
    ['a boolean', { pk: { BOOL: true } }, false],
    ['a list', { pk: { L: [{ S: 'a' }] } }, false],
  ])('%s', (_, key, storable) => {
    const prepared = prepare(plan({ writes: [check(key)] }), row(), RULES);
    expect(verdict(prepared)).toBe(storable ? 'commits' : 'business_key_invalid');
    if (!storable) expect(prepared).toStrictEqual(refused('business_key_invalid'));
  });
});

describe('one name for one item', () => {
  const name = (value: AttributeValue) => itemName('orders', { pk: value });

  it('in whatever order its key is written', () => {
    expect(itemName('orders', { sk: { S: 'b' }, pk: { S: 'a' } })).toBe(
      itemName('orders', { pk: { S: 'a' }, sk: { S: 'b' } }),
    );
  });

  it('1, 1.0 and 1e0 are one number, and 1 as text is another key', () => {
    const one = name({ N: '1' });
    expect([name({ N: '1.0' }), name({ N: '1e0' })]).toEqual([one, one]);
    expect(name({ S: '1' })).not.toBe(one);
  });

  it.each<[string, AttributeValue, AttributeValue]>([
    ['texts', { S: 'a' }, { S: 'b' }],
    ['numbers', { N: '1' }, { N: '2' }],
    ['bytes', { B: Uint8Array.of(1) }, { B: Uint8Array.of(2) }],
  ])('other %s are another item', (_, one, other) => {
    expect(name(one)).toBe(name(structuredClone(one)));
    expect(name(one)).not.toBe(name(other));
  });

  it('the same key in another table is another item', () => {
    expect(itemName('orders', { pk: { S: 'a' } })).not.toBe(itemName('stock', { pk: { S: 'a' } }));
  });
});
