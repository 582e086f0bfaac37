import { spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, scratch, scratchFolder } from './checkout.ts';
import { becomesHealthy } from './health.ts';
import { freePort } from './port.ts';
import { endGroup, identify, isRunning, type ProcessIdentity } from './process.ts';
import { type LocalAwsState, rememberedPort } from './state.ts';

const python = join(root, '.venv', 'bin', 'python');

export function ministackIsInstalled(): boolean {
  return existsSync(python) && existsSync(join(dirname(python), 'ministack'));
}

export function ministackHealthUrl(port: number): string {
  return `http://127.0.0.1:${port}/_ministack/health`;
}

/**
 * Starts MiniStack in the background. A port may be taken between looking and listening, so a process that ends before
 * it is healthy is tried again on another one.
 */
export async function startMinistack(): Promise<LocalAwsState> {
  const logPath = scratch('local-aws', 'ministack.log');
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const port = await freePort(attempt === 1 ? rememberedPort() : undefined);
    const log = openSync(logPath, 'w');
    const child = spawn(python, ['-m', 'ministack'], {
      cwd: scratchFolder('local-aws'),
      detached: true,
      env: environment(port),
      stdio: ['ignore', log, log],
    });
    let known: ProcessIdentity | undefined;
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', resolve);
    });
    known = child.pid === undefined ? undefined : identify(child.pid);
    if (known !== undefined) {
      const running = known;
      if (await becomesHealthy(ministackHealthUrl(port), 60_000, () => isRunning(running))) {
        child.unref();
        return { kind: 'ministack', port, process: running };
      }
      await endGroup(running);
    }
  }
  throw new Error(`MiniStack does not start:\n${readFileSync(logPath, 'utf8').slice(-2000)}`);
}

export async function stopMinistack(known: ProcessIdentity): Promise<void> {
  await endGroup(known);
  rmSync(scratch('local-aws', 'tmp'), { recursive: true, force: true });
}

/**
 * Emulated functions inherit this, so it is made from nothing: a NODE_OPTIONS or a real account's credentials of the
 * person at the keyboard must not reach them. The Node.js that runs us comes first, since MiniStack runs `node`.
 */
function environment(port: number): NodeJS.ProcessEnv {
  const temporary = scratchFolder('local-aws', 'tmp');
  // MiniStack unpacks functions below it and runs a CommonJS `_worker.js` there; without a package.json in between, the
  // project's own `"type": "module"` would apply to that file.
  writeFileSync(join(temporary, 'package.json'), '{}');
  return {
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
    HOME: scratchFolder('local-aws', 'home'),
    TMPDIR: temporary,
    LANG: process.env.LANG ?? 'C.UTF-8',
    GATEWAY_PORT: String(port),
    BIND_HOST: '127.0.0.1',
    IOT_MTLS_ENABLED: '0',
    SFTP_ENABLED: '0',
    AWS_DEFAULT_REGION: 'us-east-1',
  };
}
