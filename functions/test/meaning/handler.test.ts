import { describe, expect, it } from '@jest/globals';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { defineHandler, type Handler, handlerMeaning } from '../../src/core/handler.ts';
import { absent, all, any, compare, present, renderCondition } from '../../src/core/handler-condition.ts';
import { check, type HandlerWrite, put, remove, renderWrite, update } from '../../src/core/handler-write.ts';
import { ExactNumber, type JsonObject } from '../../src/core/json-value.ts';
import type { Planned } from '../../src/core/types.ts';
import { onlyEvent, record } from './record.ts';

const topic = { topicArn: 'arn:aws:sns:eu-central-1:111122223333:orders', topicFifo: false };
const decoding = { envelope: 'none', eventId: 'id' } as const;

function meaningOf<T = JsonObject>(handler: Handler<T>, overrides = {}, over = topic) {
  return handlerMeaning(handler, { ...decoding, ...overrides }, over);
}

async function planned<T = JsonObject>(
  handler: Handler<T>,
  body: unknown = { id: 'o-1' },
  overrides = {},
  over = topic,
): Promise<Planned> {
  const meaning = meaningOf(handler, overrides, over);
  return meaning.plan(onlyEvent(meaning.decode(record(body))), []);
}

/** A Standard Schema as the libraries make them. */
function schema<T>(
  validate: (value: unknown) => StandardSchemaV1.Result<T> | Promise<StandardSchemaV1.Result<T>>,
): StandardSchemaV1<unknown, T> {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}
const withAmount = schema<{ amount: number }>((value) => {
  const { amount } = value as { amount?: unknown };
  return typeof amount === 'number' ? { value: { amount } } : { issues: [{ message: `bad amount ${String(amount)}` }] };
});

function holdsItself(): unknown {
  const value: { self?: unknown } = {};
  value.self = [value];
  return value;
}

const writeOf = (write: HandlerWrite) => {
  const rendered = renderWrite(write);
  return rendered.ok ? rendered.value : rendered.reason;
};

