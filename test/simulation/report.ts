import { CALL_FATES, Coverage, OPERATIONS, OTHER_FAULTS } from './coverage.ts';
import { median, type Tally } from './pool.ts';

/** What a set of runs was made of: how often every crash point and every fault was hit. */
export function describeTally(tally: Tally, seconds: number): string {
  const coverage = new Coverage();
  coverage.add(tally.coverage);
  const count = (point: string): string => String(coverage.counts[point] ?? 0);
  const width = 16;
  const lines = [
    `${tally.runs} runs in ${seconds.toFixed(1)} s, ${tally.broken.length} broken; median run: ${median(tally.records)} records, ${median(tally.faults)} faults`,
    `${tally.published} notifications, ${tally.duplicateNotifications} of them duplicates`,
    '',
    `${''.padEnd(14)}${CALL_FATES.map((fate) => fate.padStart(width)).join('')}`,
    ...OPERATIONS.map(
      (operation) =>
        `${operation.padEnd(14)}${CALL_FATES.map((fate) => count(`${operation}: ${fate}`).padStart(width)).join('')}`,
    ),
    '',
    ...OTHER_FAULTS.map((fault) => `${fault.padEnd(60)}${count(fault).padStart(10)}`),
  ];
  const missed = coverage.missed();
  if (missed.length > 0) lines.push('', `never hit: ${missed.join(', ')}`);
  for (const { seed, promise, message } of tally.broken) lines.push(`BROKEN seed ${seed}: ${promise}: ${message}`);
  return lines.join('\n');
}
