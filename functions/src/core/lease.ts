import type { ProcessedEvent } from './types.ts';

/**
 * The lease says until when an attempt may still be publishing. It saves duplicates and decides nothing else: the
 * promises hold without it, and an expired lease proves nothing about its owner.
 */
export type LeaseState =
  /** Our own commit or takeover, whose answer may have been lost: go on. */
  | { readonly kind: 'ours' }
  /** Expired, given up, or further away than any clock of ours could have set it. */
  | { readonly kind: 'over' }
  | { readonly kind: 'live'; readonly untilMs: number };

/** An attempt: one delivery of one message to one invocation. */
export function leaseOwner(requestId: string, messageId: string): string {
  return `${requestId}/${messageId}`;
}

export interface LeaseBounds {
  /** Timeout of the function; no honest lease ends later than this from now, plus the margin. */
  readonly functionTimeoutMs: number;
  readonly leaseMarginMs: number;
}

/** Epoch milliseconds at which a lease taken now ends: when the invocation is stopped, plus the margin. */
export function leaseEndMs(deadlineMs: number, bounds: LeaseBounds): number {
  return deadlineMs + bounds.leaseMarginMs;
}

export function leaseState(
  row: Pick<ProcessedEvent, 'leaseOwner' | 'leaseExpiresAtMs'>,
  owner: string,
  nowMs: number,
  bounds: LeaseBounds,
): LeaseState {
  if (row.leaseExpiresAtMs <= nowMs)
    return row.leaseOwner === owner && row.leaseExpiresAtMs > 0 ? { kind: 'ours' } : { kind: 'over' };
  if (row.leaseOwner === owner) return { kind: 'ours' };
  const furthest = nowMs + bounds.functionTimeoutMs + bounds.leaseMarginMs;
  return row.leaseExpiresAtMs > furthest ? { kind: 'over' } : { kind: 'live', untilMs: row.leaseExpiresAtMs };
}
