/**
 * What the lease is worth: the same seeds of the simulation with it and without it, `scripts/node
 * scripts/lease-savings.ts [SEEDS]`. Without it, whoever finds a pending row publishes at once. The promises hold in both
 * (rule 5: no decision rests on a lease); what differs is how many notifications are duplicates.
 */
import { runSeeds, type Tally } from '../test/simulation/pool.ts';
import type { Weather } from '../test/simulation/scenario.ts';

const seeds = Number(process.argv[2] ?? 4_000);
const WEATHERS: readonly (readonly [string, Weather | undefined])[] = [
  ['storm', undefined],
  // Slow services, and every other message shown a second time while the first delivery is still at work.
  ['overlap', { calls: 0.5, answers: 0, queue: 0.7, only: 'slow' }],
];

const line = (name: string, tally: Tally): string =>
  [
    name.padEnd(10),
    String(tally.runs).padStart(7),
    String(tally.broken.length).padStart(8),
    String(tally.published).padStart(15),
    String(tally.duplicateNotifications).padStart(12),
    ((tally.duplicateNotifications * 10_000) / (tally.published - tally.duplicateNotifications))
      .toFixed(0)
      .padStart(20),
  ].join('');
console.log(
  ['lease'.padEnd(10), '   runs', '  broken', '  notifications', '  duplicates', '   per 10,000 events'].join(''),
);
for (const [name, weather] of WEATHERS) {
  const more = weather === undefined ? {} : { weather };
  const on = await runSeeds({ from: 1, to: seeds + 1, stopAfter: 1, options: { ...more } });
  const off = await runSeeds({ from: 1, to: seeds + 1, stopAfter: 1, options: { ...more, lease: false } });
  console.log(`${name}:`);
  console.log(line('  on', on));
  console.log(line('  off', off));
  const saved = 1 - on.duplicateNotifications / off.duplicateNotifications;
  console.log(`  the lease saves ${(saved * 100).toFixed(0)} % of the duplicate notifications`);
  for (const { seed, promise, message } of [...on.broken, ...off.broken]) {
    console.error(`seed ${seed}: ${promise}: ${message}`);
    process.exitCode = 1;
  }
}