describe('writes', () => {
  const target = { table: 'orders', key: { pk: 'o-1' } };

  it('put a whole item, its key included', () => {
    expect(writeOf(put({ ...target, item: { n: new ExactNumber('9007199254740993'), status: 'x' } }))).toEqual({
      kind: 'put',
      table: 'orders',
      key: { pk: { S: 'o-1' } },
      item: { pk: { S: 'o-1' }, n: { N: '9007199254740993' }, status: { S: 'x' } },
      onConditionFailed: 'reject',
    });
  });

  it('put an item that says another key itself is refused, not rewritten', () => {
    const key = { pk: 'o-1', sk: 7, bin: new Uint8Array([1]) };
    expect(writeOf(put({ table: 't', key, item: { pk: 'o-1', sk: 7n, bin: new Uint8Array([1]) } }))).toMatchObject({
      item: { pk: { S: 'o-1' }, sk: { N: '7' }, bin: { B: new Uint8Array([1]) } },
    });
    for (const item of [{ pk: 'o-2' }, { sk: '7' }, { sk: 8 }, { bin: new Uint8Array([2]) }, { pk: null }]) {
      expect(writeOf(put({ table: 't', key, item }))).toBe('item_key_conflict');
    }
  });

  it('C-56: update attributes of any name, all by placeholder', () => {
    const write = update({
      ...target,
      set: { status: 'x', 'a.b': null, '#x': true },
      add: { count: 1n },
      unset: ['ttl', ':y'],
      condition: compare('size', '>=', 2),
      onConditionFailed: 'replan',
    });
    expect(writeOf(write)).toEqual({
      kind: 'update',
      table: 'orders',
      key: { pk: { S: 'o-1' } },
      expression: 'SET #u0 = :u0, #u1 = :u1, #u2 = :u2 ADD #u3 :u3 REMOVE #u4, #u5',
      names: { '#u0': 'status', '#u1': 'a.b', '#u2': '#x', '#u3': 'count', '#u4': 'ttl', '#u5': ':y' },
      values: { ':u0': { S: 'x' }, ':u1': { NULL: true }, ':u2': { BOOL: true }, ':u3': { N: '1' } },
      condition: { expression: '#c0 >= :c0', names: { '#c0': 'size' }, values: { ':c0': { N: '2' } } },
      onConditionFailed: 'replan',
    });
  });

  it('update without values has none', () => {
    expect(writeOf(update({ ...target, unset: ['a'] }))).toEqual(
      expect.not.objectContaining({ values: expect.anything() }),
    );
  });

  it('remove and check', () => {
    expect(writeOf(remove({ ...target, onConditionFailed: 'supersede' }))).toEqual({
      kind: 'delete',
      table: 'orders',
      key: { pk: { S: 'o-1' } },
      onConditionFailed: 'supersede',
    });
    // DynamoDB refuses values that are there and empty.
    expect(writeOf(check({ ...target, condition: present('pk') }))).toEqual({
      kind: 'check',
      table: 'orders',
      key: { pk: { S: 'o-1' } },
      condition: { expression: 'attribute_exists(#c0)', names: { '#c0': 'pk' } },
      onConditionFailed: 'reject',
    });
  });

  it.each<[string, HandlerWrite, string]>([
    ['C-52: a key', put({ table: 't', key: { pk: undefined }, item: {} }), 'value_not_storable'],
    ['C-52: an item', put({ ...target, item: { at: new Date(0) } }), 'value_not_storable'],
    ['C-52: a list', put({ ...target, item: { list: [1, undefined, 2] } }), 'value_not_storable'],
    ['C-50: a number to set', update({ ...target, set: { n: Number.NaN } }), 'number_out_of_range'],
    ['a number to add', update({ ...target, add: { n: 10n ** 126n } }), 'number_out_of_range'],
    ['a condition', remove({ ...target, condition: compare('a', '=', new Set()) }), 'value_not_storable'],
  ])('%s that cannot be stored is a reason, not an exception', (_name, write, reason) => {
    expect(writeOf(write)).toBe(reason);
  });

  it('that say nothing are a mistake of the handler', () => {
    expect(() => writeOf(update(target))).toThrow('changes nothing');
    expect(() => writeOf({ kind: 'check', ...target } as never)).toThrow('needs a condition');
    expect(() => renderCondition(all())).toThrow('at least one');
  });
});

describe('conditions', () => {
  it('nest, with a placeholder for every name and value', () => {
    const condition = any(absent('pk'), all(compare('status', '=', 'open'), compare('v', '<', 7), present('size')));
    expect(renderCondition(condition)).toEqual({
      ok: true,
      value: {
        expression: '(attribute_not_exists(#c0) OR (#c1 = :c0 AND #c2 < :c1 AND attribute_exists(#c3)))',
        names: { '#c0': 'pk', '#c1': 'status', '#c2': 'v', '#c3': 'size' },
        values: { ':c0': { S: 'open' }, ':c1': { N: '7' } },
      },
    });
  });

  it.each([
    ['a comparison', all(compare('v', '<', 7)), '#c0 < :c0'],
    ['a group', any(all(compare('v', '<', 7), absent('pk'))), '(#c0 < :c0 AND attribute_not_exists(#c1))'],
    [
      'a group in a group of several',
      all(all(any(absent('a'), absent('b'))), absent('c')),
      '((attribute_not_exists(#c0) OR attribute_not_exists(#c1)) AND attribute_not_exists(#c2))',
    ],
  ])(
    '%s that is alone in its group has no parentheses around its own: DynamoDB refuses redundant ones',
    (_, condition, expression) => {
      expect(renderCondition(condition)).toMatchObject({ ok: true, value: { expression } });
    },
  );

  it.each([
    ['all', all],
    ['any', any],
  ])('more than 300 comparisons, ANDs and ORs are permanent before a call: %s', (_, group) => {
    const comparisons = (count: number) => Array.from({ length: count }, (_, i) => compare(`a${i}`, '=', i));
    const of = (...conditions: ReturnType<typeof compare>[]) =>
      renderWrite(check({ table: 'orders', key: { pk: 'a' }, condition: group(...conditions) }));
    // 150 comparisons and 150 words between 151 conditions; a function is none of them.
    expect(of(...comparisons(150), present('b'))).toMatchObject({ ok: true });
    expect(of(...comparisons(151))).toStrictEqual({ ok: false, reason: 'transaction_too_large' });
    // 199 in the first, 100 in the second and 1 between them; one condition more is one AND more.
    const groups = [all(...comparisons(100)), any(...comparisons(50), present('b'))] as const;
    expect(renderCondition(all(...groups))).toMatchObject({ ok: true });
    expect(renderCondition(all(...groups, present('c')))).toStrictEqual({ ok: false, reason: 'transaction_too_large' });
  });
});

