import {
  BatchExecuteStatementCommand,
  type BatchStatementRequest,
  type BatchStatementResponse,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import type { AttributeMap, AttributeValue } from '../core/attribute-value.ts';
import { markStatement, releaseStatement, takeoverStatement } from '../core/conditions.ts';
import { parseRow } from '../core/row.ts';
import type { EventStore, RowUpdate, RowUpdateOutcome } from '../ports.ts';
import { AFTER_SERIALISING, listAsText } from './list-as-text.ts';
import { readSdkError } from './sdk-error.ts';

/** Up to 25 conditional updates of rows in one call; each has its own outcome. */
export function createRowUpdater(client: DynamoDBClient, table: string): EventStore['update'] {
  const statements = {
    takeover: takeoverStatement(table),
    mark: markStatement(table),
    release: releaseStatement(table),
  };
  return async (updates, signal) => {
    const list: BatchStatementRequest[] = [];
    for (const update of updates) {
      list.push({
        Statement: statements[update.kind],
        Parameters: parameters(update) as never,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
    }
    const command = new BatchExecuteStatementCommand({ Statements: [] });
    command.middlewareStack.add(listAsText('Statements', JSON.stringify(list)), AFTER_SERIALISING);
    try {
      const answer = await client.send(command, { abortSignal: signal });
      return outcomesOf(answer.Responses ?? [], updates.length);
    } catch (thrown) {
      const { name } = readSdkError(thrown);
      return updates.map(() => ({ kind: 'failed', name }));
    }
  };
}

/** In the order of the question marks of the statements. */
function parameters(update: RowUpdate): AttributeValue[] {
  switch (update.kind) {
    case 'takeover':
      return [
        { S: update.owner },
        { N: String(update.expiresAtMs) },
        { S: update.relayShard },
        { S: update.eventId },
        { S: update.fromOwner },
        { N: String(update.fromExpiresAtMs) },
      ];
    case 'mark':
      return [
        { S: update.sentAt },
        { N: String(update.expiresAtSeconds) },
        { L: update.snsMessageIds.map(asString) },
        { S: update.eventId },
      ];
    case 'release':
      return [{ S: update.relayShard }, { S: update.eventId }, { S: update.owner }];
  }
}

function asString(text: string): AttributeValue {
  return { S: text };
}

/** One for each update: an answer that is shorter than the question says nothing about the rest. */
function outcomesOf(responses: readonly BatchStatementResponse[], count: number): RowUpdateOutcome[] {
  const outcomes: RowUpdateOutcome[] = [];
  for (let index = 0; index < count; index += 1) outcomes.push(outcome(responses[index]));
  return outcomes;
}

/** An entry without an error is done. An answer that is missing says nothing, so nothing is done. */
function outcome(response: BatchStatementResponse | undefined): RowUpdateOutcome {
  if (response === undefined) return { kind: 'failed', name: 'NoResponse' };
  const { Error: error } = response;
  if (error === undefined) return { kind: 'done' };
  if (error.Code !== 'ConditionalCheckFailed') return { kind: 'failed', name: error.Code ?? 'UnknownError' };
  // Without the item nobody can tell a missing row from an answer that left it out.
  const row = error.Item === undefined ? undefined : parseRow(error.Item as AttributeMap);
  return { kind: 'condition_failed', row };
}
