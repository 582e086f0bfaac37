import { TRANSACTION_MAX_ACTIONS, TRANSACTION_MAX_BYTES } from './limits.ts';

/** What grouping needs to know of an event. */
export interface Groupable {
  readonly items: readonly string[];
  readonly bytes: number;
}

/**
 * Rounds of entries that share nothing with one another. An entry comes one round after the last earlier entry that has
 * something in common with it, so that what concerns one thing happens in the order of the batch.
 */
export function inRounds<T, S>(entries: readonly T[], sharedOf: (entry: T) => readonly S[]): T[][] {
  const rounds: T[][] = [];
  /** The first round that a thing is free in. */
  const free = new Map<S, number>();
  for (const entry of entries) {
    const shared = sharedOf(entry);
    let at = 0;
    for (const thing of shared) at = Math.max(at, free.get(thing) ?? 0);
    for (const thing of shared) free.set(thing, at + 1);
    const round = rounds[at];
    if (round === undefined) rounds.push([entry]);
    else round.push(entry);
  }
  return rounds;
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
