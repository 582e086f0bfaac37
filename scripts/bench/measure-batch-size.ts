import type { SQSEvent } from 'aws-lambda';
import { type Benchmark, VARIANTS, type Variant } from './build.ts';
import { Child } from './child.ts';
import { environment } from './environment.ts';
import { batch, type Scenario } from './events.ts';
import { type ScenarioFigures, spread } from './figures.ts';
import type { Counters } from './stub.ts';
import type { Cost, Memory } from './worker.ts';

const READ_UNIT_IN_WRITE_UNITS = 0.2;

/**
 * Calls to AWS that each variant makes before its clock runs. Machine code is made by calls, and most of the code that a
 * batch runs is that of the SDK; counted in messages, the pipeline would begin with a twentieth of the others' practice.
 * The pipeline takes no less CPU after 5,000, (b) and (c) go on to fall until about this many.
 */
export const WARM_UP_CALLS = 20_000;
const QUICK_WARM_UP_CALLS = 100;
/** Calls of each share of duplicates before its clock runs: adaptive sizes settle, and look-ups get their practice. */
export const SETTLE_CALLS = 1_500;
/** Where all begin to be measured, however many batches their calls took: on the same events. */
const FIRST_MEASURED = 10_000;

/** Measured batches, and how many of them make a turn: a busy container gets one after the other, without a pause. */
const BATCHES: Readonly<Record<number, number>> = { 10: 60, 100: 40, 1000: 8 };
const TURN: Readonly<Record<number, number>> = { 10: 10, 100: 5, 1000: 2 };
/** The sequential variant takes 20 s for a batch of 1,000 and sits most turns out. */
const SEQUENTIAL_BATCHES: Readonly<Record<number, number>> = { 10: 30, 100: 5, 1000: 1 };

interface Run {
  readonly variant: Variant;
  readonly child: Child;
}

/** All variants at one batch size, in one process each, through all shares of duplicates. */
export async function measureBatchSize(
  batchSize: number,
  shares: readonly number[],
  built: Benchmark,
  port: number,
  quick: boolean,
): Promise<ScenarioFigures[]> {
  await fetch(`http://127.0.0.1:${port}/__reset`);
  const runs: Run[] = VARIANTS.map((variant) => ({
    variant,
    child: new Child(built.harness.worker, [built.functions[variant].file], environment(variant, port), [
      '--expose-gc',
    ]),
  }));
  await Promise.all(runs.map((run) => warmUp(run, batchSize, port, quick ? QUICK_WARM_UP_CALLS : WARM_UP_CALLS)));
  const figures: ScenarioFigures[] = [];
  for (const duplicates of shares) {
    figures.push(...(await measureScenario({ batchSize, duplicates }, runs, port, quick)));
  }
  for (const { child } of runs) child.stop();
  return figures;
}

async function warmUp({ variant, child }: Run, batchSize: number, port: number, calls: number): Promise<void> {
  await child.first;
  for (let index = 0; (await callsOf(variant, port)) < calls; index += 1) {
    await ask(variant, child, batch({ batchSize, duplicates: 0, series: 'early' }, index));
  }
}

/** The variants take turns; the order rotates, so that none is always the first. */
async function measureScenario(
  scenario: Scenario,
  runs: readonly Run[],
  port: number,
  quick: boolean,
): Promise<ScenarioFigures[]> {
  const { batchSize } = scenario;
  for (const { variant, child } of runs) {
    // (a) adapts to nothing, and would take a minute.
    const calls = quick || variant === 'sequential' ? 0 : (await callsOf(variant, port)) + SETTLE_CALLS;
    for (let index = 0; (await callsOf(variant, port)) < calls; index += 1) {
      await ask(variant, child, batch(scenario, index));
    }
    // The duplicates of a batch are events of the batch before.
    await ask(variant, child, batch(scenario, FIRST_MEASURED - 1));
  }
  const before = await counters(port);
  const costs = Object.fromEntries(runs.map(({ variant }) => [variant, [] as Cost[]])) as Record<Variant, Cost[]>;
  const batches = quick ? 2 : (BATCHES[batchSize] ?? 10);
  const turn = quick ? 1 : (TURN[batchSize] ?? 1);
  for (let start = 0; start < batches; start += turn) {
    for (let place = 0; place < runs.length; place += 1) {
      const { variant, child } = runs[(start / turn + place) % runs.length] as Run;
      const last = variant === 'sequential' ? (SEQUENTIAL_BATCHES[batchSize] ?? 1) : batches;
      for (let index = start; index < Math.min(start + turn, last); index += 1) {
        costs[variant].push(await ask(variant, child, batch(scenario, FIRST_MEASURED + index)));
      }
    }
  }
  const after = await counters(port);
  const figures: ScenarioFigures[] = [];
  for (const { variant, child } of runs) {
    const { peakRssBytes } = await child.ask<Memory>('memory');
    const own = costs[variant];
    const messages = own.length * batchSize;
    const used = (what: 'calls' | 'writeUnits' | 'readUnits'): number =>
      ((after[variant]?.[what] ?? 0) - (before[variant]?.[what] ?? 0)) / messages;
    figures.push({
      variant,
      batchSize,
      duplicates: scenario.duplicates,
      batches: own.length,
      messagesPerSecond: 1000 / (own.reduce((sum, cost) => sum + cost.wallMs, 0) / messages),
      cpuMs: spread(own.map((cost) => cost.cpuMs / batchSize)),
      wallMs: spread(own.map((cost) => cost.wallMs / batchSize)),
      callsPerMessage: used('calls'),
      writeUnitsPerMessage: used('writeUnits'),
      readUnitsPerMessage: used('readUnits'),
      capacityPerMessage: used('writeUnits') + READ_UNIT_IN_WRITE_UNITS * used('readUnits'),
      peakRssBytes,
    });
  }
  return figures;
}

async function ask(variant: Variant, child: Child, event: SQSEvent): Promise<Cost> {
  const cost = await child.ask<Cost>({ event });
  if (cost.failures > 0) throw new Error(`${variant} failed ${cost.failures} messages`);
  return cost;
}

async function callsOf(variant: Variant, port: number): Promise<number> {
  return (await counters(port))[variant]?.calls ?? 0;
}

async function counters(port: number): Promise<Record<string, Counters>> {
  return (await fetch(`http://127.0.0.1:${port}/__counters`)).json() as Promise<Record<string, Counters>>;
}
