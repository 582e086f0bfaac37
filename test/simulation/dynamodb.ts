import type { AttributeMap, AttributeValue } from '../../functions/src/core/attribute-value.ts';
import { ROW_MUST_NOT_EXIST } from '../../functions/src/core/conditions.ts';
import type { BusinessWrite } from '../../functions/src/core/types.ts';
import type { CommitEvent, RowUpdate } from '../../functions/src/ports.ts';
import { applyUpdate, holds } from './expressions.ts';

export interface Code {
  readonly code: string;
  readonly item?: AttributeMap;
}

/** What one TransactWriteItems came to, before anything happens to its answer. */
export type Transaction =
  | { readonly kind: 'committed' }
  /** One code an action; the existing row where the put of a row failed its condition. */
  | { readonly kind: 'cancelled'; readonly codes: readonly (readonly Code[])[] }
  | { readonly kind: 'refused'; readonly name: string };

export type Updated =
  | { readonly kind: 'done' }
  | { readonly kind: 'condition_failed'; readonly item: AttributeMap | undefined }
  | { readonly kind: 'conflict' };

/** Who looks on: the promises are checked on what is executed here, not on what anybody was told. */
export interface Observer {
  /** Before its writes are applied. */
  committing(event: CommitEvent): void;
  rowChanged(
    eventId: string,
    before: AttributeMap | undefined,
    after: AttributeMap,
    by: RowUpdate['kind'] | 'commit',
  ): void;
}

/** Marks an item that DynamoDB alone finds invalid: the whole call is refused, as for any ValidationException. */
export const REFUSED_ATTRIBUTE = 'aws_refuses';

/** How long an item stays locked by the transaction that wrote it. */
const LOCK_MS = 4;

