import { type LocalAws, localAwsUp } from '../../scripts/local/local-aws.ts';
import { type Clients, connect } from '../support/clients.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { lookAtOrders, type Orders } from '../support/orders.ts';
import { destroyStack, type Stack, startStack } from '../support/stack.ts';
import { type Subscriber, subscribe } from '../support/subscriber.ts';

export { lambdaRecord, orderOf } from '../support/orders.ts';

/** The consumer's timeout in these tests: short, so that a crash's visibility timeout (six of it) can be waited for. */
export const TIMEOUT_SECONDS = 5;

/** The orders example on local AWS, its consumer behind a fault proxy, and a subscriber of the test's own. */
export interface OrdersStack extends Orders {
  readonly localAws: LocalAws;
  readonly clients: Clients;
  readonly proxy: FaultProxy;
  readonly stack: Stack;
  readonly subscriber: Subscriber;
  readonly queueUrl: string;
  readonly dlqUrl: string;
  readonly consumer: string;
  readonly relay: string;
  /** Applies again with other arguments of the module. */
  change(module: Readonly<Record<string, unknown>>): Promise<void>;
  remove(): Promise<void>;
}

export interface OrdersStackOptions {
  readonly name: string;
  readonly module?: Readonly<Record<string, unknown>>;
  /** Leaves the queues to the provider, as a user's apply does. */
  readonly plain?: boolean;
}

export async function startOrders({ name, module = {}, plain = false }: OrdersStackOptions): Promise<OrdersStack> {
  const localAws = await localAwsUp();
  const clients = connect(localAws.endpoint);
  const proxy = await startFaultProxy(localAws);
  const base = {
    environment: { AWS_ENDPOINT_URL: proxy.url },
    function_timeout_seconds: TIMEOUT_SECONDS,
    backoff_base_seconds: 1,
    backoff_cap_seconds: 2,
    ...module,
  };
  const apply = (more: Readonly<Record<string, unknown>>) =>
    startStack(
      localAws.endpoint,
      { name, example: 'examples/orders', variables: { name }, modules: { orders: { ...base, ...more } } },
      plain,
    );
  const close = async () => {
    await proxy.close();
    clients.close();
  };
  // What is open keeps the test run alive for ever, also when nothing could be applied.
  const stack = await apply({}).catch(async (error) => {
    await close();
    throw error;
  });
  const output = (key: string) => stack.outputs[key] as string;
  const subscriber = await subscribe(clients, output('topic_arn'), `${name}-test`);

  return {
    localAws,
    clients,
    proxy,
    stack,
    subscriber,
    queueUrl: output('queue_url'),
    dlqUrl: output('dlq_url'),
    consumer: output('consumer_function'),
    relay: output('relay_function'),
    ...lookAtOrders(clients, stack.outputs, subscriber),
    change: async (more) => {
      await apply(more);
    },
    remove: async () => {
      await subscriber.remove();
      await destroyStack(stack);
      await close();
    },
  };
}
