/**
 * `make chaos`: the deployed pipeline on local AWS under traffic, while processes of its function are killed, its code is
 * deployed again, its timeout is too short for a while, its topic is deleted and comes back, and its dead-letter queue is
 * redriven twice. Prints the account and exits with 1 when a promise breaks.
 *
 *   scripts/node scripts/chaos.ts [--events 2000] [--runs 1] [--quick]
 *
 * SEED=... repeats the disturbances and their moments; what they meet is up to the machine.
 */
import { parseArgs } from 'node:util';
import { chaosAccount } from './chaos/report.ts';
import { chaos } from './chaos/run.ts';
import { broken } from './reliability/run.ts';
import { setStage } from './reliability/stage.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string' },
    runs: { type: 'string', default: '1' },
    quick: { type: 'boolean', default: false },
    name: { type: 'string', default: 'chaos' },
  },
});
const events = Number(values.events ?? (values.quick ? 150 : 2000));
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

console.log(`SEED=${seed}; ${events} events, 10 % of them sent twice, 2 % poison`);
const stage = await setStage(values.name);
try {
  console.log(`${stage.localAws.description}; examples/orders is applied`);
  const mixture = { events, duplicates: 0.1, poison: 0.02 };
  process.exitCode = 0;
  for (let run = 0; run < Number(values.runs); run += 1) {
    const log = (line: string) => console.log(`  ${line}`);
    const { account, plan, killed } = await chaos(stage, mixture, seed + run, values.quick, log);
    console.log(chaosAccount(account, plan, killed));
    const against = broken(account);
    for (const line of against.slice(0, 50)) console.log(`  ${line}`);
    if (against.length > 0) process.exitCode = 1;
  }
} finally {
  await stage.strike();
}
