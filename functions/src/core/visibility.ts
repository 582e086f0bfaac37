import { backoffSeconds } from './backoff.ts';
import type { PipelineContext } from './pipeline-context.ts';

/**
 * Seconds until a failed record is tried again: its backoff, or the end of the lease that it waits for, whichever is
 * sooner.
 */
export function delaySeconds(ctx: PipelineContext, receiveCount: number, retryAtMs: number | undefined): number {
  const backoff = backoffSeconds(receiveCount, ctx.settings, ctx.random);
  if (retryAtMs === undefined) return backoff;
  const lease = Math.max(0, Math.ceil((retryAtMs - ctx.clock.now()) / 1000));
  return Math.min(backoff, lease);
}