describe('a plan', () => {
  it('is rendered: writes marshalled, notifications with the ids of the event', async () => {
    const handler = defineHandler({
      plan: ({ id, input }) => ({
        writes: [put({ table: 'orders', key: { pk: id }, item: input })],
        notifications: [
          {
            message: { n: input.n ?? null },
            subject: 'New',
            attributes: { tenant: '', n: input.n, event_id: 'forged' },
          },
          { message: 'plain' },
        ],
      }),
    });
    expect(await planned(handler, '{"id":"o-1","n":9007199254740993}', { eventIdPrefix: 'p#' })).toEqual({
      kind: 'plan',
      plan: {
        writes: [
          expect.objectContaining({ item: { pk: { S: 'p#o-1' }, id: { S: 'o-1' }, n: { N: '9007199254740993' } } }),
        ],
        notifications: [
          {
            topicArn: topic.topicArn,
            message: '{"n":9007199254740993}',
            subject: 'New',
            attributes: {
              n: { type: 'Number', value: '9007199254740993' },
              event_id: { type: 'String', value: 'p#o-1' },
            },
          },
          { topicArn: topic.topicArn, message: 'plain', attributes: { event_id: { type: 'String', value: 'p#o-1' } } },
        ],
      },
    });
  });

  it('may be empty', async () => {
    expect(await planned({ plan: () => ({}) })).toEqual({ kind: 'plan', plan: { writes: [], notifications: [] } });
  });

  it('may reject the event', async () => {
    expect(await planned({ plan: async () => ({ reject: true }) })).toEqual({
      kind: 'rejected',
      reason: 'business_rejected',
    });
  });

  it.each([false, undefined])('that says reject: %s is a plan', async (reject) => {
    const result = { reject, writes: [put({ table: 'orders', key: { pk: 'o-1' }, item: {} })] };
    expect(await planned({ plan: () => result as never })).toMatchObject({
      kind: 'plan',
      plan: { writes: [{ kind: 'put' }] },
    });
  });

  it.each([
    ['a reason to reject', { reject: 'out of stock' }],
    ['null to reject', { reject: null }],
    ['a text', 'rejected'],
    ['nothing', undefined],
  ])('that is %s throws: an empty plan in its place would be committed', async (_name, result) => {
    await expect(planned({ plan: () => result as never })).rejects.toThrow(TypeError);
  });

  it('C-68: has de-duplication ids by event and place on a FIFO topic', async () => {
    const handler: Handler = { plan: () => ({ notifications: [{ message: 'a', groupId: 'g 1' }, { message: 'b' }] }) };
    const fifo = { ...topic, topicFifo: true };
    const first = await planned(handler, { id: 'o-1' }, {}, fifo);
    const again = await planned(handler, { id: 'o-1' }, {}, fifo);
    expect(again).toEqual(first);
    const notifications = first.kind === 'plan' ? first.plan.notifications : [];
    expect(new Set(notifications.map(({ deduplicationId }) => deduplicationId)).size).toBe(2);
    expect(notifications.map(({ groupId }) => groupId)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), 'o-1']);
  });

  it.each<[string, unknown]>([
    ['an undefined member', { a: undefined }],
    ['a date', { at: new Date(0) }],
    ['a bigint', { n: 1n }],
    ['NaN', [Number.NaN]],
    ['a map', new Map()],
    ['nothing', undefined],
    ['half of a surrogate pair', '\ud800'],
    ['a list with a hole', new Array(1)],
    ['a list with a hole at its end', { list: Object.assign([1], { length: 2 }) }],
    ['itself inside', holdsItself()],
  ])('C-52: with a message that is no JSON (%s) is refused, not shortened', async (_name, message) => {
    const handler: Handler = { plan: () => ({ notifications: [{ message: message as never }] }) };
    expect(await planned(handler)).toEqual({ kind: 'rejected', reason: 'notification_invalid' });
  });

  it('C-64: has every attribute that is JSON; no other fails its notification', async () => {
    const attributes = { bad: [Number.NaN], worse: { at: new Date(0) }, good: [1, 'a'] };
    const handler: Handler = { plan: () => ({ notifications: [{ message: 'm', attributes }] }) };
    const result = await planned(handler);
    expect(result.kind === 'plan' && result.plan.notifications[0]?.attributes).toEqual({
      good: { type: 'String.Array', value: '[1,"a"]' },
      event_id: { type: 'String', value: 'o-1' },
    });
  });

  it('with a value that cannot be stored is permanent', async () => {
    const write = put({ table: 't', key: { pk: 'x' }, item: { a: undefined } });
    expect(await planned({ plan: () => ({ writes: [write] }) })).toEqual({
      kind: 'rejected',
      reason: 'value_not_storable',
    });
  });

  it('that throws is not caught: the pipeline takes it for a passing failure', async () => {
    await expect(planned({ plan: () => Promise.reject(new Error('x')) })).rejects.toThrow('x');
  });
});

