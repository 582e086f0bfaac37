import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { root } from './checkout.ts';
import { becomesHealthy } from './health.ts';
import { freePort } from './port.ts';
import { type LocalAwsState, rememberedPort } from './state.ts';

/** Compose's name for what belongs to this checkout; two checkouts have two. */
const composeProject = `idempotent-pipeline-${createHash('sha256').update(root).digest('hex').slice(0, 8)}`;
const composeFile = join(root, 'scripts', 'local', 'localstack.compose.yaml');

/** The command line client alone is often installed; only an engine that answers, with compose, is of use. */
export function dockerEngineAnswers(): boolean {
  return ['info', 'compose version'].every(
    (command) => spawnSync('docker', command.split(' '), { stdio: 'ignore', timeout: 10_000 }).status === 0,
  );
}

export function localstackHealthUrl(port: number): string {
  return `http://127.0.0.1:${port}/_localstack/health`;
}

export async function startLocalstack(): Promise<LocalAwsState> {
  const port = await freePort(rememberedPort());
  compose(port, 'up', '--detach');
  if (!(await becomesHealthy(localstackHealthUrl(port), 180_000, () => containerRuns(composeProject)))) {
    compose(port, 'down', '--volumes');
    throw new Error('LocalStack does not become healthy; look at it with: docker compose up');
  }
  return { kind: 'localstack', port, composeProject };
}

export function containerRuns(project: string): boolean {
  const filter = `label=com.docker.compose.project=${project}`;
  const { stdout } = spawnSync('docker', ['ps', '--quiet', '--filter', filter], { encoding: 'utf8', timeout: 10_000 });
  return (stdout ?? '').trim() !== '';
}

export function stopLocalstack(port: number): void {
  compose(port, 'down', '--volumes');
}

function compose(port: number, ...args: string[]): void {
  execFileSync('docker', ['compose', '--project-name', composeProject, '--file', composeFile, ...args], {
    env: { ...process.env, LOCALSTACK_PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
