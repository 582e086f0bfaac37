import { leaseOwner } from './lease.ts';
import type { PipelineContext } from './pipeline-context.ts';
import type { Decoded, DecodedEvent, SourceRecord } from './types.ts';
import { type EventWork, newWork, type RecordWork, settle } from './work.ts';

/** Decodes every record. A record that cannot be decoded harms no other; a decoder that throws is a bug of ours. */
export function openBatch(ctx: PipelineContext, records: readonly SourceRecord[]): RecordWork[] {
  const batch: RecordWork[] = [];
  for (const record of records) batch.push(openRecord(ctx, record));
  return batch;
}

function openRecord(ctx: PipelineContext, record: SourceRecord): RecordWork {
  const base = { record, state: { at: 'open' }, deleted: false } as const;
  let decoded: Decoded;
  try {
    decoded = ctx.meaning.decode(record);
  } catch (error) {
    ctx.telemetry.error('decoder threw', {
      ...(record.id === undefined ? {} : { message_id: record.id }),
      reason: 'internal',
      error_name: error instanceof Error ? error.name : typeof error,
    });
    return {
      ...base,
      events: [],
      issues: [],
      notOurs: undefined,
      state: { at: 'failed', reason: 'internal', delaySeconds: undefined },
    };
  }
  if (decoded.kind === 'not_ours') return { ...base, events: [], issues: [], notOurs: decoded.reason };
  const owner = leaseOwner(ctx.requestId, record.id ?? '');
  const contested = contestedIds(decoded.events);
  const events: EventWork[] = [];
  for (const event of decoded.events) {
    const work = newWork(event, {
      receiveCount: record.receiveCount,
      owner,
      ...(record.traceHeader === undefined ? {} : { traceHeader: record.traceHeader }),
      contested: contested.has(event.eventId),
    });
    events.push(work);
  }
  const { issues, excluded } = decoded;
  return { ...base, events, issues, ...(excluded === undefined ? {} : { excluded }), notOurs: undefined };
}

/** Ids that two events of one message claim with different payloads. */
function contestedIds(events: readonly DecodedEvent[]): ReadonlySet<string> {
  const contested = new Set<string>();
  const hashes = new Map<string, string>();
  for (const { eventId, payloadHash } of events) {
    const first = hashes.get(eventId);
    if (first === undefined) hashes.set(eventId, payloadHash);
    else if (first !== payloadHash) contested.add(eventId);
  }
  return contested;
}

/** Gives every event that nobody settled the same transient verdict; nothing unsettled is ever done. */
export function abandonOpen(records: readonly RecordWork[], reason: 'deadline' | 'internal'): void {
  for (const record of records) {
    for (const work of record.events) if (work.stage.at !== 'settled') settle(work, { kind: 'transient', reason });
  }
}

/** Receives from which a record is suspected of crashing the process. */
const KILLER_RECEIVES = 3;

/**
 * A record that came back twice already may be what crashed the function. It is planned after everything else is
 * finished and deleted, alone, so that it takes no neighbour along.
 */
export function mayKill(record: RecordWork): boolean {
  return record.record.receiveCount >= KILLER_RECEIVES;
}

/**
 * The order in which suspects are tried: a fixed one, the other way round on every other receive. Who stands behind a
 * killer on one receive stands before it on the next, so one killer cannot keep a neighbour from being tried until both
 * are moved to the dead-letter queue.
 */
export function inSuspectOrder<T>(
  suspects: readonly T[],
  of: (suspect: T) => { readonly key: string; readonly receives: number },
): T[] {
  const receives = Math.max(0, ...suspects.map((suspect) => of(suspect).receives));
  const direction = receives % 2 === 0 ? -1 : 1;
  return [...suspects].sort((a, b) => (of(a).key < of(b).key ? -direction : of(a).key > of(b).key ? direction : 0));
}
