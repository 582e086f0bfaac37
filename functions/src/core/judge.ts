import { comparePayloadHash } from './hash.ts';
import { type LeaseBounds, leaseState } from './lease.ts';
import type { ProcessedEvent, Row } from './types.ts';

/** What an existing row says about a delivery of an event (design, rules 4 and 5). */
export type Judgement =
  /** Published and marked before: acknowledge, nothing else. */
  | { readonly kind: 'duplicate'; readonly row: ProcessedEvent }
  /** Committed by this very attempt: publish. */
  | { readonly kind: 'ours'; readonly row: ProcessedEvent }
  /** Committed, its attempt is over: take the lease, then publish. */
  | { readonly kind: 'abandoned'; readonly row: ProcessedEvent }
  /** Committed, and another attempt may still be publishing. */
  | { readonly kind: 'held'; readonly untilMs: number }
  /** Another event with another payload owns this id. */
  | { readonly kind: 'mismatch'; readonly row: ProcessedEvent }
  /** Written by a newer version of this code: leave it to that. */
  | { readonly kind: 'newer' };

export interface Claimant {
  readonly payloadHash: string;
  /** Undefined when the message proves nothing. */
  readonly messageId: string | undefined;
  readonly owner: string;
}

export function judgeRow(row: Row, claimant: Claimant, nowMs: number, bounds: LeaseBounds): Judgement {
  if ('unknown' in row) return { kind: 'newer' };
  // The same message under another hash: our hashing or the operator's fingerprint changed, not the event.
  if (row.messageId === '' || row.messageId !== claimant.messageId) {
    const hashes = comparePayloadHash(row.payloadHash, claimant.payloadHash);
    if (hashes === 'unknown_algorithm') return { kind: 'newer' };
    if (hashes === 'different') return { kind: 'mismatch', row };
  }
  if (row.status === 'sent') return { kind: 'duplicate', row };
  const lease = leaseState(row, claimant.owner, nowMs, bounds);
  switch (lease.kind) {
    case 'ours':
      return { kind: 'ours', row };
    case 'over':
      return { kind: 'abandoned', row };
    case 'live':
      return { kind: 'held', untilMs: lease.untilMs };
  }
}
