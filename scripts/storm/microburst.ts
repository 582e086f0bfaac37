import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../local/checkout.ts';
import { becomesHealthy } from '../local/health.ts';
import { freePort } from '../local/port.ts';

/** A rule of microburst's: https://github.com/pingedbrain/microburst#rules */
export type MicroburstRule = Readonly<Record<string, unknown>>;

export interface Microburst {
  readonly url: string;
  /** Replaces all rules. */
  rules(rules: readonly MicroburstRule[]): Promise<void>;
  /** How many calls came, and how many of them met a fault, since it started. */
  counts(): Promise<{ readonly calls: number; readonly faulted: number }>;
  close(): Promise<void>;
}

/** Its draws are those of Python's own generator, which its command line has no option to seed. */
const SEEDED = `
import random, sys
random.seed(int(sys.argv.pop(1)))
from microburst.cli import main
sys.exit(main())
`;

/** Starts microburst in front of an endpoint. It ends with this process. */
export async function startMicroburst(upstream: string, seed: number): Promise<Microburst> {
  const python = join(root, '.venv', 'bin', 'python');
  if (!existsSync(python)) throw new Error('microburst is not installed; run: make install');
  const port = await freePort();
  const child = spawn(python, ['-c', SEEDED, String(seed), '--upstream', upstream, '--port', String(port)], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  const url = `http://127.0.0.1:${port}`;
  const control = `${url}/_microburst`;
  if (!(await becomesHealthy(`${control}/health`, 60_000, () => child.exitCode === null))) {
    end();
    throw new Error('microburst does not start');
  }
  return {
    url,
    rules: async (rules) => {
      const body = JSON.stringify(rules);
      const answer = await fetch(`${control}/rules`, { method: 'POST', body });
      if (!answer.ok) throw new Error(`microburst refuses its rules: ${await answer.text()}`);
    },
    counts: async () => {
      const { requests } = (await (await fetch(`${control}/stats`)).json()) as {
        requests: { total: number; faulted: number };
      };
      return { calls: requests.total, faulted: requests.faulted };
    },
    close: async () => {
      process.off('exit', end);
      const gone = new Promise((resolve) => child.once('exit', resolve));
      end();
      await gone;
    },
  };
}
