import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock, systemRandom } from '../../src/aws/clock.ts';
import { createRelayStore } from '../../src/aws/relay-store.ts';
import type { RelayStore } from '../../src/ports.ts';
import { type AwsStub, startAwsStub } from './aws-stub.ts';

const { signal } = new AbortController();

let aws: AwsStub;
let store: RelayStore;
beforeAll(async () => {
  aws = await startAwsStub();
  store = createRelayStore({
    client: aws.clients.dynamodb,
    processedEventsTable: 'processed',
    clock: systemClock,
    random: systemRandom,
  });
});
afterAll(() => aws.close());

const key = (id: string, lease = '0') => ({
  event_id: { S: id },
  relay_shard: { S: '2' },
  lease_expires_at_ms: { N: lease },
});

const pending = (id: string, createdAt: string) => ({
  ...key(id),
  v: { N: '1' },
  status: { S: 'pending' },
  payload_hash: { S: 'v1:x' },
  notifications: { L: [] },
  lease_owner: { S: 'o' },
  created_at: { S: createdAt },
});

describe('the index of rows in trouble', () => {
  it('is asked for the leases of one shard that are over, a page at a time', async () => {
    aws.answer({ body: { Items: [key('a', '5'), key('b', '7')], LastEvaluatedKey: key('b', '7') } }, { body: {} });
    const page = await store.queryTroubled('2', 1000, 10, undefined, signal);
    expect(page).toEqual({ eventIds: ['a', 'b'], next: key('b', '7') });
    expect(aws.calls[0]?.body).toEqual({
      TableName: 'processed',
      IndexName: 'relay',
      KeyConditionExpression: 'relay_shard = :relay_shard AND lease_expires_at_ms < :before_ms',
      ExpressionAttributeValues: { ':relay_shard': { S: '2' }, ':before_ms': { N: '1000' } },
      Limit: 10,
    });
    expect(await store.queryTroubled('2', 1000, 10, page.next, signal)).toEqual({ eventIds: [] });
    expect(aws.calls[1]?.body.ExclusiveStartKey).toEqual(key('b', '7'));
  });

  it('is counted over all pages, and no row is read for it', async () => {
    aws.answer({ body: { Count: 2, LastEvaluatedKey: key('b') } }, { body: { Count: 1 } });
    expect(await store.countTroubled('2', signal)).toEqual({ rows: 3 });
    const query = {
      TableName: 'processed',
      IndexName: 'relay',
      KeyConditionExpression: 'relay_shard = :relay_shard',
      ExpressionAttributeValues: { ':relay_shard': { S: '2' } },
      Select: 'COUNT',
    };
    expect(aws.calls.map(({ operation, body }) => [operation, body])).toEqual([
      ['Query', query],
      ['Query', { ...query, ExclusiveStartKey: key('b') }],
    ]);
  });

  it('counts nothing where it holds nothing', async () => {
    aws.answer({ body: { Count: 0 } });
    expect(await store.countTroubled('2', signal)).toEqual({ rows: 0 });
    expect(aws.calls).toHaveLength(1);
  });
});

describe('the sweep', () => {
  it('scans one page of one segment for pending rows', async () => {
    aws.answer({ body: { Items: [pending('a', '2026')], LastEvaluatedKey: { event_id: { S: 'z' } } } });
    const page = await store.scanPending(3, 288, { event_id: { S: 'q' } }, signal);
    expect(page.rows).toMatchObject([{ eventId: 'a', status: 'pending' }]);
    expect(page.next).toEqual({ event_id: { S: 'z' } });
    expect(aws.calls[0]?.body).toEqual({
      TableName: 'processed',
      Segment: 3,
      TotalSegments: 288,
      FilterExpression: '#status = :pending',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':pending': { S: 'pending' } },
      ExclusiveStartKey: { event_id: { S: 'q' } },
    });
  });

  it('throws what the SDK throws: a page that was not read is not an empty page', async () => {
    aws.answer({ error: 'AccessDeniedException' });
    await expect(store.scanPending(0, 1, undefined, signal)).rejects.toMatchObject({ name: 'AccessDeniedException' });
    await expect(store.queryTroubled('1', 1, 1, undefined, signal)).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
  });
});
