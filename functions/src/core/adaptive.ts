/**
 * What a container learns from its own cancellations. It is the only state kept between invocations, and no decision
 * about an event rests on it: it only chooses how many events share a transaction, and whether rows are read first.
 */
export interface Adaptive {
  /** Events that may share one transaction now. */
  groupSize(): number;
  /**
   * True while reading the rows of so many events first costs less than the transactions that unseen duplicates among them
   * would cancel.
   */
  looksUpAll(events: number): boolean;
  groupCommitted(events: number): void;
  /** `avoidable`: a reason other than an existing row, which looking up would not have found. */
  groupCancelled(events: number, avoidable: boolean): void;
  /** `duplicates` of `events` first deliveries turned out to be committed already. */
  observed(events: number, duplicates: number): void;
}

/** TransactWriteItems takes 100 actions; an event has at least two. */
const MAX_GROUP = 50;

/** Events over which the share of duplicates is averaged. */
const MEMORY_EVENTS = 500;

/**
 * One read costs about a twentieth of the write units of an event that is cancelled with its group. A group of g events
 * with a share p of unseen duplicates wastes about p * g events for each event: above this product, reading is cheaper.
 */
const WASTE_LIMIT = 0.05;

export function createAdaptive(grouping: boolean): Adaptive {
  const limit = grouping ? MAX_GROUP : 1;
  let size = limit;
  let share = 0;
  return {
    groupSize: () => Math.floor(size),
    looksUpAll: (events) => share * Math.min(size, events) > WASTE_LIMIT,
    groupCommitted: (events) => {
      if (events >= Math.floor(size)) size = Math.min(limit, size * 1.25 + 0.5);
    },
    groupCancelled: (events, avoidable) => {
      if (events > 1 && avoidable) size = Math.max(1, Math.min(size, events) / 2);
    },
    observed: (events, duplicates) => {
      if (events === 0) return;
      const weight = 1 - (1 - 1 / MEMORY_EVENTS) ** events;
      share += (duplicates / events - share) * weight;
    },
  };
}