describe('the input type', () => {
  it.each([
    ['synchronous', withAmount],
    ['asynchronous', schema<{ amount: number }>(async (value) => withAmount['~standard'].validate(value))],
  ])('is checked by a %s validator, whose output the plan gets', async (_name, input) => {
    const handler: Handler<{ amount: number }> = {
      input,
      plan: ({ input: { amount } }) => ({ notifications: [{ message: { amount } }] }),
    };
    expect(await planned(handler, { id: 'o-1', amount: 7, more: 1 })).toMatchObject({
      plan: { notifications: [{ message: '{"amount":7}' }] },
    });
    expect(await planned(handler, { id: 'o-1', amount: '7' })).toEqual({
      kind: 'rejected',
      reason: 'schema_violation',
    });
  });
});

describe('reads', () => {
  const handler: Handler<{ amount: number }> = {
    input: withAmount,
    reads: ({ id, input }) => [{ table: 'stock', key: { pk: id, sk: input.amount } }],
    plan: (_event, items) => ({
      notifications: [{ message: items.map((item) => (item === undefined ? null : (item.n as ExactNumber))) }],
    }),
  };
  const event = (meaning: ReturnType<typeof meaningOf>, body: unknown) => onlyEvent(meaning.decode(record(body)));

  it('are declared in DynamoDB’s form, and come back as plain values in the same order', async () => {
    const meaning = meaningOf(handler);
    const found = event(meaning, { id: 'o-1', amount: 7 });
    expect(meaning.reads?.(found)).toEqual([{ table: 'stock', key: { pk: { S: 'o-1' }, sk: { N: '7' } } }]);
    expect(await meaning.plan(found, [{ n: { N: '9007199254740993' } }, undefined])).toMatchObject({
      plan: { notifications: [{ message: '[9007199254740993,null]' }] },
    });
  });

  it('are none for an event that its plan is going to refuse', () => {
    const meaning = meaningOf(handler);
    expect(meaning.reads?.(event(meaning, { id: 'o-1', amount: 'x' }))).toEqual([]);
  });

  it('need a synchronous validator, and keys that can be stored', () => {
    const slow = meaningOf({ ...handler, input: schema(async () => ({ value: { amount: 1 } })) });
    expect(() => slow.reads?.(event(slow, { id: 'o-1' }))).toThrow('synchronous');
    const bad = meaningOf({ reads: () => [{ table: 't', key: { pk: undefined } }], plan: () => ({}) });
    expect(() => bad.reads?.(event(bad, { id: 'o-1' }))).toThrow('does not store');
  });

  it('are absent where the handler has none', () => {
    expect(meaningOf({ plan: () => ({}) })).not.toHaveProperty('reads');
  });
});
