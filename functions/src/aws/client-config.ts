import { NodeHttpHandler } from '@smithy/node-http-handler';

/**
 * The SDK waits for ever unless it is told not to, and a `requestTimeout` alone only prints a warning: without
 * `throwOnRequestTimeout` one silent connection would hold a whole batch until Lambda stops the function.
 */
const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 3_000;
const MAX_ATTEMPTS = 3;

/** Connections are kept open between calls and invocations; each client has its own. */
export function clientConfig(): { readonly requestHandler: NodeHttpHandler; readonly maxAttempts: number } {
  const requestHandler = new NodeHttpHandler({
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
  });
  return { requestHandler, maxAttempts: MAX_ATTEMPTS };
}

interface Client {
  readonly middlewareStack: { remove(name: string): boolean };
}

/** The SDK's logger copies the request of every failed call, 100 actions of a cancelled transaction, to drop it then. */
export function withoutLogger<T extends Client>(client: T): T {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
