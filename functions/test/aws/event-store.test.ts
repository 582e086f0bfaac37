import { BatchExecuteStatementCommand, DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock, systemRandom } from '../../src/aws/clock.ts';
import { createEventStore } from '../../src/aws/event-store.ts';
import type { BusinessWrite } from '../../src/core/types.ts';
import type { CommitEvent, EventStore } from '../../src/ports.ts';
import { type AwsStub, startAwsStub } from './aws-stub.ts';

const none = { Code: 'None' };
const failed = { Code: 'ConditionalCheckFailed' };
const { signal } = new AbortController();

let aws: AwsStub;
let store: EventStore;
/** Without the SDK's own tries, whose pauses after a throttling take seconds. */
let triedOnce: EventStore;
beforeAll(async () => {
  aws = await startAwsStub();
  const deps = {
    processedEventsTable: 'processed',
    clock: { ...systemClock, sleep: async () => {} },
    random: systemRandom,
  };
  store = createEventStore({ ...deps, client: aws.clients.dynamodb });
  triedOnce = createEventStore({ ...deps, client: new DynamoDBClient({ maxAttempts: 1 }) });
});
afterAll(() => aws.close());

function write(id: string): BusinessWrite {
  return {
    kind: 'put',
    table: 'orders',
    key: { pk: { S: id } },
    item: { pk: { S: id } },
    condition: { expression: 'attribute_not_exists(#k)', names: { '#k': 'pk' } },
    onConditionFailed: 'reject',
  };
}

function event(id: string, writes: readonly BusinessWrite[] = [write(id)]): CommitEvent {
  return { row: { event_id: { S: id }, status: { S: 'pending' } }, writes };
}

function storedRow(id: string, status = 'sent'): object {
  return {
    event_id: { S: id },
    v: { N: '1' },
    status: { S: status },
    payload_hash: { S: 'v1:abc' },
    notifications: { L: [] },
    lease_owner: { S: 'request/message' },
    lease_expires_at_ms: { N: '1700000000000' },
    message_id: { S: 'message' },
    created_at: { S: '2026-01-01T00:00:00.000Z' },
  };
}

const row = (id: string, status = 'sent') => ({
  eventId: id,
  v: 1,
  status,
  payloadHash: 'v1:abc',
  notifications: [],
  leaseOwner: 'request/message',
  leaseExpiresAtMs: 1_700_000_000_000,
  messageId: 'message',
  createdAt: '2026-01-01T00:00:00.000Z',
});

const cancelled = (...reasons: readonly object[]) => ({
  error: 'TransactionCanceledException',
  fields: { CancellationReasons: reasons },
});

