import { BatchGetItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { AttributeMap, AttributeValue } from '../core/attribute-value.ts';
import { bareObject } from '../core/bare-object.ts';
import { normaliseDecimal } from '../core/decimal.ts';
import { halves } from '../core/group.ts';
import { BATCH_GET_MAX } from '../core/limits.ts';
import { chunks } from '../core/parallel.ts';
import { parseRow } from '../core/row.ts';
import type { ReadKey, Row } from '../core/types.ts';
import type { Clock, EventStore, Random, Read } from '../ports.ts';
import { readSdkError } from './sdk-error.ts';

/** Rounds in a row that may bring nothing before the rest is given up. */
const IDLE_ROUNDS = 4;
const IDLE_BASE_MS = 50;

interface ItemReaderDeps {
  readonly client: DynamoDBClient;
  readonly processedEventsTable: string;
  readonly clock: Clock;
  readonly random: Random;
}

type Keys = Map<string, ReadKey>;
type Found = Map<string, Read<AttributeMap>>;

/** Strongly consistent reads by key, any number of them. */
export function createItemReader(deps: ItemReaderDeps): Pick<EventStore, 'readRows' | 'readItems'> {
  const table = deps.processedEventsTable;

  async function readItems(keys: readonly ReadKey[], signal: AbortSignal): Promise<readonly Read<AttributeMap>[]> {
    const names = keys.map(nameOf);
    // A call that names one key twice is refused whole.
    const distinct: Keys = new Map();
    for (const [index, key] of keys.entries()) distinct.set(names[index] as string, key);
    const found: Found = new Map();
    await Promise.all(chunks([...distinct], BATCH_GET_MAX).map((chunk) => readChunk(new Map(chunk), found, signal)));
    const reads: Read<AttributeMap>[] = [];
    for (const name of names) reads.push(found.get(name) ?? { kind: 'absent' });
    return reads;
  }

  async function readChunk(wanted: Keys, found: Found, signal: AbortSignal): Promise<void> {
    let rest = wanted;
    let idle = 0;
    while (rest.size > 0) {
      const before = rest.size;
      try {
        rest = await readOnce(rest, found, signal);
      } catch (thrown) {
        const { name } = readSdkError(thrown);
        // A call is refused whole for one key that cannot be, an empty one say: only who asked for that one must fail.
        if (name === 'ValidationException' && rest.size > 1) return readHalves(rest, found, signal);
        fail(rest, found, name);
        return;
      }
      idle = rest.size === before ? idle + 1 : 0;
      if (rest.size > 0 && (idle === IDLE_ROUNDS || signal.aborted)) {
        fail(rest, found, 'UnprocessedKeys');
        return;
      }
      if (idle > 0) await deps.clock.sleep(IDLE_BASE_MS * 2 ** idle * (0.5 + deps.random.next() / 2), signal);
    }
  }

  async function readHalves(wanted: Keys, found: Found, signal: AbortSignal): Promise<void> {
    await Promise.all(halves([...wanted]).map((half) => readChunk(new Map(half), found, signal)));
  }

  /** Answers with the keys that DynamoDB left unprocessed: throttled, or over 16 MB of answer. */
  async function readOnce(wanted: Keys, found: Found, signal: AbortSignal): Promise<Keys> {
    const request = bareObject<{ Keys: AttributeMap[]; ConsistentRead: true }>();
    const keyNames = new Map<string, readonly string[]>();
    for (const { table, key } of wanted.values()) {
      if (request[table] === undefined) {
        request[table] = { Keys: [], ConsistentRead: true };
        keyNames.set(table, Object.keys(key));
      }
      request[table].Keys.push(key);
    }
    const command = new BatchGetItemCommand({ RequestItems: request as never });
    const answer = await deps.client.send(command, { abortSignal: signal });
    for (const [table, items] of Object.entries(answer.Responses ?? {})) {
      for (const item of items as AttributeMap[]) {
        found.set(keyText(table, item, keyNames.get(table) ?? []), { kind: 'found', value: item });
      }
    }
    const rest: Keys = new Map();
    for (const [table, { Keys: keys }] of Object.entries(answer.UnprocessedKeys ?? {})) {
      for (const key of (keys ?? []) as AttributeMap[]) {
        rest.set(nameOf({ table, key }), { table, key });
      }
    }
    return rest;
  }

  return {
    readItems,
    async readRows(eventIds, signal) {
      const keys: ReadKey[] = [];
      for (const eventId of eventIds) keys.push({ table, key: { event_id: { S: eventId } } });
      return (await readItems(keys, signal)).map(asRow);
    },
  };
}

function asRow(read: Read<AttributeMap>): Read<Row> {
  return read.kind === 'found' ? { kind: 'found', value: parseRow(read.value) } : read;
}

function nameOf({ table, key }: ReadKey): string {
  return keyText(table, key, Object.keys(key));
}

function fail(keys: Keys, found: Found, name: string): void {
  for (const key of keys.keys()) found.set(key, { kind: 'failed', name });
}

/** One text for one item, whatever order its key attributes come in and however its numbers are written. */
function keyText(table: string, item: AttributeMap, names: readonly string[]): string {
  const parts = [table];
  for (const name of [...names].sort()) parts.push(valueText(item[name]));
  return JSON.stringify(parts);
}

function valueText(value: AttributeValue | undefined): string {
  if (value === undefined) return '?';
  if ('S' in value) return `S${value.S}`;
  if ('N' in value) return `N${normaliseDecimal(value.N)}`;
  if ('B' in value) return `B${Buffer.from(value.B).toString('base64')}`;
  return '?';
}
