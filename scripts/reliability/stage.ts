import { type Clients, connect } from '../../test/support/clients.ts';
import { type FaultProxy, startFaultProxy } from '../../test/support/fault-proxy.ts';
import { invoke } from '../../test/support/invoke.ts';
import { destroyStack, type Stack, startStack } from '../../test/support/stack.ts';
import { waitUntil } from '../../test/support/wait.ts';
import { type LocalAws, localAwsUp } from '../local/local-aws.ts';
import type { Places } from '../promises/evidence.ts';
import { type Commits, watchCommits } from './commits.ts';

/** `examples/orders`, applied, with a proxy of ours as the last thing between its functions and AWS. */
export interface Stage {
  readonly localAws: LocalAws;
  readonly clients: Clients;
  readonly places: Places & { readonly topic_arn: string; readonly queue_arn: string; readonly relay_function: string };
  readonly proxy: FaultProxy;
  readonly commits: Commits;
  /** Removes everything. */
  strike(): Promise<void>;
}

/** Short, so that what was hit comes back soon: after a kill or a timeout a message is hidden for six timeouts. */
export const FUNCTION_TIMEOUT_SECONDS = 5;

const settings = {
  // Of the default's fifty processes a small machine would see little but cold starts.
  maximum_concurrency: 4,
  function_timeout_seconds: FUNCTION_TIMEOUT_SECONDS,
  backoff_base_seconds: 1,
  backoff_cap_seconds: 2,
};

/** @param endpointOf What the functions take for AWS, given the endpoint of our proxy: another proxy before it, or itself. */
export async function setStage(
  name: string,
  endpointOf: (proxyUrl: string) => Promise<string> = async (url) => url,
): Promise<Stage> {
  const localAws = await localAwsUp();
  const clients = connect(localAws.endpoint);
  const commits = watchCommits();
  const proxy = await startFaultProxy(localAws, { observe: commits.observe });
  const close = async () => {
    await proxy.close();
    clients.close();
  };
  let stack: Stack;
  try {
    const environment = { AWS_ENDPOINT_URL: await endpointOf(proxy.url) };
    stack = await startStack(localAws.endpoint, {
      name,
      example: 'examples/orders',
      variables: { name },
      modules: { orders: { ...settings, environment } },
    });
  } catch (error) {
    await close();
    throw error;
  }
  const places = stack.outputs as unknown as Stage['places'];
  // A cold start on a busy machine may take longer than the short timeout; that is no fault that was asked for.
  await waitUntil('the consumer to start', async () => {
    const { error } = await invoke(clients.lambda, places.consumer_function, []);
    return error === undefined;
  });
  return {
    localAws,
    clients,
    places,
    proxy,
    commits,
    strike: async () => {
      await destroyStack(stack).finally(close);
    },
  };
}
