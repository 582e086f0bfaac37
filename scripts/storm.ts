/**
 * `make storm`: the deployed pipeline on local AWS behind proxies that inject faults, each alone and all mixed, and the
 * promises judged by tables, subscriber and dead-letter queue. Exits with 1 when one breaks.
 *
 *   scripts/node scripts/storm.ts [--events 2000] [--faults throttle,conflict,mixed] [--rates 5,30] [--quick]
 *
 * SEED=... repeats the draws of a run; in which order calls reach a proxy is up to the machine.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './local/checkout.ts';
import { broken } from './reliability/run.ts';
import { faults } from './storm/faults.ts';
import { markdown } from './storm/report.ts';
import { type StormAccount, setStormStage, storm, type Weather } from './storm/weather.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string' },
    faults: { type: 'string' },
    rates: { type: 'string' },
    quick: { type: 'boolean', default: false },
    name: { type: 'string', default: 'storm' },
  },
});
const events = Number(values.events ?? (values.quick ? 150 : 2000));
const names = (values.faults ?? (values.quick ? 'mixed' : ['mixed', ...faults.map(({ name }) => name)].join())).split(
  ',',
);
const rates = (values.rates ?? (values.quick ? '30' : '5,30')).split(',').map((percent) => Number(percent) / 100);
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const matrix: readonly Weather[] = names.flatMap((name) => rates.map((rate) => ({ name, rate })));

console.log(`SEED=${seed}; ${events} events, 10 % of them sent twice, 2 % poison; ${matrix.length} scenarios`);
const stage = await setStormStage(values.name, seed);
const accounts: StormAccount[] = [];
const reports = join(root, 'reports');
mkdirSync(reports, { recursive: true });
try {
  console.log(`${stage.stage.localAws.description}; examples/orders is applied`);
  for (const [index, weather] of matrix.entries()) {
    const label = `${weather.name} at ${weather.rate * 100} %`;
    const mixture = { events, duplicates: 0.1, poison: 0.02 };
    const log = (line: string) => console.log(`  ${label}: ${line}`);
    const account = await storm(stage, weather, mixture, seed + index, log);
    accounts.push(account);
    // After each scenario: a long run that is interrupted has not been for nothing.
    writeFileSync(join(reports, `${values.name}.md`), `${markdown(accounts)}\n`);
    const against = broken(account);
    console.log(
      `${against.length === 0 ? 'ok  ' : 'FAIL'} ${label}: ${account.hit} of ${account.calls} calls hit, ${account.stormSeconds.toFixed(0)} s`,
    );
    for (const line of against.slice(0, 20)) console.log(`     ${line}`);
  }
} finally {
  await stage.strike();
}
console.log(`\n${markdown(accounts)}`);
process.exitCode = accounts.every((account) => broken(account).length === 0) ? 0 : 1;
