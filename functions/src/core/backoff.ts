import type { Random } from '../ports.ts';
import { VISIBILITY_MAX_SECONDS } from './limits.ts';

export interface BackoffBounds {
  readonly backoffBaseSeconds: number;
  readonly backoffCapSeconds: number;
}

/**
 * Whole seconds until the next attempt: between half and all of `min(cap, base * 2^(receives-1))`, so that messages
 * which failed together do not come back together.
 * @see https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/
 */
export function backoffSeconds(receiveCount: number, bounds: BackoffBounds, random: Random): number {
  const full = Math.min(bounds.backoffCapSeconds, bounds.backoffBaseSeconds * 2 ** Math.max(0, receiveCount - 1));
  return Math.min(VISIBILITY_MAX_SECONDS, Math.ceil(full / 2 + (full / 2) * random.next()));
}

/** Milliseconds between tries of one call within an invocation: full jitter, doubling. */
export function retryJitterMs(attempt: number, random: Random): number {
  return random.next() * 50 * 2 ** attempt;
}
