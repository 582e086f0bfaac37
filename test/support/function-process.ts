import { execFileSync } from 'node:child_process';
import { scratchFolder } from '../../scripts/local/checkout.ts';
import type { LocalAws } from '../../scripts/local/local-aws.ts';
import { identify, isRunning } from '../../scripts/local/process.ts';
import { waitUntil } from './wait.ts';

/** What one run of an emulated function is: a process for MiniStack, a container for LocalStack. */
type FunctionRun = { readonly pid: number } | { readonly container: string };

/** Everything that runs the function now. A warm function has at least one run, a busy one several. */
export function functionRuns(functionName: string, localAws: LocalAws): readonly FunctionRun[] {
  return localAws.kind === 'localstack' ? containers(functionName) : processes(functionName, localAws);
}

/**
 * Kills every run of the function from outside with SIGKILL, which no code of it can notice, and resolves once they are
 * gone. Resolves to what was killed.
 */
export async function killFunction(functionName: string, localAws: LocalAws): Promise<readonly FunctionRun[]> {
  const runs = functionRuns(functionName, localAws);
  await Promise.all(runs.map(kill));
  return runs;
}

async function kill(run: FunctionRun): Promise<void> {
  if ('container' in run) {
    execFileSync('docker', ['kill', '--signal', 'KILL', run.container], { stdio: 'ignore' });
    await waitUntil(`container ${run.container} to be gone`, () => !listContainers().includes(run.container));
    return;
  }
  const identity = identify(run.pid);
  if (identity === undefined) return;
  process.kill(run.pid, 'SIGKILL');
  await waitUntil(`process ${run.pid} to be gone`, () => !isRunning(identity), { timeoutMs: 10_000, everyMs: 10 });
}

/**
 * MiniStack runs a function as `node FOLDER/ministack-lambda-NAME-RANDOM/_worker.js`. The folder of the one that this
 * checkout started is its own scratch folder, so a function of the same name in another checkout is never touched.
 */
function processes(functionName: string, { kind }: LocalAws): readonly FunctionRun[] {
  const folder = kind === 'ministack' ? literally(scratchFolder('local-aws', 'tmp')) : '';
  const worker = new RegExp(`${folder}/ministack-lambda-${literally(functionName)}-[a-z0-9_]{8}/_worker\\.`);
  return execFileSync('ps', ['-axww', '-o', 'pid=,args='], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    .split('\n')
    .filter((line) => worker.test(line))
    .map((line) => ({ pid: Number.parseInt(line, 10) }));
}

/** LocalStack names the containers of a function `MAIN-lambda-NAME-RANDOM`. */
function containers(functionName: string): readonly FunctionRun[] {
  const name = new RegExp(`-lambda-${literally(functionName.toLowerCase())}-[0-9a-f]+$`);
  return listContainers()
    .filter((container) => name.test(container))
    .map((container) => ({ container }));
}

function listContainers(): readonly string[] {
  return execFileSync('docker', ['ps', '--format', '{{.Names}}'], { encoding: 'utf8' }).trim().split('\n');
}

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
