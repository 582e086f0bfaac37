/**
 * The conditions that carry the correctness, side by side, each with the sentence that it enforces. An adapter takes
 * them from here and builds no condition of its own.
 */

/** G1: an event is committed once. Whoever finds the row is not the first. */
export const ROW_MUST_NOT_EXIST = 'attribute_not_exists(event_id)';

/**
 * Rule 6: only a pending row changes. An update without it would create the missing row of a lost event as `sent`, or
 * bring the lease of a finished one back. `status` is a reserved word of PartiQL, hence the quotes.
 */
const ROW_IS_PENDING = `"status" = 'pending'`;

/** Rule 5: of all who find a lease over, one takes it; the others read what it wrote. */
const LEASE_IS_AS_READ = 'lease_owner = ? AND lease_expires_at_ms = ?';

/** Rule 5: an attempt gives up its own lease, never one that another has taken since. */
const LEASE_IS_OURS = 'lease_owner = ?';

/** Rule 9: what the relay's index holds of a shard, as far as its lease is over. */
export const TROUBLED_WITH_LEASE_OVER = 'relay_shard = :relay_shard AND lease_expires_at_ms < :before_ms';

/** The relay's index of one shard, whole. */
export const TROUBLED = 'relay_shard = :relay_shard';

/** Rule 9: the sweep looks for pending rows whether the index knows them or not. `#status` is `status`. */
export const SWEPT_ROW_IS_PENDING = '#status = :pending';

/** A business key is written once: an event that finds it written by another is rejected. */
export const BUSINESS_KEY_IS_FREE = 'attribute_not_exists(#pk)';

/**
 * Newer wins: the key is free, or what is there has a lower version. An item without a version is older than any event
 * that has one; an equal version is not newer.
 */
export const BUSINESS_ITEM_IS_OLDER =
  'attribute_not_exists(#pk) OR attribute_not_exists(#version) OR #version < :version';

/** Parameters: owner, expiry in ms, relay shard; event id, owner as read, expiry as read. */
export function takeoverStatement(table: string): string {
  return (
    `UPDATE "${table}" SET lease_owner = ? SET lease_expires_at_ms = ? SET relay_shard = ? ` +
    `WHERE event_id = ? AND ${ROW_IS_PENDING} AND ${LEASE_IS_AS_READ}`
  );
}

/** Parameters: sent at, expiry in epoch seconds, SNS message ids; event id. Takes the row out of the relay's index. */
export function markStatement(table: string): string {
  return (
    `UPDATE "${table}" SET "status" = 'sent' SET sent_at = ? SET expires_at = ? SET sns_message_ids = ? REMOVE relay_shard ` +
    `WHERE event_id = ? AND ${ROW_IS_PENDING}`
  );
}

/** Parameters: relay shard; event id, owner. A lease of 0 is over for everybody. */
export function releaseStatement(table: string): string {
  return (
    `UPDATE "${table}" SET lease_expires_at_ms = 0 SET relay_shard = ? ` +
    `WHERE event_id = ? AND ${ROW_IS_PENDING} AND ${LEASE_IS_OURS}`
  );
}
