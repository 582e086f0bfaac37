import {
  type DynamoDBClient,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  type TransactWriteItemsCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { ROW_MUST_NOT_EXIST } from '../core/conditions.ts';
import type { BusinessWrite } from '../core/types.ts';
import type { Clock, CommitEvent, EventStore, Random } from '../ports.ts';
import { createItemReader } from './batch-get.ts';
import { commitFailure } from './commit-outcome.ts';
import { AFTER_SERIALISING, listAsText, mayHoldBinary } from './list-as-text.ts';
import { createRowUpdater } from './row-update.ts';

export interface EventStoreDeps {
  readonly client: DynamoDBClient;
  readonly processedEventsTable: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** The port over DynamoDB. No method rejects: an exception of the SDK is an outcome like any other. */
export function createEventStore(deps: EventStoreDeps): EventStore {
  const { client, processedEventsTable: table } = deps;
  const { readRows, readItems } = createItemReader(deps);
  const update = createRowUpdater(client, table);
  return {
    readRows,
    readItems,
    update,
    async commit(events, signal) {
      // No ClientRequestToken: the SDK makes one a call and keeps it over its own tries. One derived from the event
      // would make a redelivery look like a first success for ten minutes.
      const list: TransactWriteItem[] = [];
      for (const event of events) list.push(...actions(event, table));
      const command = transactWriteItems(list);
      try {
        const answer = await client.send(command, { abortSignal: signal });
        return { kind: 'committed', writeUnits: writeUnits(answer) };
      } catch (thrown) {
        return commitFailure(thrown, events);
      }
    },
  };
}

function transactWriteItems(actions: TransactWriteItem[]): TransactWriteItemsCommand {
  const command = (TransactItems: TransactWriteItem[]): TransactWriteItemsCommand =>
    new TransactWriteItemsCommand({ TransactItems, ReturnConsumedCapacity: 'TOTAL' });
  const text = JSON.stringify(actions);
  if (mayHoldBinary(text)) return command(actions);
  const empty = command([]);
  empty.middlewareStack.add(listAsText('TransactItems', text), AFTER_SERIALISING);
  return empty;
}

/** The row's put comes first: its place among the reasons is what tells a duplicate from a rejected event. */
function actions(event: CommitEvent, table: string): TransactWriteItem[] {
  const put: TransactWriteItem = {
    Put: {
      TableName: table,
      Item: event.row as never,
      ConditionExpression: ROW_MUST_NOT_EXIST,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
  return [put, ...event.writes.map(action)];
}

function action(write: BusinessWrite): TransactWriteItem {
  const { condition } = write;
  const conditional = condition === undefined ? {} : { ConditionExpression: condition.expression };
  switch (write.kind) {
    case 'put':
      return {
        Put: {
          TableName: write.table,
          Item: write.item as never,
          ...conditional,
          ...placeholders(condition),
        },
      };
    case 'update':
      return {
        Update: {
          TableName: write.table,
          Key: write.key as never,
          UpdateExpression: write.expression,
          ...conditional,
          ...placeholders(write, condition),
        },
      };
    case 'delete':
      return {
        Delete: {
          TableName: write.table,
          Key: write.key as never,
          ...conditional,
          ...placeholders(condition),
        },
      };
    case 'check':
      return {
        ConditionCheck: {
          TableName: write.table,
          Key: write.key as never,
          ConditionExpression: write.condition.expression,
          ...placeholders(write.condition),
        },
      };
  }
}

interface Placeholders {
  readonly names?: Readonly<Record<string, string>> | undefined;
  readonly values?: object | undefined;
}

/** DynamoDB refuses an empty map of names or values, so there is none where nothing is named. */
function placeholders(...sources: readonly (Placeholders | undefined)[]): object {
  const names = Object.assign({}, ...sources.map((source) => source?.names));
  const values = Object.assign({}, ...sources.map((source) => source?.values));
  return {
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

function writeUnits(answer: TransactWriteItemsCommandOutput): number {
  return (answer.ConsumedCapacity ?? []).reduce(
    (sum, table) => sum + (table.WriteCapacityUnits ?? table.CapacityUnits ?? 0),
    0,
  );
}
