import { fileURLToPath } from 'node:url';
import { type Built, VARIANTS, type Variant } from './build.ts';
import { Child } from './child.ts';
import { environment } from './environment.ts';
import { batch, type Scenario } from './events.ts';
import { type ScenarioFigures, spread } from './figures.ts';
import type { Counters } from './stub.ts';
import type { Cost, Memory } from './worker.ts';

const READ_UNIT_IN_WRITE_UNITS = 0.2;

/** Batches before the clock runs: machine code is made, connections are open, adaptive sizes have settled. */
const WARM_UP_MESSAGES = 2_000;
/** The sequential variant takes 20 ms a message, and is warm soon. */
const WARM_UP_MESSAGES_SEQUENTIAL = 150;

/** All variants, one batch each in turn, the order of the turns rotating so that none is always the first. */
export async function measureScenario(
  scenario: Scenario,
  built: Record<Variant, Built>,
  port: number,
  quick: boolean,
): Promise<ScenarioFigures[]> {
  const { batchSize } = scenario;
  await fetch(`http://127.0.0.1:${port}/__reset`);
  const warmUps = Math.max(4, Math.ceil((quick ? 300 : WARM_UP_MESSAGES) / batchSize));
  const batches = quick ? 4 : (rounds[batchSize] ?? 10);
  const runs = VARIANTS.map((variant) => ({
    variant,
    child: new Child(
      fileURLToPath(new URL('worker.ts', import.meta.url)),
      [built[variant].file],
      environment(variant, port),
      ['--expose-gc'],
    ),
    costs: [] as Cost[],
  }));
  for (const { variant, child } of runs) {
    await child.first;
    const own = variant === 'sequential' ? Math.ceil(WARM_UP_MESSAGES_SEQUENTIAL / batchSize) : warmUps;
    for (let index = warmUps - own; index < warmUps; index += 1)
      await child.ask<Cost>({ event: batch(scenario, index) });
  }
  const before = await counters(port);
  for (let round = 0; round < batches; round += 1) {
    const event = batch(scenario, warmUps + round);
    for (let turn = 0; turn < runs.length; turn += 1) {
      const run = runs[(round + turn) % runs.length];
      if (run === undefined) continue;
      const cost = await run.child.ask<Cost>({ event });
      if (cost.failures > 0) throw new Error(`${run.variant} failed ${cost.failures} messages`);
      run.costs.push(cost);
    }
  }
  const after = await counters(port);
  const figures: ScenarioFigures[] = [];
  for (const { variant, child, costs } of runs) {
    const { peakRssBytes } = await child.ask<Memory>('memory');
    child.stop();
    const messages = batches * batchSize;
    const used = (what: 'calls' | 'writeUnits' | 'readUnits'): number =>
      ((after[variant]?.[what] ?? 0) - (before[variant]?.[what] ?? 0)) / messages;
    figures.push({
      variant,
      ...scenario,
      batches,
      messagesPerSecond: 1000 / (costs.reduce((sum, cost) => sum + cost.wallMs, 0) / messages),
      cpuMs: spread(costs.map((cost) => cost.cpuMs / batchSize)),
      wallMs: spread(costs.map((cost) => cost.wallMs / batchSize)),
      callsPerMessage: used('calls'),
      writeUnitsPerMessage: used('writeUnits'),
      readUnitsPerMessage: used('readUnits'),
      capacityPerMessage: used('writeUnits') + READ_UNIT_IN_WRITE_UNITS * used('readUnits'),
      peakRssBytes,
    });
  }
  return figures;
}

const rounds: Readonly<Record<number, number>> = { 10: 40, 100: 15, 1000: 5 };

async function counters(port: number): Promise<Record<string, Counters>> {
  return (await fetch(`http://127.0.0.1:${port}/__counters`)).json() as Promise<Record<string, Counters>>;
}
