/**
 * The simulation for as long as one likes: `scripts/node scripts/soak.ts [SECONDS] [FIRST SEED]`, or
 * `... soak.ts --seed SEED` for the shrunk timeline of one seed.
 *
 * Exits non-zero when a promise breaks, and prints the shrunk timeline of the first seed that broke one; put it into
 * test/simulation/seeds.json.
 */
import { runSeeds } from '../test/simulation/pool.ts';
import { describeTally } from '../test/simulation/report.ts';
import { printable, shrink } from '../test/simulation/shrink.ts';

const [first, second] = process.argv.slice(2);
if (first === '--seed') {
  const shrunk = await shrink(Number(second));
  console.log(shrunk.run.broken === undefined ? `seed ${second} keeps every promise` : printable(shrunk));
  process.exit(shrunk.run.broken === undefined ? 0 : 1);
}

const seconds = Number(first ?? 60);
// Not the seeds of the test suite again, and other ones each time.
const from = Number(second ?? Math.floor(Date.now() / 1000) * 1_000);
if (!(seconds > 0) || !Number.isInteger(from)) {
  console.error('usage: soak.ts [SECONDS] [FIRST SEED] | soak.ts --seed SEED');
  process.exit(2);
}
console.log(`soak: ${seconds} s from seed ${from}`);
const started = Date.now();
const tally = await runSeeds({
  from,
  to: Number.MAX_SAFE_INTEGER,
  untilMs: started + seconds * 1000,
  stopAfter: 1,
});
console.log(describeTally(tally, (Date.now() - started) / 1000));
const [broken] = tally.broken;
if (broken !== undefined) {
  console.error(`\n${printable(await shrink(broken.seed))}`);
  process.exit(1);
}
