import type { AttributeMap } from '../../../functions/src/core/attribute-value.ts';
import type { PipelineDeps } from '../../../functions/src/core/pipeline.ts';
import type { BusinessWrite, DecodedEvent, Notification, SourceRecord } from '../../../functions/src/core/types.ts';

/** What a peer may do beyond our ports, under the same faults: its own state, and business writes without our row. */
export interface PeerServices {
  /** PutItem of a peer's own record on a condition. */
  putRecord(
    key: string,
    value: IdempotencyRecord,
    mayReplace: (old: IdempotencyRecord) => boolean,
    signal: AbortSignal,
  ): Promise<'put' | IdempotencyRecord | 'failed'>;
  updateRecord(key: string, value: IdempotencyRecord, signal: AbortSignal): Promise<boolean>;
  deleteRecord(key: string, signal: AbortSignal): Promise<boolean>;
  /** TransactWriteItems of the business writes alone. False when it failed or its answer was lost. */
  writeBusiness(event: DecodedEvent, writes: readonly BusinessWrite[], signal: AbortSignal): Promise<boolean>;
  /** PublishBatch of one event's notifications. */
  publish(notifications: readonly Notification[], signal: AbortSignal): Promise<boolean>;
}

/** A record of an idempotency store. */
export interface IdempotencyRecord {
  readonly status: 'INPROGRESS' | 'COMPLETED';
  readonly inProgressUntilMs: number;
  readonly payloadHash: string;
}

export interface PeerDeps extends PipelineDeps {
  readonly services: PeerServices;
}

/** What one message means, planned as our own core plans it: decoding and mapping are the same for everybody. */
export async function planOf(deps: PipelineDeps, event: DecodedEvent, signal: AbortSignal) {
  const keys = deps.meaning.reads?.(event) ?? [];
  const reads = keys.length === 0 ? [] : await deps.store.readItems(keys, signal);
  if (reads.some(({ kind }) => kind === 'failed')) return undefined;
  const items: (AttributeMap | undefined)[] = reads.map((read) => (read.kind === 'found' ? read.value : undefined));
  return deps.meaning.plan(event, items);
}

/** One record after the other, each answered for itself; an exception fails its record. Nothing starts near the end. */
export async function recordByRecord(
  deps: PipelineDeps,
  records: readonly SourceRecord[],
  deadlineMs: number,
  handle: (event: DecodedEvent, signal: AbortSignal) => Promise<void>,
): Promise<{ batchItemFailures: { itemIdentifier: string }[] }> {
  const controller = new AbortController();
  const failed: string[] = [];
  const done = new Set<SourceRecord>();
  const work = (async () => {
    for (const record of records) {
      const outcome = await one(deps, record, handle, controller.signal).catch(() => 'failed' as const);
      if (outcome === 'failed') failed.push(record.id ?? '');
      done.add(record);
      // FIFO: the first failure ends the batch, as the libraries' FIFO processors do.
      if (outcome === 'failed' && deps.settings.source === 'sqs_fifo') break;
    }
  })();
  let cancel = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    cancel = deps.clock.alarm(deadlineMs - 500, resolve);
  });
  await Promise.race([work, stopped]);
  cancel();
  controller.abort();
  for (const record of records) if (!done.has(record)) failed.push(record.id ?? '');
  return { batchItemFailures: [...new Set(failed)].map((itemIdentifier) => ({ itemIdentifier })) };
}

async function one(
  deps: PipelineDeps,
  record: SourceRecord,
  handle: (event: DecodedEvent, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<'done' | 'failed'> {
  const decoded = deps.meaning.decode(record);
  if (decoded.kind === 'not_ours') return 'done';
  for (const event of decoded.events) await handle(event, signal);
  return decoded.issues.length === 0 ? 'done' : 'failed';
}
