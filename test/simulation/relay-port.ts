import type { RelayStore } from '../../functions/src/ports.ts';
import type { Instance } from './container.ts';
import type { Operation } from './coverage.ts';
import { numberText, textOf } from './dynamodb.ts';
import type { Rng } from './rng.ts';
import { parse, storeOf } from './store-port.ts';

/** Rows a page; small, so that a run of a few dozen events has several. */
const INDEX_PAGE = 4;
const SCAN_PAGE = 6;

/** What the relay reads: an index and a scan that are eventually consistent and come in pages. */
export function relayStoreOf(host: Instance): RelayStore {
  const { rows } = host.world.db;
  const fails = (): never => {
    throw new Error('ThrottlingException');
  };
  const call = async <T>(
    operation: Operation,
    signal: AbortSignal,
    describe: string,
    execute: (dice: Rng) => T,
  ): Promise<T> => {
    const result = await host.call<{ value: T } | undefined>(signal, {
      operations: [operation],
      execute: (dice) => ({ value: execute(dice) }),
      refused: () => undefined,
      unknown: () => undefined,
      describe: () => describe,
      outcome: (value) => (value === undefined ? 'failed' : JSON.stringify(value.value)),
    });
    return result === undefined ? fails() : result.value;
  };
  return {
    ...storeOf(host),
    queryTroubled: (shard, beforeMs, limit, from, signal) =>
      call('relay_query', signal, `query ${shard}`, (dice) => {
        const after =
          from === undefined ? undefined : `${numberText(from.lease_expires_at_ms)}|${textOf(from.event_id)}`;
        const all = [...rows.values()]
          .filter((row) => textOf(row.relay_shard) === shard && Number(numberText(row.lease_expires_at_ms)) < beforeMs)
          // The index is eventually consistent: some of it is not there yet.
          .filter(() => !host.strikes(dice))
          .map((row) => ({
            row,
            place: `${numberText(row.lease_expires_at_ms).padStart(16, '0')}|${textOf(row.event_id)}`,
          }))
          .sort((a, b) => (a.place < b.place ? -1 : 1))
          .filter(({ place }) => after === undefined || place > after);
        // A page may be shorter than asked.
        const size = Math.min(limit, INDEX_PAGE);
        const page = all.slice(0, size);
        const last = page.at(-1)?.row;
        for (const { row } of page) host.world.indexed.add(textOf(row.event_id));
        return {
          eventIds: page.map(({ row }) => textOf(row.event_id)),
          ...(all.length > size &&
            last !== undefined && {
              next: {
                event_id: { S: textOf(last.event_id) },
                lease_expires_at_ms: { N: numberText(last.lease_expires_at_ms).padStart(16, '0') },
              },
            }),
        };
      }),
    countTroubled: (shard, signal) =>
      call('relay_count', signal, `count ${shard}`, () => ({
        rows: [...rows.values()].filter((row) => textOf(row.relay_shard) === shard).length,
      })),
    scanPending: (segment, segments, from, signal) =>
      call('relay_scan', signal, `scan ${segment}/${segments}`, () => {
        const mine = [...rows.values()].filter((row) => segmentOf(textOf(row.event_id), segments) === segment);
        const start = from === undefined ? 0 : Number(numberText(from.place));
        const page = mine.slice(start, start + SCAN_PAGE);
        return {
          rows: page.filter((row) => textOf(row.status) === 'pending').map((row) => parse(host, row)),
          ...(mine.length > start + SCAN_PAGE && { next: { place: { N: String(start + SCAN_PAGE) } } }),
        };
      }),
  };
}

function segmentOf(eventId: string, segments: number): number {
  let sum = 7;
  for (let index = 0; index < eventId.length; index += 1) sum = (sum * 33 + eventId.charCodeAt(index)) >>> 0;
  return sum % segments;
}
