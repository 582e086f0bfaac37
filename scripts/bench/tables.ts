import { itemBytes, readUnits, type Wire, type WireItem, writeUnits } from './item-size.ts';

export interface Usage {
  writeUnits: number;
  readUnits: number;
}

type Result = { readonly ok: true } | { readonly ok: false; readonly existing: WireItem | undefined };

/** The key attribute by the last word of a table's name; the first word is the variant that owns it. */
const KEY_NAMES: Readonly<Record<string, string>> = { processed: 'event_id', orders: 'order_id', idempotency: 'id' };

/**
 * Just enough of DynamoDB for the variants: items by key, the conditions that they use, and what AWS would charge.
 * Failed conditions and cancelled transactions are charged like successful ones, as AWS does.
 */
export class Tables {
  private readonly tables = new Map<string, Map<string, WireItem>>();

  get(table: string, key: WireItem, consistent: boolean, usage: Usage): WireItem | undefined {
    const item = this.table(table).get(keyOf(table, key));
    usage.readUnits += readUnits(item === undefined ? 0 : itemBytes(item)) * (consistent ? 1 : 0.5);
    return item;
  }

  /** Puts all of the items or none; the conditions are those that a transaction checks. */
  transact(
    puts: readonly { TableName: string; Item: WireItem; ConditionExpression?: string }[],
    usage: Usage,
  ): Result[] {
    const results = puts.map((put) => this.check(put.TableName, put.Item, put.ConditionExpression));
    const ok = results.every((result) => result.ok);
    for (const put of puts) {
      usage.writeUnits += 2 * writeUnits(itemBytes(put.Item)) + indexUnits(undefined, put.Item);
      if (ok) this.table(put.TableName).set(keyOf(put.TableName, put.Item), put.Item);
    }
    return results;
  }

  /** What a cancelled transaction costs. */
  charge(puts: readonly { readonly Item: WireItem }[], usage: Usage): void {
    for (const put of puts) usage.writeUnits += 2 * writeUnits(itemBytes(put.Item));
  }

  put(table: string, item: WireItem, condition: string | undefined, usage: Usage): Result {
    const result = this.check(table, item, condition);
    usage.writeUnits += writeUnits(itemBytes(item));
    if (result.ok) this.table(table).set(keyOf(table, item), item);
    return result;
  }

  /** `where` are the equalities that must hold; an empty list is an unconditional upsert. */
  update(
    table: string,
    key: WireItem,
    set: WireItem,
    remove: readonly string[],
    where: WireItem,
    usage: Usage,
  ): Result {
    const existing = this.table(table).get(keyOf(table, key));
    const holds = Object.entries(where).every(([name, value]) => same(existing?.[name], value));
    if (!holds) {
      usage.writeUnits += writeUnits(existing === undefined ? 0 : itemBytes(existing));
      return { ok: false, existing };
    }
    const item: Record<string, Wire> = { ...key, ...existing, ...set };
    for (const name of remove) delete item[name];
    usage.writeUnits += writeUnits(itemBytes(item)) + indexUnits(existing, item);
    this.table(table).set(keyOf(table, key), item);
    return { ok: true };
  }

  clear(): void {
    this.tables.clear();
  }

  private check(table: string, item: WireItem, condition: string | undefined): Result {
    const existing = condition?.includes('attribute_not_exists')
      ? this.table(table).get(keyOf(table, item))
      : undefined;
    return existing === undefined ? { ok: true } : { ok: false, existing };
  }

  private table(name: string): Map<string, WireItem> {
    let items = this.tables.get(name);
    if (items === undefined) {
      items = new Map();
      this.tables.set(name, items);
    }
    return items;
  }
}

/** The relay's sparse index is charged when an item enters, changes or leaves it. */
function indexUnits(before: WireItem | undefined, after: WireItem): number {
  const place = (item: WireItem | undefined): string =>
    item?.relay_shard === undefined ? '' : JSON.stringify([item.relay_shard, item.lease_expires_at_ms]);
  const [from, to] = [place(before), place(after)];
  if (from === to) return 0;
  return from === '' || to === '' ? 1 : 2;
}

function keyOf(table: string, item: WireItem): string {
  const name = KEY_NAMES[table.slice(table.lastIndexOf('-') + 1)];
  const value = name === undefined ? undefined : item[name];
  if (value === undefined) throw new Error(`no key for table ${table}`);
  return String(Object.values(value)[0]);
}

function same(left: Wire | undefined, right: Wire): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
