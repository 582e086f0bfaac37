import type { CallFate, Operation } from './coverage.ts';

/** What happens to a call; `fine` when nothing does. */
export type Fate = CallFate | 'fine' | 'retried_after_lost_answer' | 'retried_while_late';

/** Calls that are rarely made meet trouble more often, so that every point is hit. */
export function troubleOf(operation: Operation | undefined): number {
  return operation !== undefined && RARE.has(operation) ? 3 : 1;
}

const RARE: ReadonlySet<Operation> = new Set([
  'takeover',
  'release',
  'delete',
  'quarantine',
  'relay_query',
  'relay_scan',
]);

const WEIGHTS: readonly (readonly [CallFate, number])[] = [
  ['refused', 12],
  ['lost_unexecuted', 9],
  ['lost_executed', 14],
  ['executed_late', 12],
  ['slow', 10],
  ['hang', 7],
  ['pause', 5],
  ['crash_before', 10],
  ['crash_in_flight', 12],
  ['crash_after', 9],
];
const TOTAL = WEIGHTS.reduce((sum, [, weight]) => sum + weight, 0);

/** Draws a fate by its weight; `at` is uniform in [0, 1). */
export function pickWeighted(at: number): CallFate {
  let rest = at * TOTAL;
  for (const [fate, weight] of WEIGHTS) {
    rest -= weight;
    if (rest < 0) return fate;
  }
  return 'refused';
}