describe('the request of a commit', () => {
  it('puts each row first, on the condition that it does not exist, and asks for the one that does', async () => {
    aws.answer({ body: {} });
    await store.commit([event('a'), event('b')], signal);
    const [first, second, third] = aws.calls[0]?.body.TransactItems ?? [];
    expect(aws.calls[0]?.body.TransactItems).toHaveLength(4);
    expect(first).toEqual({
      Put: {
        TableName: 'processed',
        Item: { event_id: { S: 'a' }, status: { S: 'pending' } },
        ConditionExpression: 'attribute_not_exists(event_id)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    });
    expect(second).toEqual({
      Put: {
        TableName: 'orders',
        Item: { pk: { S: 'a' } },
        ConditionExpression: 'attribute_not_exists(#k)',
        ExpressionAttributeNames: { '#k': 'pk' },
      },
    });
    expect(third.Put.Item.event_id).toEqual({ S: 'b' });
  });

  it('writes an update, a delete and a check with their own and their condition’s placeholders', async () => {
    const key = { pk: { S: 'k' } };
    const condition = { expression: '#v < :v', names: { '#v': 'version' }, values: { ':v': { N: '2' } } };
    const common = { table: 'orders', key, onConditionFailed: 'reject' } as const;
    aws.answer({ body: {} });
    await store.commit(
      [
        event('a', [
          {
            ...common,
            kind: 'update',
            expression: 'SET #n = :n',
            names: { '#n': 'name' },
            values: { ':n': { S: 'x' } },
            condition,
          },
          { ...common, kind: 'delete' },
          { ...common, kind: 'check', condition },
        ]),
      ],
      signal,
    );
    expect(aws.calls[0]?.body.TransactItems.slice(1)).toEqual([
      {
        Update: {
          TableName: 'orders',
          Key: key,
          UpdateExpression: 'SET #n = :n',
          ConditionExpression: '#v < :v',
          ExpressionAttributeNames: { '#n': 'name', '#v': 'version' },
          ExpressionAttributeValues: { ':n': { S: 'x' }, ':v': { N: '2' } },
        },
      },
      { Delete: { TableName: 'orders', Key: key } },
      {
        ConditionCheck: {
          TableName: 'orders',
          Key: key,
          ConditionExpression: '#v < :v',
          ExpressionAttributeNames: { '#v': 'version' },
          ExpressionAttributeValues: { ':v': { N: '2' } },
        },
      },
    ]);
  });

  it('is what the SDK itself would send', async () => {
    const item = {
      text: { S: 'ö "quoted" $& \u2028 \\ 😀' },
      number: { N: '12345678901234567890123456789012345678' },
      nested: {
        M: { list: { L: [{ NULL: true }, { BOOL: false }] }, set: { SS: ['a'] }, 'TransactItems":[]': { S: '' } },
      },
    } as const;
    const put = { ...write('a'), kind: 'put', item } as BusinessWrite;
    aws.answer({ body: {} });
    await store.commit([event('a', [put])], signal);
    const ours = aws.calls[0]?.body;
    aws.answer({ body: {} });
    await aws.clients.dynamodb.send(
      new TransactWriteItemsCommand({ TransactItems: ours.TransactItems, ReturnConsumedCapacity: 'TOTAL' }),
    );
    const { ClientRequestToken: _, ...theirs } = aws.calls[0]?.body ?? {};
    expect(ours).toEqual({ ...theirs, ClientRequestToken: expect.any(String) });
    expect(ours.TransactItems[1].Put.Item).toEqual(item);
  });

  it('carries binary values as base64, alone, in a set and deep inside', async () => {
    const bytes = new Uint8Array([1, 2, 255]);
    const items = [{ a: { B: bytes } }, { b: { BS: [bytes] } }, { c: { M: { d: { L: [{ B: new Uint8Array() }] } } } }];
    for (const item of items) {
      aws.answer({ body: {} });
      await store.commit([event('a', [{ ...write('a'), kind: 'put', item } as BusinessWrite])], signal);
      const text = JSON.stringify(aws.calls[0]?.body.TransactItems[1].Put.Item);
      expect(text).toMatch(/"B":"(AQL\/)?"|"BS":\["AQL\/"\]/);
    }
  });

  it('C-19: takes a fresh token for every call, and keeps it over the tries of one call', async () => {
    aws.answer({ error: 'InternalServerError', status: 500 }, { body: {} }, { body: {} });
    await store.commit([event('a')], signal);
    await store.commit([event('a')], signal);
    const tokens = aws.calls.map((call) => call.body.ClientRequestToken);
    expect(tokens).toHaveLength(3);
    expect(tokens[0]).toEqual(expect.stringMatching(/.{30,36}/));
    expect(tokens[1]).toBe(tokens[0]);
    expect(tokens[2]).not.toBe(tokens[1]);
    expect(aws.calls[1]?.text).toBe(aws.calls[0]?.text);
  });

  it('adds up the write units of every table', async () => {
    aws.answer({ body: { ConsumedCapacity: [{ CapacityUnits: 4 }, { CapacityUnits: 9, WriteCapacityUnits: 6 }] } });
    expect(await store.commit([event('a')], signal)).toEqual({ kind: 'committed', writeUnits: 10 });
    expect(aws.calls[0]?.body.ReturnConsumedCapacity).toBe('TOTAL');
  });
});

describe('the reasons of a cancelled commit', () => {
  const sets: readonly (readonly [string, string])[] = [
    ['ConditionalCheckFailed', 'None'],
    ['None', 'ConditionalCheckFailed'],
    ['TransactionConflict', 'None'],
    ['ThrottlingError', 'None'],
    ['ProvisionedThroughputExceeded', 'None'],
    ['ItemCollectionSizeLimitExceeded', 'None'],
    ['ValidationError', 'None'],
    ['None', 'None'],
  ];
  it.each(sets)('C-15: [%s, %s] arrives at its place', async (first, second) => {
    aws.answer(cancelled({ Code: first }, { Code: second }));
    expect(await store.commit([event('a')], signal)).toEqual({
      kind: 'cancelled',
      reasons: [[{ code: first }, { code: second }]],
      retried: false,
    });
  });

  it('C-15: no reasons, a missing list and a list of another length are no reasons', async () => {
    for (const fields of [{ CancellationReasons: [] }, {}, { CancellationReasons: [failed] }]) {
      aws.answer({ error: 'TransactionCanceledException', fields });
      expect(await store.commit([event('a')], signal)).toEqual({ kind: 'cancelled', reasons: [], retried: false });
    }
  });

  it('C-15: a reason without a code is a code that nobody knows', async () => {
    aws.answer(cancelled({}, none));
    expect(await store.commit([event('a')], signal)).toMatchObject({ reasons: [[{ code: '' }, { code: 'None' }]] });
  });

  it('C-15: the reasons of a group are dealt out by the number of writes of each event', async () => {
    aws.answer(cancelled(none, none, { Code: 'TransactionConflict' }, failed, none, failed));
    const events = [event('a', [write('a'), write('b')]), event('c', []), event('d')];
    expect(await store.commit(events, signal)).toMatchObject({
      reasons: [
        [{ code: 'None' }, { code: 'None' }, { code: 'TransactionConflict' }],
        [{ code: 'ConditionalCheckFailed' }],
        [{ code: 'None' }, { code: 'ConditionalCheckFailed' }],
      ],
    });
  });

  it('C-17: a cancelled transaction is sent once: trying again is up to us', async () => {
    aws.answer(cancelled(none, { Code: 'TransactionConflict' }));
    await store.commit([event('a')], signal);
    expect(aws.calls).toHaveLength(1);
  });

  it('C-30: the item of a failed row arrives as a row; without an item there is none', async () => {
    aws.answer(cancelled({ ...failed, Item: storedRow('a') }, none));
    expect(await store.commit([event('a')], signal)).toMatchObject({
      reasons: [[{ code: 'ConditionalCheckFailed', row: row('a') }, { code: 'None' }]],
    });
    aws.answer(cancelled(failed, none));
    const outcome = await store.commit([event('a')], signal);
    expect(outcome).toHaveProperty('reasons', [[{ code: 'ConditionalCheckFailed' }, { code: 'None' }]]);
  });

  it('C-30: an item of somebody else’s shape is a row that nobody judges', async () => {
    aws.answer(cancelled({ ...failed, Item: { pk: { S: 'o-1' }, hash: { S: 'abc' } } }, none));
    expect(await store.commit([event('a')], signal)).toMatchObject({ reasons: [[{ row: { unknown: true } }, {}]] });
  });

  it('C-30: the item of a business write is never taken for a row', async () => {
    aws.answer(cancelled(none, { ...failed, Item: storedRow('a') }));
    const outcome = await store.commit([event('a')], signal);
    expect(outcome).toHaveProperty('reasons', [[{ code: 'None' }, { code: 'ConditionalCheckFailed' }]]);
  });

  it('C-21: a condition that fails after a lost answer says that the call was tried before', async () => {
    aws.answer('reset', cancelled({ ...failed, Item: storedRow('a', 'pending') }, failed));
    expect(await store.commit([event('a')], signal)).toMatchObject({
      kind: 'cancelled',
      retried: true,
      reasons: [[{ row: row('a', 'pending') }, { code: 'ConditionalCheckFailed' }]],
    });
  });
});

describe('a commit that fails as a whole', () => {
  it.each(['ValidationException', 'ItemCollectionSizeLimitExceededException'])(
    'C-18: %s is what the request itself is guilty of',
    async (name) => {
      aws.answer({ error: name });
      expect(await store.commit([event('a')], signal)).toEqual({
        kind: 'refused',
        name,
        permanent: true,
        retried: false,
      });
    },
  );

  it('C-18: the same fault as a reason of a cancellation keeps its place', async () => {
    aws.answer(cancelled({ Code: 'ValidationError', Message: 'empty key' }, none));
    expect(await store.commit([event('a')], signal)).toMatchObject({ reasons: [[{ code: 'ValidationError' }, {}]] });
  });

  it.each([
    'AccessDeniedException',
    'ResourceNotFoundException',
    'KMSAccessDeniedException',
    'ExpiredTokenException',
    'SomethingNewException',
  ])('%s refuses every event alike, so it condemns none', async (name) => {
    aws.answer({ error: name });
    expect(await store.commit([event('a')], signal)).toEqual({
      kind: 'refused',
      name,
      permanent: false,
      retried: false,
    });
  });

  it.each(['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded'])(
    '%s is not now',
    async (name) => {
      aws.answer({ error: name });
      expect(await triedOnce.commit([event('a')], signal)).toEqual({ kind: 'throttled', name, retried: false });
    },
  );

  it('C-19: a token that mismatches or is in use may belong to a commit of ours', async () => {
    for (const name of ['IdempotentParameterMismatchException', 'TransactionInProgressException']) {
      aws.answer({ error: name });
      expect(await triedOnce.commit([event('a')], signal)).toEqual({ kind: 'unknown', name });
    }
  });

  it('a server error, a lost connection and an abort may have committed', async () => {
    aws.answer({ error: 'InternalServerError', status: 500 });
    expect(await store.commit([event('a')], signal)).toEqual({ kind: 'unknown', name: 'InternalServerError' });
    aws.answer('reset');
    expect(await store.commit([event('a')], signal)).toMatchObject({ kind: 'unknown' });
    expect(aws.calls).toHaveLength(3);
    const aborted = new AbortController();
    aws.answer(() => {
      aborted.abort();
      return 'silence';
    });
    expect(await store.commit([event('a')], aborted.signal)).toEqual({ kind: 'unknown', name: 'AbortError' });
  });

  it('gives a silent connection up after 3 seconds a try', async () => {
    aws.answer('silence', { body: {} });
    const started = Date.now();
    expect(await store.commit([event('a')], signal)).toMatchObject({ kind: 'committed' });
    expect(Date.now() - started).toBeGreaterThan(2_500);
    expect(Date.now() - started).toBeLessThan(6_000);
  }, 20_000);
});

describe('rows that are read', () => {
  const responses = (...ids: readonly string[]) => ({ Responses: { processed: ids.map((id) => storedRow(id)) } });

  it('come strongly consistent, in the order asked, an id asked twice once over the wire', async () => {
    aws.answer({ body: responses('b', 'a') });
    expect(await store.readRows(['a', 'x', 'b', 'a'], signal)).toEqual([
      { kind: 'found', value: row('a') },
      { kind: 'absent' },
      { kind: 'found', value: row('b') },
      { kind: 'found', value: row('a') },
    ]);
    expect(aws.calls[0]?.body.RequestItems).toEqual({
      processed: { ConsistentRead: true, Keys: ['a', 'x', 'b'].map((id) => ({ event_id: { S: id } })) },
    });
  });

  it('are asked for in calls of 100', async () => {
    aws.answer({ body: {} });
    const reads = await store.readRows(
      Array.from({ length: 250 }, (_, index) => `e-${index}`),
      signal,
    );
    expect(reads).toHaveLength(250);
    expect(aws.calls.map((call) => call.body.RequestItems.processed.Keys.length).sort()).toEqual([100, 100, 50]);
  });

  it('that DynamoDB left unprocessed are asked for again, and are never taken for absent', async () => {
    const unprocessed = { UnprocessedKeys: { processed: { Keys: [{ event_id: { S: 'b' } }], ConsistentRead: true } } };
    aws.answer({ body: { ...responses('a'), ...unprocessed } }, { body: responses('b') });
    expect(await store.readRows(['a', 'b', 'c'], signal)).toMatchObject([
      { kind: 'found' },
      { kind: 'found' },
      { kind: 'absent' },
    ]);
    aws.answer({ body: unprocessed });
    expect(await store.readRows(['a', 'b'], signal)).toEqual([
      { kind: 'absent' },
      { kind: 'failed', name: 'UnprocessedKeys' },
    ]);
    expect(aws.calls).toHaveLength(5);
  });

  it('fail together when the call fails', async () => {
    aws.answer({ error: 'AccessDeniedException' });
    expect(await store.readRows(['a'], signal)).toEqual([{ kind: 'failed', name: 'AccessDeniedException' }]);
  });

  it('that DynamoDB refuses harm nobody else: an empty key of one event fails that event alone', async () => {
    const bad = (key: { pk: { S: string } }): boolean => key.pk.S === '';
    aws.answer((call) => {
      const keys: { pk: { S: string } }[] = call.body.RequestItems.stock.Keys;
      return keys.some(bad) ? { error: 'ValidationException' } : { body: { Responses: { stock: keys } } };
    });
    const names = ['a', 'b', '', 'c', 'd'];
    const reads = await store.readItems(
      names.map((name) => ({ table: 'stock', key: { pk: { S: name } } })),
      signal,
    );
    expect(reads).toEqual(
      names.map((name) =>
        name === '' ? { kind: 'failed', name: 'ValidationException' } : { kind: 'found', value: { pk: { S: name } } },
      ),
    );
  });

  it('may be items of several tables, whose number keys come back written otherwise', async () => {
    const keys = [
      { table: 'orders', key: { pk: { S: 'o' }, sk: { N: '1.50' } } },
      { table: 'stock', key: { id: { N: '-0.0e3' } } },
      { table: 'orders', key: { sk: { N: '2' }, pk: { S: 'o' } } },
    ];
    const found = [{ sk: { N: '1.5' }, pk: { S: 'o' }, x: { BOOL: true } }, { id: { N: '0' } }];
    aws.answer({ body: { Responses: { orders: [found[0]], stock: [found[1]] } } });
    expect(await store.readItems(keys, signal)).toEqual([
      { kind: 'found', value: found[0] },
      { kind: 'found', value: found[1] },
      { kind: 'absent' },
    ]);
  });
});

describe('grouped changes of rows', () => {
  const mark = { kind: 'mark', eventId: 'a', sentAt: 'now', expiresAtSeconds: 7, snsMessageIds: ['s-1'] } as const;
  const takeover = {
    kind: 'takeover',
    eventId: 'b',
    fromOwner: 'old',
    fromExpiresAtMs: 5,
    owner: 'new',
    expiresAtMs: 9,
    relayShard: '3',
  } as const;
  const release = { kind: 'release', eventId: 'c', owner: 'me', relayShard: '1' } as const;

  it('are PartiQL updates, each under its condition', async () => {
    aws.answer({ body: { Responses: [{}, {}, {}] } });
    expect(await store.update([mark, takeover, release], signal)).toEqual([
      { kind: 'done' },
      { kind: 'done' },
      { kind: 'done' },
    ]);
    expect(aws.calls[0]?.body.Statements).toEqual([
      {
        Statement:
          `UPDATE "processed" SET "status" = 'sent' SET sent_at = ? SET expires_at = ? SET sns_message_ids = ? REMOVE relay_shard ` +
          `WHERE event_id = ? AND "status" = 'pending'`,
        Parameters: [{ S: 'now' }, { N: '7' }, { L: [{ S: 's-1' }] }, { S: 'a' }],
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
      {
        Statement:
          `UPDATE "processed" SET lease_owner = ? SET lease_expires_at_ms = ? SET relay_shard = ? ` +
          `WHERE event_id = ? AND "status" = 'pending' AND lease_owner = ? AND lease_expires_at_ms = ?`,
        Parameters: [{ S: 'new' }, { N: '9' }, { S: '3' }, { S: 'b' }, { S: 'old' }, { N: '5' }],
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
      {
        Statement:
          `UPDATE "processed" SET lease_expires_at_ms = 0 SET relay_shard = ? ` +
          `WHERE event_id = ? AND "status" = 'pending' AND lease_owner = ?`,
        Parameters: [{ S: '1' }, { S: 'c' }, { S: 'me' }],
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    ]);
  });

  it('are what the SDK itself would send', async () => {
    const odd = { ...mark, eventId: 'ö "quoted" \\ 😀', snsMessageIds: ['"Statements":[]', '$&'] } as const;
    aws.answer({ body: {} });
    await store.update([odd, release], signal);
    const ours = aws.calls[0]?.body;
    aws.answer({ body: {} });
    await aws.clients.dynamodb.send(new BatchExecuteStatementCommand({ Statements: ours.Statements }));
    expect(ours).toEqual(aws.calls[0]?.body);
    expect(ours.Statements[0].Parameters.slice(2)).toEqual([
      { L: [{ S: '"Statements":[]' }, { S: '$&' }] },
      { S: odd.eventId },
    ]);
  });

  it('have an outcome each: done, condition failed with the row or without, or failed', async () => {
    aws.answer({
      body: {
        Responses: [
          { TableName: 'processed' },
          { Error: { Code: 'ConditionalCheckFailed', Item: storedRow('b') } },
          { Error: { Code: 'ConditionalCheckFailed' } },
          { Error: { Code: 'ThrottlingError' } },
          { Error: { Code: 'DuplicateItem' } },
        ],
      },
    });
    expect(await store.update([mark, takeover, release, mark, mark, mark], signal)).toEqual([
      { kind: 'done' },
      { kind: 'condition_failed', row: row('b') },
      { kind: 'condition_failed', row: undefined },
      { kind: 'failed', name: 'ThrottlingError' },
      { kind: 'failed', name: 'DuplicateItem' },
      { kind: 'failed', name: 'NoResponse' },
    ]);
  });

  it('all fail when the call fails', async () => {
    aws.answer({ error: 'AccessDeniedException' });
    expect(await store.update([mark, release], signal)).toEqual([
      { kind: 'failed', name: 'AccessDeniedException' },
      { kind: 'failed', name: 'AccessDeniedException' },
    ]);
  });
});
