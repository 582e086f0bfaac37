import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { mutantNamed, plantIn } from './mutants.ts';
import type { Job, Tally } from './pool.ts';

const job = workerData as Job;
if (job.mutant !== undefined) plant(job.mutant);
const { simulate } = await import('./world.ts');
const { Coverage } = await import('./coverage.ts');

/** Edits the core as it is loaded; Node.js strips the types afterwards. */
function plant(name: string): void {
  const sources = new Map<string, string>();
  for (const { file, from, to } of mutantNamed(name).edits) {
    const url = new URL(`../../functions/src/${file}`, import.meta.url);
    sources.set(url.href, plantIn(sources.get(url.href) ?? readFileSync(url, 'utf8'), { file, from, to }));
  }
  registerHooks({
    load(url, context, next) {
      const source = sources.get(url);
      const loaded = next(url, context);
      return source === undefined ? loaded : { ...loaded, source };
    },
  });
}

const coverage = new Coverage();
const tally: Tally = {
  runs: 0,
  broken: [],
  records: [],
  faults: [],
  coverage: coverage.counts,
  duplicateNotifications: 0,
  published: 0,
  nextSeed: job.from,
};
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
