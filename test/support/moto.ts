import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/local/checkout.ts';
import { becomesHealthy } from '../../scripts/local/health.ts';
import { freePort } from '../../scripts/local/port.ts';

export interface Moto {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * moto 5.2.5 stores composite alarms and gives them back, yet does not take them: PutCompositeAlarm leads nowhere, while
 * its PutMetricAlarm reads the rule of a composite, "to re-use this method for composite alarms as well". It is told to.
 * Of the rule nothing is checked; MiniStack, which the upgrade test applies a composite to, parses it.
 */
const WITH_COMPOSITES = `
import sys
from moto.cloudwatch.responses import CloudWatchResponse
if not hasattr(CloudWatchResponse, "put_composite_alarm"):
    CloudWatchResponse.put_composite_alarm = CloudWatchResponse.put_metric_alarm
from moto.server import main
sys.exit(main(sys.argv[1:]))
`;

/**
 * Starts moto, which gives alarms back as they were stored; for CloudWatch alone, since nothing else of it is looked at.
 * It ends with this process.
 */
export async function startMoto(): Promise<Moto> {
  const python = join(root, '.venv', 'bin', 'python');
  if (!existsSync(python)) throw new Error('moto is not installed; run: make install');
  const port = await freePort();
  const child = spawn(python, ['-c', WITH_COMPOSITES, '--host', '127.0.0.1', '--port', String(port)], {
    stdio: 'ignore',
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  const url = `http://127.0.0.1:${port}`;
  if (!(await becomesHealthy(`${url}/moto-api/`, 60_000, () => child.exitCode === null))) {
    end();
    throw new Error('moto does not start');
  }
  return {
    url,
    close: async () => {
      process.off('exit', end);
      const gone = new Promise((resolve) => child.once('exit', resolve));
      end();
      await gone;
    },
  };
}
