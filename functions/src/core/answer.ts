import type { RecordWork } from './work.ts';

/** What the event source mapping reads: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html */
export interface BatchAnswer {
  readonly batchItemFailures: { itemIdentifier: string }[];
}

/** Thrown when a failing record cannot be named: the whole batch must come back, loudly. */
export class UnnamedRecordError extends Error {
  override readonly name = 'UnnamedRecordError';
}

/**
 * The one place that builds an answer. Only ids of this batch, none twice, never undefined. A null or empty identifier
 * would make Lambda fail the whole batch, and an unknown one is undefined behaviour; a record that is not named counts
 * as done, so a failing record without an id must throw.
 *
 * A stream is answered with the lowest failed sequence number alone: Lambda reads on from there.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-batchfailurereporting.html
 */
export function buildAnswer(records: readonly RecordWork[], stream: boolean): BatchAnswer {
  const failing = records.filter(isFailing);
  const named = new Set<string>();
  for (const { record } of stream ? failing.slice(0, 1) : failing) {
    if (record.id === undefined || record.id === '')
      throw new UnnamedRecordError('a failing record has no id that could be reported');
    named.add(record.id);
  }
  return { batchItemFailures: [...named].map((itemIdentifier) => ({ itemIdentifier })) };
}

/** What nobody decided is never done. */
function isFailing(record: RecordWork): boolean {
  return record.state.at === 'failed' || record.state.at === 'open';
}
