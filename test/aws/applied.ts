import { randomBytes } from 'node:crypto';
import { isLocal, type Place, testPlace } from '../../scripts/aws/place.ts';
import { type Clients, connect } from '../support/clients.ts';
import { lookAtOrders, type Orders } from '../support/orders.ts';
import { destroyStack, folderOf, type Stack, type StackOptions, startStack } from '../support/stack.ts';
import { type Listener, listenTo } from '../support/subscriber.ts';
import { terraformIn } from '../support/terraform.ts';

/** What local AWS does not have is not skipped there but not written down: a skipped test proves nothing. */
export const local = isLocal();

/** An apply in an account takes minutes, and so does a destroy. */
export const APPLY_MS = 1_200_000;

const EMULATED_ACCOUNT = '000000000000';

/** The orders example, applied as a user applies it: no proxy, nothing imported. */
export interface Applied extends Orders {
  readonly place: Place;
  readonly name: string;
  readonly account: string;
  readonly clients: Clients;
  readonly stack: Stack;
  output(key: string): string;
  destroy(): Promise<void>;
}

export interface AppliedOptions {
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly module?: Readonly<Record<string, unknown>>;
  /** Reads the notifications; the queue that the example subscribes, when left out. */
  readonly listen?: (clients: Clients, outputs: Stack['outputs'], name: string) => Promise<Listener>;
}

/** What an apply that failed left behind is destroyed before this rejects. */
export async function applyOrders({ variables, module = {}, listen }: AppliedOptions): Promise<Applied> {
  const place = await testPlace();
  const account = typeof place === 'string' ? EMULATED_ACCOUNT : place.account;
  const name = `pipeline-test-${randomBytes(4).toString('hex')}`;
  const environment = typeof place === 'string' ? { environment: { AWS_ENDPOINT_URL: place } } : {};
  const options: StackOptions = {
    name,
    account,
    example: 'examples/orders',
    variables: { name, ...variables },
    modules: { orders: { ...environment, ...module } },
  };
  const clients = connect(place);
  try {
    const stack = await startStack(place, options, true);
    const listener = await (listen === undefined
      ? listenTo(clients.sqs, stack.outputs.subscriber_queue_url as string)
      : listen(clients, stack.outputs, name));
    return {
      place,
      name,
      account,
      clients,
      stack,
      output: (key) => stack.outputs[key] as string,
      destroy: () => destroyStack(stack),
      ...lookAtOrders(clients, stack.outputs, listener),
    };
  } catch (error) {
    clients.close();
    const folder = folderOf(options);
    await destroyStack({ folder, terraform: terraformIn(folder, place) });
    throw error;
  }
}
