import type { Read } from '../ports.ts';
import type { DeliveryContext } from './context.ts';
import { failureNames, NOT_ANSWERED, reportFailures } from './report-failures.ts';
import type { Row } from './types.ts';

/** One row, strongly consistent. */
export async function readRow(ctx: DeliveryContext, eventId: string): Promise<Read<Row>> {
  const [read = NOT_ANSWERED] = await ctx.store.readRows([eventId], ctx.deadline.signal);
  reportFailed(ctx, [read]);
  return read;
}

/** Rows in the order asked, strongly consistent. BatchGetItem refuses a key that stands in it twice, so each id is read once. */
export async function readRows(ctx: DeliveryContext, eventIds: readonly string[]): Promise<Read<Row>[]> {
  if (eventIds.length === 0) return [];
  const distinct = [...new Set(eventIds)];
  const reads = await ctx.store.readRows(distinct, ctx.deadline.signal);
  const byId = new Map<string, Read<Row>>();
  for (const [index, eventId] of distinct.entries()) byId.set(eventId, reads[index] ?? NOT_ANSWERED);
  reportFailed(ctx, byId.values());
  const answers: Read<Row>[] = [];
  for (const eventId of eventIds) answers.push(byId.get(eventId) ?? NOT_ANSWERED);
  return answers;
}

function reportFailed(ctx: DeliveryContext, reads: Iterable<Read<Row>>): void {
  reportFailures(ctx, 'rows not read', failureNames(reads));
}
