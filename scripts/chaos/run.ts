import { setTimeout as sleep } from 'node:timers/promises';
import { mix, Rng } from '../../test/simulation/rng.ts';
import { runThrough, type StressAccount } from '../reliability/run.ts';
import type { Stage } from '../reliability/stage.ts';
import { createTraffic, type Mixture } from '../reliability/traffic.ts';
import { type Disturbed, disturbances } from './disturbances.ts';
import { chaosPlan, type Step } from './plan.ts';

export interface ChaosRun {
  readonly account: StressAccount;
  readonly plan: readonly Step[];
  readonly killed: number;
}

/** The traffic, spread over the time that the disturbances take, and everything done to the functions meanwhile. */
export async function chaos(
  stage: Stage,
  mixture: Mixture,
  seed: number,
  quick: boolean,
  log: (line: string) => void,
): Promise<ChaosRun> {
  const runId = `chaos-${Date.now().toString(36)}`;
  const plan = chaosPlan(new Rng(mix(seed, 1)), quick);
  const calls = createTraffic(runId, mixture, new Rng(seed));
  const disturbed: Disturbed = { killed: 0, redrives: [] };
  const rng = new Rng(mix(seed, 2));
  // The waits between disturbances, less than what they take themselves: traffic flows until near the end.
  const spread = plan.reduce((sum, { afterMs }) => sum + afterMs, 0);
  const account = await runThrough(
    stage,
    {
      runId,
      calls,
      during: async () => {
        for (const { afterMs, name } of plan) {
          await sleep(afterMs);
          log(name);
          await disturbances[name](stage, rng, disturbed);
        }
        return disturbed.redrives;
      },
      end: async () => stage.proxy.reset(),
      patienceMs: 0,
      redrivesAll: true,
      paceMs: spread / calls.length,
    },
    log,
  );
  return { account, plan, killed: disturbed.killed };
}
