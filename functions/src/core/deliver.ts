import type { RowUpdate, RowUpdateOutcome } from '../ports.ts';
import { retryJitterMs } from './backoff.ts';
import type { DeliveryContext } from './context.ts';
import { BATCH_STATEMENT_MAX } from './limits.ts';
import { pairs } from './pairs.ts';
import { chunks, inParallel } from './parallel.ts';
import { type Lane, type Published, publishAll } from './publish.ts';
import { readRow } from './read-rows.ts';
import type { TransientReason } from './reasons.ts';
import { failureNames, NOT_ANSWERED, reportFailures } from './report-failures.ts';
import { expiresAtSeconds, relayShardOf } from './row.ts';
import type { Notification, Row } from './types.ts';

/** A committed event whose lease is ours. */
export interface Owned {
  readonly eventId: string;
  readonly owner: string;
  readonly notifications: readonly Notification[];
  readonly correlationId?: string;
}

export type DeliverOutcome = { readonly kind: 'sent' } | { readonly kind: 'failed'; readonly reason: TransientReason };

export interface DeliverOptions {
  /**
   * Give the lease back after a failed publish, so that the redelivery need not wait for its end. The relay keeps it: a
   * released row would be the first in its index again, ahead of rows that were never tried.
   */
  readonly release: boolean;
  /** Where later events must not overtake: lanes in which earlier calls left something unpublished. It grows by more. */
  readonly held?: Set<Lane>;
}

/**
 * Publishes, then marks: always in this order. A crash between the two costs a duplicate notification; the other order
 * would lose one.
 */
export async function deliver(
  ctx: DeliveryContext,
  events: readonly Owned[],
  options: DeliverOptions,
): Promise<DeliverOutcome[]> {
  const published = await publishAll(ctx, events.map(notificationsOf), options.held);
  const deliveries: { event: Owned; result: Published; change: RowUpdate | undefined }[] = [];
  const changes: RowUpdate[] = [];
  for (const [event, result] of pairs(events, published)) {
    const change = rowChange(ctx, event, result, options);
    deliveries.push({ event, result, change });
    if (change !== undefined) changes.push(change);
  }
  const outcomes = await updateAll(ctx, changes);
  const delivered: (DeliverOutcome | Promise<DeliverOutcome>)[] = [];
  for (const { event, result, change } of deliveries) {
    delivered.push(result.kind === 'published' ? markOutcome(ctx, event, change && outcomes.get(change)) : result);
  }
  return Promise.all(delivered);
}

function notificationsOf(event: Owned): readonly Notification[] {
  return event.notifications;
}

/** The mark of what is published; the release of what is not; nothing where the lease is kept. */
function rowChange(
  ctx: DeliveryContext,
  event: Owned,
  published: Published,
  options: DeliverOptions,
): RowUpdate | undefined {
  if (published.kind === 'published') {
    const now = ctx.clock.now();
    return {
      kind: 'mark',
      eventId: event.eventId,
      sentAt: new Date(now).toISOString(),
      expiresAtSeconds: expiresAtSeconds(now, ctx.settings.retentionDays),
      snsMessageIds: published.snsMessageIds,
    };
  }
  return options.release
    ? { kind: 'release', eventId: event.eventId, owner: event.owner, relayShard: relayShardOf(event.eventId) }
    : undefined;
}

/** Tries of one mark within one invocation. A mark that never arrives costs a second publish. */
const TRIES = 2;

type Outcomes = Map<RowUpdate, RowUpdateOutcome>;

/**
 * Marks and releases share calls. They are sent within the deadline margin too: a notification that is out should be
 * marked while there is any time left.
 */
async function updateAll(ctx: DeliveryContext, changes: readonly RowUpdate[]): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  let open = changes;
  for (let tried = 0; tried < TRIES && open.length > 0 && !ctx.deadline.signal.aborted; tried += 1) {
    if (tried > 0) await ctx.clock.sleep(retryJitterMs(tried, ctx.random), ctx.deadline.signal);
    const pieces = chunks(open, BATCH_STATEMENT_MAX);
    await inParallel(ctx.settings.concurrency, pieces, (piece) => updatePiece(ctx, piece, outcomes));
    open = unmarked(open, outcomes);
  }
  reportFailures(ctx, 'rows not marked as sent', failureNames(outcomesOf('mark', outcomes)));
  reportFailures(ctx, 'leases not released', failureNames(outcomesOf('release', outcomes)));
  return outcomes;
}

async function updatePiece(ctx: DeliveryContext, piece: readonly RowUpdate[], outcomes: Outcomes): Promise<void> {
  const answers = await ctx.store.update(piece, ctx.deadline.signal);
  for (const [position, change] of piece.entries()) outcomes.set(change, answers[position] ?? NOT_ANSWERED);
}

function outcomesOf(kind: RowUpdate['kind'], outcomes: Outcomes): RowUpdateOutcome[] {
  const own: RowUpdateOutcome[] = [];
  for (const [change, outcome] of outcomes) if (change.kind === kind) own.push(outcome);
  return own;
}

function unmarked(changes: readonly RowUpdate[], outcomes: Outcomes): RowUpdate[] {
  const open: RowUpdate[] = [];
  for (const change of changes) {
    const outcome = outcomes.get(change);
    if (change.kind === 'mark' && outcome?.kind !== 'done' && outcome?.kind !== 'condition_failed') open.push(change);
  }
  return open;
}

/** A promise only where the row must be looked at. */
function markOutcome(
  ctx: DeliveryContext,
  event: Owned,
  outcome: RowUpdateOutcome | undefined,
): DeliverOutcome | Promise<DeliverOutcome> {
  if (outcome?.kind === 'done') return { kind: 'sent' };
  if (outcome?.kind !== 'condition_failed') return { kind: 'failed', reason: 'mark_failed' };
  return afterFailedMark(ctx, event, outcome.row);
}

async function afterFailedMark(
  ctx: DeliveryContext,
  event: Owned,
  reported: Row | null | undefined,
): Promise<DeliverOutcome> {
  const row = reported === undefined ? await readBack(ctx, event.eventId) : reported;
  if (row === undefined) return { kind: 'failed', reason: 'mark_failed' };
  if (row !== null) {
    // A failed condition with `sent` on the row is success: somebody else marked it, or our own answer was lost.
    return 'unknown' in row
      ? { kind: 'failed', reason: 'row_newer' }
      : row.status === 'sent'
        ? { kind: 'sent' }
        : { kind: 'failed', reason: 'mark_failed' };
  }
  // The row is gone although it is pending, which nothing of ours does. Failing would commit the event a second time.
  ctx.telemetry.error('row missing at mark: acknowledged, since a failure would commit the event again', {
    event_id: event.eventId,
    ...(event.correlationId === undefined ? {} : { correlation_id: event.correlationId }),
  });
  ctx.telemetry.count('RowMissingAtMark', 1);
  return { kind: 'sent' };
}

async function readBack(ctx: DeliveryContext, eventId: string) {
  const read = await readRow(ctx, eventId);
  if (read.kind === 'found') return read.value;
  return read.kind === 'absent' ? null : undefined;
}
