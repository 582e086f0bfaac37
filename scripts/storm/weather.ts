import { mix, Rng } from '../../test/simulation/rng.ts';
import { runThrough, type StressAccount } from '../reliability/run.ts';
import { type Stage, setStage } from '../reliability/stage.ts';
import { createTraffic, type Mixture } from '../reliability/traffic.ts';
import { faults, type StormFault } from './faults.ts';
import { type Microburst, startMicroburst } from './microburst.ts';

/** The deployed pipeline, its calls going through microburst, then through our own proxy, then to AWS. */
export interface StormStage {
  readonly stage: Stage;
  readonly microburst: Microburst;
  strike(): Promise<void>;
}

export async function setStormStage(name: string, seed: number): Promise<StormStage> {
  let microburst: Microburst | undefined;
  try {
    const stage = await setStage(name, async (proxyUrl) => {
      microburst = await startMicroburst(proxyUrl, seed);
      return microburst.url;
    });
    const started = microburst as unknown as Microburst;
    return {
      stage,
      microburst: started,
      strike: async () => {
        await stage.strike().finally(() => started.close());
      },
    };
  } catch (error) {
    await microburst?.close();
    throw error;
  }
}

export interface Weather {
  /** A fault's name, or `mixed`. */
  readonly name: string;
  /** Share of the calls that it hits; mixed, the faults share it. */
  readonly rate: number;
}

export interface StormAccount extends StressAccount {
  readonly weather: Weather;
  readonly calls: number;
  readonly hit: number;
}

/** One scenario: the faults on, the traffic through, the faults off, the verdict. */
export async function storm(
  { stage, microburst }: StormStage,
  weather: Weather,
  mixture: Mixture,
  seed: number,
  log: (line: string) => void,
): Promise<StormAccount> {
  const blowing = weather.name === 'mixed' ? faults : [faultNamed(weather.name)];
  const mixed = blowing.length > 1;
  const rateOf = ({ reach = 1 }: StormFault) => (mixed ? weather.rate / blowing.length / reach : weather.rate);
  const runId = `${weather.name}-${Math.round(weather.rate * 100)}-${Date.now().toString(36)}`;
  const before = await microburst.counts();
  let hit = 0;
  stage.proxy.reset();
  for (const [index, fault] of blowing.entries()) {
    fault.apply?.(stage.proxy, rateOf(fault), new Rng(mix(seed, index)), () => {
      hit += 1;
    });
  }
  await microburst.rules(blowing.flatMap((fault) => fault.rules?.(rateOf(fault)) ?? []));
  let after = before;
  const account = await runThrough(
    stage,
    {
      runId,
      calls: createTraffic(runId, mixture, new Rng(seed)),
      during: async (sending) => {
        await sending;
        return [];
      },
      end: async () => {
        after = await microburst.counts();
        await microburst.rules([]);
        stage.proxy.reset();
      },
      patienceMs: 30_000 + mixture.events * 150,
      redrivesAll: false,
      paceMs: 0,
    },
    log,
  );
  return { ...account, weather, calls: after.calls - before.calls, hit: hit + after.faulted - before.faulted };
}

function faultNamed(name: string): StormFault {
  const fault = faults.find((one) => one.name === name);
  if (fault !== undefined) return fault;
  throw new Error(`no fault is called ${name}; there are ${faults.map((one) => one.name).join(', ')} and mixed`);
}
