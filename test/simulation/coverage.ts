export const OPERATIONS = [
  'commit',
  'read_rows',
  'read_items',
  'takeover',
  'mark',
  'release',
  'publish',
  'visibility',
  'delete',
  'quarantine',
  'relay_query',
  'relay_count',
  'relay_scan',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** What may happen around one call. */
export const CALL_FATES = [
  'refused',
  'lost_unexecuted',
  'lost_executed',
  'executed_late',
  'slow',
  'hang',
  'pause',
  'crash_before',
  'crash_in_flight',
  'crash_after',
] as const;
export type CallFate = (typeof CALL_FATES)[number];

/** What may happen inside of a service's answer, and around the calls. */
export const OTHER_FAULTS = [
  'commit: conflict injected',
  'commit: throttling among the reasons',
  'commit: unknown reason',
  'commit: cancelled without reasons',
  'commit: existing row left out of the reason',
  'commit: cancelled by an existing row',
  'commit: real conflict between transactions',
  'commit: refused as invalid',
  'commit: business condition failed',
  'commit: SDK retry after a lost answer',
  'commit: SDK retry while the first try executes later',
  'commit: executed after its caller had answered',
  'update: one statement of several failed',
  'update: row left out of a failed condition',
  'read: some keys unprocessed',
  'publish: partial failure',
  'publish: entry in neither list',
  'quarantine: partial failure',
  'function: killed at its timeout',
  'function: killed by its message',
  'function: handler never returns',
  'function: handler throws',
  'function: frozen with work left, resumed later',
  'function: overlapping invocations',
  'acknowledgement lost',
  'visibility ran out while the message was worked on',
  'message shown twice',
  'message delivered twice in one batch',
  'message sent twice by the producer',
  'message moved to the dead-letter queue by SQS',
  'message quarantined',
  'message redriven',
  'clock skew above the lease',
  'deploy: stricter schema',
  'deploy: other fingerprint',
  'deploy: stricter filter',
  'deploy: newer row version',
  'deploy: rollback to an older row version',
  'relay: took a row from the index',
  'relay: took a row by the sweep alone',
  'relay: overlapped by a consumer',
  'relay: two runs at once',
  'lease: held by another',
  'lease: taken over',
  'breaker opened',
] as const;
export type OtherFault = (typeof OTHER_FAULTS)[number];

/** Operations in which a fate cannot happen, or does not differ from another. */
const IMPOSSIBLE: ReadonlySet<string> = new Set();

export function expectedPoints(): string[] {
  const calls = OPERATIONS.flatMap((operation) => CALL_FATES.map((fate) => `${operation}: ${fate}`));
  return [...calls.filter((point) => !IMPOSSIBLE.has(point)), ...OTHER_FAULTS];
}

/** How often each crash point and each fault was hit. None may stay at zero over a whole suite. */
export class Coverage {
  readonly counts: Record<string, number> = {};

  hit(point: string, times = 1): void {
    this.counts[point] = (this.counts[point] ?? 0) + times;
  }

  add(counts: Readonly<Record<string, number>>): void {
    for (const [point, times] of Object.entries(counts)) this.hit(point, times);
  }

  missed(): string[] {
    return expectedPoints().filter((point) => (this.counts[point] ?? 0) === 0);
  }
}
