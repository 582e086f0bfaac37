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
    const list = updates.map(
      (update): BatchStatementRequest => ({
        Statement: statements[update.kind],
        Parameters: parameters(update) as never,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    const command = new BatchExecuteStatementCommand({ Statements: [] });
    command.middlewareStack.add(listAsText('Statements', JSON.stringify(list)), AFTER_SERIALISING);
    try {
      const answer = await client.send(command, { abortSignal: signal });
      return updates.map((_, index) => outcome(answer.Responses?.[index]));
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
        { L: update.snsMessageIds.map((id) => ({ S: id })) },
        { S: update.eventId },
      ];
    case 'release':
      return [{ S: update.relayShard }, { S: update.eventId }, { S: update.owner }];
  }
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
