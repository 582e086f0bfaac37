import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { mutantNamed } from './mutants.ts';
import type { Job, Tally } from './pool.ts';

const job = workerData as Job;
if (job.mutant !== undefined) plant(job.mutant);
const { simulate } = await import('./world.ts');
const { Coverage } = await import('./coverage.ts');

/** Edits one file of the core as it is loaded; Node.js strips the types afterwards. */
function plant(name: string): void {
  const { file, from, to } = mutantNamed(name);
  const wanted = new URL(`../../functions/src/${file}`, import.meta.url).href;
  const source = readFileSync(new URL(wanted), 'utf8');
  if (source.split(from).length !== 2) throw new Error(`the planted bug "${name}" does not apply to ${file} any more`);
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      return url === wanted ? { ...loaded, source: source.replace(from, () => to) } : loaded;
    },
  });
}

const coverage = new Coverage();
const tally: Tally = { runs: 0, broken: [], records: [], faults: [], coverage: coverage.counts, duplicateNotifications: 0, published: 0, nextSeed: job.from };
const until = job.untilMs ?? Number.POSITIVE_INFINITY;
let seed = job.from;
for (; seed < job.to && Date.now() < until; seed += job.step) {
  const run = await simulate(seed, job.options);
  tally.runs += 1;
  tally.records.push(run.records);
  tally.faults.push(run.faults.length);
  tally.duplicateNotifications += run.duplicateNotifications;
  tally.published += run.published;
  coverage.add(run.coverage);
  if (run.broken !== undefined) {
    tally.broken.push({ seed, ...run.broken });
    if (tally.broken.length >= (job.stopAfter ?? 20)) break;
  }
}
tally.nextSeed = seed;
parentPort?.postMessage(tally);
