import { answers, becomesHealthy } from './health.ts';
import {
  containerRuns,
  dockerEngineAnswers,
  localstackHealthUrl,
  startLocalstack,
  stopLocalstack,
} from './localstack.ts';
import { ministackHealthUrl, ministackIsInstalled, startMinistack, stopMinistack } from './ministack.ts';
import { isRunning } from './process.ts';
import { forgetState, type LocalAwsState, readState, writeState } from './state.ts';

export interface LocalAws {
  /** `given` is whatever AWS_ENDPOINT_URL points at: ours to use, never to start or to stop. */
  readonly kind: 'given' | 'localstack' | 'ministack';
  readonly endpoint: string;
  readonly description: string;
}

/** A failure that a person can act on; shown without a stack. */
export class NoLocalAws extends Error {
  override readonly name = 'NoLocalAws';
}

/** Uses what is given or already runs, else starts the first that this machine can run. Resolves when it is healthy. */
export async function localAwsUp(env: NodeJS.ProcessEnv = process.env): Promise<LocalAws> {
  const running = await localAwsStatus(env);
  if (running !== undefined) return running;
  const stale = readState();
  if (stale !== undefined) await stop(stale);
  const state = await start(env.LOCAL_AWS);
  writeState(state);
  return describe(state);
}

/** What would be used now, without starting anything; undefined when nothing runs. */
export async function localAwsStatus(env: NodeJS.ProcessEnv = process.env): Promise<LocalAws | undefined> {
  const given = env.AWS_ENDPOINT_URL;
  if (given !== undefined && given !== '') {
    if (!(await answers(given))) {
      throw new NoLocalAws(`Nothing answers at ${given} (AWS_ENDPOINT_URL). Start it, or unset the variable.`);
    }
    return { kind: 'given', endpoint: given, description: `Local AWS: ${given}, as AWS_ENDPOINT_URL says` };
  }
  const state = readState();
  if (state === undefined || !isAlive(state)) return undefined;
  const url = state.kind === 'ministack' ? ministackHealthUrl(state.port) : localstackHealthUrl(state.port);
  // Patient: on a busy machine an emulator in full work is slow to answer, and whoever calls this restarts a dead one.
  return (await becomesHealthy(url, 30_000, () => isAlive(state))) ? describe(state) : undefined;
}

/** Stops what this checkout started; what it did not start is left alone. */
export async function localAwsDown(): Promise<LocalAwsState['kind'] | undefined> {
  const state = readState();
  if (state === undefined) return undefined;
  await stop(state);
  return state.kind;
}

async function start(wanted: string | undefined): Promise<LocalAwsState> {
  if (wanted !== undefined && !['', 'localstack', 'ministack'].includes(wanted)) {
    throw new NoLocalAws(`LOCAL_AWS is "${wanted}"; write localstack or ministack, or unset it.`);
  }
  if (wanted !== 'ministack' && dockerEngineAnswers()) return startLocalstack();
  if (wanted !== 'localstack' && ministackIsInstalled()) return startMinistack();
  throw new NoLocalAws(
    [
      'No local AWS to be had. One of these is enough:',
      '  - run `make install`, which puts MiniStack into .venv (needs Python 3 with venv);',
      '  - install Docker with its compose plugin and start the engine, for LocalStack;',
      '  - set AWS_ENDPOINT_URL to an endpoint that speaks the AWS API.',
    ].join('\n'),
  );
}

async function stop(state: LocalAwsState): Promise<void> {
  if (state.kind === 'ministack') await stopMinistack(state.process);
  else if (containerRuns(state.composeProject)) stopLocalstack(state.port);
  forgetState();
}

function isAlive(state: LocalAwsState): boolean {
  return state.kind === 'ministack' ? isRunning(state.process) : containerRuns(state.composeProject);
}

function describe(state: LocalAwsState): LocalAws {
  const endpoint = `http://127.0.0.1:${state.port}`;
  const [name, detail] =
    state.kind === 'ministack' ? ['MiniStack', `process ${state.process.pid}`] : ['LocalStack', state.composeProject];
  return { kind: state.kind, endpoint, description: `Local AWS: ${name} at ${endpoint} (${detail})` };
}
