import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { AttributeMap } from '../core/attribute-value.ts';
import { parseRow } from '../core/row.ts';
import type { CancellationReason, CommitEvent, CommitOutcome } from '../ports.ts';
import { readSdkError, wasRefused } from './sdk-error.ts';

/**
 * The call may have been executed although the answer is an error of class 4xx: the token is in use by a try whose
 * answer was lost. Neither name ever says "this event exists".
 */
const MAY_HAVE_BEEN_EXECUTED: ReadonlySet<string> = new Set([
  'TransactionInProgressException',
  'IdempotentParameterMismatchException',
]);

const NOT_NOW: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'LimitExceededException',
  'TransactionConflictException',
  'ReplicatedWriteConflictException',
]);

/** What the request itself is guilty of. A group splits on these; a lone event is judged by them. */
const PERMANENT: ReadonlySet<string> = new Set([
  'ValidationException',
  'ItemCollectionSizeLimitExceededException',
  'RequestEntityTooLargeException',
]);

/**
 * Classifies whatever TransactWriteItems threw. Everything that is not known to have left the tables untouched is
 * `unknown`.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
export function commitFailure(thrown: unknown, events: readonly CommitEvent[]): CommitOutcome {
  const error = readSdkError(thrown);
  const { name, retried } = error;
  if (name === 'TransactionCanceledException') {
    const { CancellationReasons } = thrown as TransactionCanceledException;
    return { kind: 'cancelled', reasons: reasonsByEvent(CancellationReasons ?? [], events), retried };
  }
  if (MAY_HAVE_BEEN_EXECUTED.has(name)) return { kind: 'unknown', name };
  if (NOT_NOW.has(name) || error.status === 429) return { kind: 'throttled', name, retried };
  if (!wasRefused(error)) return { kind: 'unknown', name };
  return { kind: 'refused', name, permanent: PERMANENT.has(name) || error.status === 413, retried };
}

type Reasons = NonNullable<TransactionCanceledException['CancellationReasons']>;

/** Reasons come in the order of the actions. A list of another length cannot be told apart: none is known. */
function reasonsByEvent(reasons: Reasons, events: readonly CommitEvent[]): readonly (readonly CancellationReason[])[] {
  const actions = events.reduce((sum, event) => sum + 1 + event.writes.length, 0);
  if (reasons.length !== actions) return [];
  let at = 0;
  return events.map((event) => {
    const own = reasons.slice(at, at + 1 + event.writes.length);
    at += own.length;
    return own.map((reason, index) => toReason(reason, index === 0));
  });
}

function toReason(reason: Reasons[number], isRow: boolean): CancellationReason {
  const code = reason.Code ?? '';
  if (!isRow || reason.Item === undefined) return { code };
  return { code, row: parseRow(reason.Item as AttributeMap) };
}
