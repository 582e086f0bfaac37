import type { CancellationReason } from '../ports.ts';
import type { PermanentReason, TransientReason } from './reasons.ts';
import type { OnConditionFailed, Row } from './types.ts';

/** What the reasons of a cancelled transaction say about one of its events (design, rule 1). */
export type CancellationVerdict =
  /** Every reason is `None`: another event of the group is guilty. */
  | { readonly kind: 'innocent' }
  /** The event's own row exists. It decides; every other reason is a consequence of the event's earlier commit. */
  | { readonly kind: 'exists'; readonly row: Row | undefined }
  | { readonly kind: 'transient'; readonly reason: TransientReason }
  /** A condition of a business write failed, and the event has no row. */
  | { readonly kind: 'condition'; readonly policy: OnConditionFailed }
  | { readonly kind: 'permanent'; readonly reason: PermanentReason };

const TRANSIENT_CODES: Readonly<Record<string, TransientReason>> = {
  TransactionConflict: 'conflict',
  ThrottlingError: 'throttled',
  ProvisionedThroughputExceeded: 'throttled',
  RequestLimitExceeded: 'throttled',
};

const PERMANENT_CODES: Readonly<Record<string, PermanentReason>> = {
  ValidationError: 'request_refused',
  ItemCollectionSizeLimitExceeded: 'request_refused',
};

/**
 * @param reasons the reason of the event's row, then one for each of its writes
 * @param policies what a failed condition of each write means
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
export function judgeCancellation(
  reasons: readonly CancellationReason[] | undefined,
  policies: readonly OnConditionFailed[],
): CancellationVerdict {
  // An answer that does not name every action names nobody.
  if (reasons?.length !== policies.length + 1) return { kind: 'transient', reason: 'cancelled_unknown' };
  let permanent: PermanentReason | undefined;
  const failed = new Set<OnConditionFailed | undefined>();
  for (const [index, { code, row }] of reasons.entries()) {
    if (code === 'None') continue;
    if (code === 'ConditionalCheckFailed') {
      // The row comes first: it decides before anything else is looked at.
      if (index === 0) return { kind: 'exists', row };
      failed.add(policies[index - 1]);
    } else if (PERMANENT_CODES[code] !== undefined) permanent ??= PERMANENT_CODES[code];
    // One transient or unknown reason makes the event transient, whatever stands beside it.
    else return { kind: 'transient', reason: TRANSIENT_CODES[code] ?? 'cancelled_unknown' };
  }
  if (permanent !== undefined) return { kind: 'permanent', reason: permanent };
  if (failed.size === 0) return { kind: 'innocent' };
  const policy = failed.has('reject') ? 'reject' : failed.has('replan') ? 'replan' : 'supersede';
  return { kind: 'condition', policy };
}
