import { TRANSACTION_MAX_ACTIONS, TRANSACTION_MAX_BYTES } from './limits.ts';

/** What grouping needs to know of an event. */
export interface Groupable {
  readonly items: readonly string[];
  readonly bytes: number;
}

/**
 * Splits into events that share no item with one another, and the rest in their order. An event also waits when an
 * earlier one that waits touches the same item, so that writes to one key happen in the order of the batch.
 */
export function withoutSharedItems<T>(open: readonly T[], of: (entry: T) => Groupable): { now: T[]; later: T[] } {
  const seen = new Set<string>();
  const now: T[] = [];
  const later: T[] = [];
  for (const entry of open) {
    const { items } = of(entry);
    (items.some((item) => seen.has(item)) ? later : now).push(entry);
    for (const item of items) seen.add(item);
  }
  return { now, later };
}

/** Packs events into transactions: at most `size` events, 100 actions and 4 MB each. */
export function packGroups<T>(entries: readonly T[], size: number, of: (entry: T) => Groupable): T[][] {
  const groups: T[][] = [];
  let group: T[] = [];
  let actions = 0;
  let bytes = 0;
  for (const entry of entries) {
    const next = of(entry);
    const full =
      group.length >= size ||
      actions + next.items.length > TRANSACTION_MAX_ACTIONS ||
      bytes + next.bytes > TRANSACTION_MAX_BYTES;
    if (full && group.length > 0) {
      groups.push(group);
      group = [];
      actions = 0;
      bytes = 0;
    }
    group.push(entry);
    actions += next.items.length;
    bytes += next.bytes;
  }
  if (group.length > 0) groups.push(group);
  return groups;
}

/** Two halves, the first never smaller: who makes a whole call fail is found by splitting. */
export function halves<T>(group: readonly T[]): [T[], T[]] {
  const middle = Math.ceil(group.length / 2);
  return [group.slice(0, middle), group.slice(middle)];
}
