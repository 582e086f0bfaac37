import type { Rng } from '../../test/simulation/rng.ts';
import type { DisturbanceName } from './disturbances.ts';

export interface Step {
  /** Milliseconds to wait before it. */
  readonly afterMs: number;
  readonly name: DisturbanceName;
}

const QUICK: Readonly<Record<DisturbanceName, number>> = {
  kill: 4,
  redeploy: 1,
  'short timeout': 1,
  'topic deleted': 1,
  redrive: 1,
};

const LONG: Readonly<Record<DisturbanceName, number>> = {
  kill: 15,
  redeploy: 4,
  'short timeout': 3,
  'topic deleted': 2,
  redrive: 1,
};

/** Every disturbance at least once, in an order and at moments that the seed chooses. The second redrive ends each run. */
export function chaosPlan(rng: Rng, quick: boolean): readonly Step[] {
  const names = Object.entries(quick ? QUICK : LONG).flatMap(([name, times]) => Array<string>(times).fill(name));
  for (let i = names.length - 1; i > 0; i -= 1) {
    const j = rng.int(0, i);
    [names[i], names[j]] = [names[j] as string, names[i] as string];
  }
  // The first redrive comes when there is something to redrive.
  names.splice(names.indexOf('redrive'), 1);
  names.splice(Math.floor((names.length * 3) / 4), 0, 'redrive');
  return names.map((name) => ({ afterMs: rng.int(200, 2500), name: name as DisturbanceName }));
}
