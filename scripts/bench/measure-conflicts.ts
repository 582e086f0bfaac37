import type { Benchmark } from './build.ts';
import { Child } from './child.ts';
import { environment } from './environment.ts';
import { batch } from './events.ts';
import { type ConflictFigures, spread } from './figures.ts';
import type { Counters } from './stub.ts';
import type { Cost } from './worker.ts';

/** Shares of writes that meet another writer of the same item. */
const SHARES = [0, 0.001, 0.01, 0.05];
const BATCH_SIZE = 100;

/** Where grouping costs: the pipeline with it and without, while others write to the same items. */
export async function measureConflicts(built: Benchmark, port: number, quick: boolean): Promise<ConflictFigures[]> {
  await fetch(`http://127.0.0.1:${port}/__reset`);
  const runs = [true, false].map((grouping) => {
    const name = grouping ? 'grouped' : 'alone';
    const child = new Child(
      built.harness.worker,
      [built.functions.pipeline.file],
      environment(name, port, { grouping }),
    );
    return { grouping, name, child };
  });
  const figures: ConflictFigures[] = [];
  for (const { child } of runs) await child.first;
  for (const share of SHARES) {
    for (const { grouping, name, child } of runs) {
      const ask = (index: number): Promise<Cost> =>
        child.ask<Cost>({ event: batch({ batchSize: BATCH_SIZE, duplicates: 0, series: `busy-${share}` }, index) });
      await fetch(`http://127.0.0.1:${port}/__busy?table=${name}-orders&share=${share}`);
      const settling = quick ? 2 : 20;
      for (let index = 0; index < settling; index += 1) await ask(index);
      const before = await usage(port, name);
      const costs: Cost[] = [];
      for (let index = 0; index < (quick ? 4 : 30); index += 1) costs.push(await ask(settling + index));
      const after = await usage(port, name);
      const messages = costs.length * BATCH_SIZE;
      figures.push({
        share,
        grouping,
        cpuMs: spread(costs.map((cost) => cost.cpuMs / BATCH_SIZE)),
        wallMs: spread(costs.map((cost) => cost.wallMs / BATCH_SIZE)),
        callsPerMessage: (after.calls - before.calls) / messages,
        writeUnitsPerMessage: (after.writeUnits - before.writeUnits) / messages,
        comeBack: costs.reduce((sum, cost) => sum + cost.failures, 0) / messages,
      });
    }
  }
  for (const { child } of runs) child.stop();
  await fetch(`http://127.0.0.1:${port}/__busy`);
  return figures;
}

async function usage(port: number, name: string): Promise<Counters> {
  const all = (await (await fetch(`http://127.0.0.1:${port}/__counters`)).json()) as Record<string, Counters>;
  return all[name] ?? { calls: 0, writeUnits: 0, readUnits: 0, byOperation: {} };
}
