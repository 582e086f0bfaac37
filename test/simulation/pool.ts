import { Worker } from 'node:worker_threads';
import { Coverage } from './coverage.ts';
import type { Weather } from './scenario.ts';

export interface Job {
  readonly from: number;
  /** Not included. */
  readonly to: number;
  readonly step: number;
  readonly mutant?: string;
  readonly options?: { readonly lease?: boolean; readonly relay?: boolean; readonly weather?: Weather };
  /** Stop after as many broken runs. */
  readonly stopAfter?: number;
  /** Wall clock. */
  readonly untilMs?: number;
}

export interface Tally {
  runs: number;
  broken: { seed: number; promise: string; message: string }[];
  records: number[];
  faults: number[];
  coverage: Record<string, number>;
  duplicateNotifications: number;
  published: number;
  nextSeed: number;
}

/** Two cores is what this project's machines have. */
export const WORKERS = 2;

/** Runs seeds side by side, each worker every other seed. */
export async function runSeeds(job: Omit<Job, 'step'>, workers = WORKERS): Promise<Tally> {
  const tallies = await Promise.all(
    Array.from({ length: workers }, (_, index) => runWorker({ ...job, from: job.from + index, step: workers })),
  );
  return tallies.reduce(merge);
}

export function runWorker(job: Job): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: job, execArgv: [] });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`a worker of the simulation ended with ${code} and no result`)));
  });
}

function merge(a: Tally, b: Tally): Tally {
  const coverage = new Coverage();
  coverage.add(a.coverage);
  coverage.add(b.coverage);
  return {
    runs: a.runs + b.runs,
    broken: [...a.broken, ...b.broken].sort((x, y) => x.seed - y.seed),
    records: [...a.records, ...b.records],
    faults: [...a.faults, ...b.faults],
    coverage: coverage.counts,
    duplicateNotifications: a.duplicateNotifications + b.duplicateNotifications,
    published: a.published + b.published,
    nextSeed: Math.max(a.nextSeed, b.nextSeed),
  };
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
