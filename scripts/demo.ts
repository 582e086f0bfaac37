/**
 * `make demo`: applies `examples/orders` on local AWS, sends 60 orders the way producers do, kills the consumer between
 * its commit and its publish, and judges the promises. `--runs N` sends the traffic N times on the one stack.
 */
import { parseArgs } from 'node:util';
import { SingleBar } from 'cli-progress';
import { connect } from '../test/support/clients.ts';
import { startFaultProxy } from '../test/support/fault-proxy.ts';
import { startStack } from '../test/support/stack.ts';
import { type Progress, runTraffic } from './demo/run.ts';
import { type LocalAws, localAwsUp, NoLocalAws } from './local/local-aws.ts';
import type { Places } from './promises/evidence.ts';
import { table } from './promises/table.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '1' } } });

/** Short times, so that the messages of the killed function come back while one is still watching. */
const short = { function_timeout_seconds: 8, visibility_timeout_seconds: 30, maximum_concurrency: 4 };

const lookAround = `
  Everything is left running. Look around:
    scripts/look orders    the orders, and what the pipeline remembers of their events
    scripts/look dlq       what failed for good, and why
    scripts/look logs      the last lines that the consumer logged
  make down removes it all.
`;

try {
  const localAws = await localAwsUp();
  console.log(localAws.description);
  process.exitCode = (await demo(localAws, Number(values.runs))) ? 0 : 1;
} catch (error) {
  console.error(error instanceof NoLocalAws ? error.message : error);
  process.exitCode = 1;
}

/** Resolves to whether every promise was kept in every run. */
async function demo(localAws: LocalAws, runs: number): Promise<boolean> {
  const proxy = await startFaultProxy(localAws);
  const clients = connect(localAws.endpoint);
  const apply = (environment: Record<string, string>) =>
    startStack(localAws.endpoint, {
      name: 'demo',
      example: 'examples/orders',
      variables: { environment },
      modules: { orders: short },
    });
  try {
    console.log('Terraform applies examples/orders; the consumer reaches AWS through a proxy that can hold a call ...');
    const places = (await apply({ AWS_ENDPOINT_URL: proxy.url })).outputs as unknown as Places;
    let kept = true;
    for (let run = 1; run <= runs; run += 1) {
      const bar = progressBar();
      const { crash, judgement } = await runTraffic({ clients, localAws, places, proxy }, bar);
      bar.stop();
      console.log(
        `\n  SIGKILL between commit and publish: ${crash.killed} processes ended, ${crash.pending} events were pending\n`,
      );
      console.log(table(judgement));
      kept &&= judgement.verdicts.every(({ against }) => against.length === 0);
    }
    // The proxy ends with this process; what is left running must not need it.
    await apply({});
    console.log(lookAround);
    return kept;
  } finally {
    await proxy.close();
    clients.close();
  }
}

/** A bar for people; a line a step where nobody watches. */
function progressBar(): Progress & { stop(): void } {
  if (!process.stdout.isTTY) {
    let last = '';
    return {
      update: (done, total, phase) => {
        if (phase !== last) console.log(`  ${done}/${total} ${phase}`);
        last = phase;
      },
      stop: () => undefined,
    };
  }
  const bar = new SingleBar({ format: '  [{bar}] {value}/{total}  {phase}', hideCursor: true, barsize: 30 });
  bar.start(1, 0, { phase: '' });
  return {
    update: (done, total, phase) => {
      bar.setTotal(total);
      bar.update(done, { phase: phase.padEnd(60) });
    },
    stop: () => bar.stop(),
  };
}