/**
 * DynamoDB as far as the core can see it, with the rules that no emulator enforces.
 *
 * - All or nothing, one code an action, and every action is judged, not only the first that fails.
 * - An item that another transaction holds: TransactionConflict.
 * - 100 actions, 4 MB, 400 KB an item, no item twice, no empty or overlong key: the whole call is refused.
 * - A client token that was executed answers again as a success and changes nothing, for ten minutes.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
export class DynamoDb {
  readonly rows = new Map<string, AttributeMap>();
  readonly items = new Map<string, AttributeMap>();
  readonly #locks = new Map<string, number>();
  readonly #tokens = new Map<string, number>();
  readonly #hashKeys: Readonly<Record<string, string>>;
  readonly #rowTable: string;
  readonly #observer: Observer;

  constructor(rowTable: string, hashKeys: Readonly<Record<string, string>>, observer: Observer) {
    this.#rowTable = rowTable;
    this.#hashKeys = hashKeys;
    this.#observer = observer;
  }

  /** Judges and, when every action may, writes. */
  transact(events: readonly CommitEvent[], token: string, nowMs: number): Transaction {
    const executed = this.#tokens.get(token);
    if (executed !== undefined && nowMs - executed < 600_000) return { kind: 'committed' };
    const judged = this.judge(events, nowMs);
    if (judged.kind === 'refused' || judged.codes.some((codes) => codes.some(({ code }) => code !== 'None')))
      return judged;
    this.#tokens.set(token, nowMs);
    for (const event of events) this.#observer.committing(event);
    for (const event of events) this.#commit(event, nowMs);
    return { kind: 'committed' };
  }

  /** What every action would answer now; nothing is written. */
  judge(events: readonly CommitEvent[], nowMs: number): Exclude<Transaction, { kind: 'committed' }> {
    const names = events.flatMap((event) => [this.#rowName(event.row), ...event.writes.map(writeName)]);
    const refusal = this.#refusal(events, names);
    if (refusal !== undefined) return { kind: 'refused', name: refusal };
    const codes = events.map((event) => [
      this.#judgeRow(event.row, nowMs),
      ...event.writes.map((write) => this.#judgeWrite(write, nowMs)),
    ]);
    return { kind: 'cancelled', codes };
  }

  #judgeRow(row: AttributeMap, nowMs: number): Code {
    if (this.#locked(this.#rowName(row), nowMs)) return { code: 'TransactionConflict' };
    const old = this.rows.get(textOf(row.event_id));
    if (holds(ROW_MUST_NOT_EXIST, old, {})) return { code: 'None' };
    return { code: 'ConditionalCheckFailed', ...(old !== undefined && { item: old }) };
  }

  #judgeWrite(write: BusinessWrite, nowMs: number): Code {
    const name = writeName(write);
    if (this.#locked(name, nowMs)) return { code: 'TransactionConflict' };
    const { condition } = write;
    const met = condition === undefined || holds(condition.expression, this.items.get(name), condition);
    return { code: met ? 'None' : 'ConditionalCheckFailed' };
  }

  #commit(event: CommitEvent, nowMs: number): void {
    const eventId = textOf(event.row.event_id);
    const old = this.rows.get(eventId);
    this.rows.set(eventId, event.row);
    this.#locks.set(this.#rowName(event.row), nowMs + LOCK_MS);
    for (const write of event.writes) {
      this.#write(writeName(write), write);
      this.#locks.set(writeName(write), nowMs + LOCK_MS);
    }
    this.#observer.rowChanged(eventId, old, event.row, 'commit');
  }

  /** One conditional statement; an update of a row that is not there fails its condition and creates nothing. */
  update(update: RowUpdate, nowMs: number): Updated {
    const old = this.rows.get(update.eventId);
    if (this.#locked(this.#rowName({ event_id: { S: update.eventId } }), nowMs)) return { kind: 'conflict' };
    if (old === undefined || textOf(old.status) !== 'pending') return { kind: 'condition_failed', item: old };
    const next: { [name: string]: AttributeValue } = { ...old };
    switch (update.kind) {
      case 'takeover':
        if (
          textOf(old.lease_owner) !== update.fromOwner ||
          numberText(old.lease_expires_at_ms) !== String(update.fromExpiresAtMs)
        ) {
          return { kind: 'condition_failed', item: old };
        }
        next.lease_owner = { S: update.owner };
        next.lease_expires_at_ms = { N: String(update.expiresAtMs) };
        next.relay_shard = { S: update.relayShard };
        break;
      case 'mark':
        next.status = { S: 'sent' };
        next.sent_at = { S: update.sentAt };
        next.expires_at = { N: String(update.expiresAtSeconds) };
        next.sns_message_ids = { L: update.snsMessageIds.map((S) => ({ S })) };
        delete next.relay_shard;
        break;
      case 'release':
        if (textOf(old.lease_owner) !== update.owner) return { kind: 'condition_failed', item: old };
        next.lease_expires_at_ms = { N: '0' };
        next.relay_shard = { S: update.relayShard };
        break;
    }
    this.rows.set(update.eventId, next);
    this.#observer.rowChanged(update.eventId, old, next, update.kind);
    return { kind: 'done' };
  }

  /** A transaction without a row of ours: what a consumer writes that keeps its state elsewhere. False when it is cancelled. */
  writeItems(writes: readonly BusinessWrite[], nowMs: number): boolean {
    if (writes.some((write) => this.#judgeWrite(write, nowMs).code !== 'None')) return false;
    if (writes.some((write) => write.kind === 'put' && REFUSED_ATTRIBUTE in write.item)) return false;
    for (const write of writes) {
      this.#write(writeName(write), write);
      this.#locks.set(writeName(write), nowMs + LOCK_MS);
    }
    return true;
  }

  row(eventId: string): AttributeMap | undefined {
    return this.rows.get(eventId);
  }

  item(table: string, key: AttributeMap): AttributeMap | undefined {
    return this.items.get(itemName(table, key));
  }

  #locked(name: string, nowMs: number): boolean {
    return (this.#locks.get(name) ?? 0) > nowMs;
  }

  #write(name: string, write: BusinessWrite): void {
    switch (write.kind) {
      case 'put':
        this.items.set(name, write.item);
        return;
      case 'update':
        this.items.set(
          name,
          applyUpdate(write.expression, this.items.get(name), write.key, {
            names: { ...write.condition?.names, ...write.names },
            values: { ...write.condition?.values, ...write.values },
          }),
        );
        return;
      case 'delete':
        this.items.delete(name);
        return;
      case 'check':
        return;
    }
  }

  #rowName(row: AttributeMap): string {
    return itemName(this.#rowTable, { event_id: row.event_id as AttributeValue });
  }

  #refusal(events: readonly CommitEvent[], names: readonly string[]): string | undefined {
    if (names.length > 100 || new Set(names).size < names.length) return 'ValidationException';
    let bytes = 0;
    for (const { row, writes } of events) {
      for (const item of [row, ...writes.flatMap((write) => (write.kind === 'put' ? [write.item] : []))]) {
        const size = roughBytes(item);
        bytes += size;
        if (size > 400 * 1024 || REFUSED_ATTRIBUTE in item || isTooDeep(item)) return 'ValidationException';
      }
      for (const write of writes) {
        const hashKey = this.#hashKeys[write.table];
        if (hashKey === undefined) return 'ResourceNotFoundException';
        if (!isKey(write.key[hashKey])) return 'ValidationException';
        if (
          write.kind === 'put' &&
          itemName('', { k: write.item[hashKey] as AttributeValue }) !==
            itemName('', { k: write.key[hashKey] as AttributeValue })
        ) {
          return 'ValidationException';
        }
      }
      if (!isKey(row.event_id)) return 'ValidationException';
    }
    return bytes > 4 * 1024 * 1024 ? 'ValidationException' : undefined;
  }
}

function writeName(write: BusinessWrite): string {
  return itemName(write.table, write.key);
}

/** 32 levels, the innermost scalar counted, the item itself not. */
function isTooDeep(item: AttributeMap): boolean {
  return Object.values(item).some((value) => depth(value) > 32);
}

function depth(value: AttributeValue): number {
  if ('L' in value) return 1 + Math.max(0, ...value.L.map(depth));
  if ('M' in value) return 1 + Math.max(0, ...Object.values(value.M).map(depth));
  return 1;
}

function isKey(value: AttributeValue | undefined): boolean {
  if (value === undefined) return false;
  if ('S' in value) return value.S !== '' && Buffer.byteLength(value.S) <= 2048;
  return 'N' in value;
}

/** Numbers name an item by their value: 1, 1.0 and 1e0 are one key. */
export function itemName(table: string, key: AttributeMap): string {
  let name = table;
  for (const attribute of Object.keys(key).sort()) {
    const value = key[attribute] as AttributeValue;
    name += `|${attribute}=${'N' in value ? `N${Number(value.N)}` : JSON.stringify(value)}`;
  }
  return name;
}

function roughBytes(item: AttributeMap): number {
  return JSON.stringify(item).length;
}

export function textOf(value: AttributeValue | undefined): string {
  return value !== undefined && 'S' in value ? value.S : '';
}

export function numberText(value: AttributeValue | undefined): string {
  return value !== undefined && 'N' in value ? value.N : '';
}
