import { QueryCommand, type QueryCommandInput, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { AttributeMap } from '../core/attribute-value.ts';
import { SWEPT_ROW_IS_PENDING, TROUBLED, TROUBLED_WITH_LEASE_OVER } from '../core/conditions.ts';
import { parseRow } from '../core/row.ts';
import type { RelayStore } from '../ports.ts';
import { createEventStore, type EventStoreDeps } from './event-store.ts';

/** The sparse index of rows in trouble: hash key `relay_shard`, range key `lease_expires_at_ms`, keys only. */
const RELAY_INDEX = 'relay';

/**
 * What only the relay reads. The index and the scan are eventually consistent and only propose: the relay reads a row
 * again, consistently, before it decides. An exception of the SDK is thrown on: the relay ends its run and tries again
 * at the next.
 */
export function createRelayStore(deps: EventStoreDeps): RelayStore {
  const { client, processedEventsTable: table } = deps;
  return {
    ...createEventStore(deps),

    async queryTroubled(relayShard, beforeMs, limit, from, signal) {
      const command = new QueryCommand({
        ...troubled(table, relayShard, from),
        KeyConditionExpression: TROUBLED_WITH_LEASE_OVER,
        ExpressionAttributeValues: { ':relay_shard': { S: relayShard }, ':before_ms': { N: String(beforeMs) } },
        Limit: limit,
      });
      const answer = await client.send(command, { abortSignal: signal });
      return {
        eventIds: (answer.Items ?? []).flatMap((item) => item.event_id?.S ?? []),
        ...next(answer.LastEvaluatedKey),
      };
    },

    async countTroubled(relayShard, signal) {
      let rows = 0;
      let from: AttributeMap | undefined;
      do {
        // Only the number travels; a page of it ends at 1 MB like any other.
        const command = new QueryCommand({ ...troubled(table, relayShard, from), Select: 'COUNT' });
        const answer = await client.send(command, { abortSignal: signal });
        rows += answer.Count ?? 0;
        from = answer.LastEvaluatedKey as AttributeMap | undefined;
      } while (from !== undefined);
      return { rows };
    },

    async scanPending(segment, segments, from, signal) {
      const command = new ScanCommand({
        TableName: table,
        Segment: segment,
        TotalSegments: segments,
        FilterExpression: SWEPT_ROW_IS_PENDING,
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':pending': { S: 'pending' } },
        ...(from !== undefined && { ExclusiveStartKey: from as never }),
      });
      const answer = await client.send(command, { abortSignal: signal });
      return {
        rows: (answer.Items ?? []).map((item) => parseRow(item as AttributeMap)),
        ...next(answer.LastEvaluatedKey),
      };
    },
  };
}

function troubled(table: string, relayShard: string, from: AttributeMap | undefined): QueryCommandInput {
  return {
    TableName: table,
    IndexName: RELAY_INDEX,
    KeyConditionExpression: TROUBLED,
    ExpressionAttributeValues: { ':relay_shard': { S: relayShard } },
    ...(from !== undefined && { ExclusiveStartKey: from as never }),
  };
}

function next(key: object | undefined): { readonly next?: AttributeMap } {
  return key === undefined ? {} : { next: key as AttributeMap };
}
