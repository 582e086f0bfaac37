import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LocalAws } from '../../scripts/local/local-aws.ts';
import { awsError, type Operation, operationOf } from './aws-protocol.ts';

/** One call as it went through. */
export interface Call extends Operation {
  readonly body: string;
  readonly at: number;
}

/**
 * What happens to a call that a rule matches.
 *
 * - `hold`: it waits in front of AWS until the rule is released; when its sender dies first, AWS never sees it.
 * - `hold-answer`: AWS executes it, and the answer waits.
 * - `drop-answer`: AWS executes it, and the connection is cut instead of the answer.
 * - `cut`: the connection is cut, and AWS never sees it, as when a service cannot be reached.
 * - `fail`: AWS never sees it; the sender gets an error of that status and code.
 */
export type Fault =
  | { readonly kind: 'hold' | 'hold-answer' | 'drop-answer' | 'cut' }
  | { readonly kind: 'fail'; readonly status: number; readonly code: string };

export interface RuleOptions {
  /** How many calls it takes before it is spent; the default is every one. */
  readonly times?: number;
  /** Which of the calls to the operation; the default is all. */
  readonly when?: (call: Call) => boolean;
}

export interface Rule {
  /** The calls that it took, in order. */
  readonly calls: readonly Call[];
  /** Resolves with the first call that it takes; for a held one, that is while it is held. */
  readonly first: Promise<Call>;
  /** Lets what is held go on, and takes no further call. */
  release(): void;
}

export interface FaultProxy {
  /** What the function's AWS_ENDPOINT_URL is set to. */
  readonly url: string;
  /** Everything that was asked since the last `reset`, matched or not. */
  readonly calls: readonly Call[];
  /** The newest rule that matches a call wins. */
  on(operation: string | readonly string[], fault: Fault, options?: RuleOptions): Rule;
  /** Releases every rule and forgets every call. */
  reset(): void;
  close(): Promise<void>;
}

interface ActiveRule extends Rule {
  take(call: Call): Fault | undefined;
  readonly released: Promise<void>;
}

/**
 * A proxy between the function and AWS which does to chosen calls what networks and crashes do, at a moment that a test
 * can choose and see. A function in a container of LocalStack's reaches it under the host's name for containers.
 */
export async function startFaultProxy({ endpoint, kind }: Pick<LocalAws, 'endpoint' | 'kind'>): Promise<FaultProxy> {
  const [listenAt, name] = kind === 'localstack' ? ['0.0.0.0', 'host.docker.internal'] : ['127.0.0.1', '127.0.0.1'];
  let rules: readonly ActiveRule[] = [];
  let calls: Call[] = [];

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readAll(incoming);
    const call: Call = { ...operationOf(incoming.headers, body), body: body.toString('utf8'), at: Date.now() };
    calls.push(call);
    for (const rule of rules) {
      const fault = rule.take(call);
      if (fault !== undefined) return apply(fault, rule, call, incoming, outgoing, body);
    }
    return pass(incoming, outgoing, body, endpoint);
  }

  async function apply(
    fault: Fault,
    rule: ActiveRule,
    call: Call,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    body: Buffer,
  ): Promise<void> {
    switch (fault.kind) {
      case 'hold':
        await rule.released;
        return outgoing.destroyed ? undefined : pass(incoming, outgoing, body, endpoint);
      case 'hold-answer':
        return pass(incoming, outgoing, body, endpoint, () => rule.released);
      case 'drop-answer':
        return pass(incoming, outgoing, body, endpoint, async () => {
          outgoing.destroy();
        });
      case 'cut':
        outgoing.destroy();
        return;
      case 'fail': {
        const { contentType, text } = awsError(call, fault.code);
        outgoing.writeHead(fault.status, { 'content-type': contentType });
        outgoing.end(text);
        return;
      }
    }
  }

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, listenAt, resolve));
  const { port } = server.address() as AddressInfo;
  const reset = () => {
    for (const rule of rules) rule.release();
    rules = [];
    calls = [];
  };
  return {
    url: `http://${name}:${port}`,
    get calls() {
      return calls;
    },
    on: (operation, fault, options = {}) => {
      const rule = createRule(typeof operation === 'string' ? [operation] : operation, fault, options);
      rules = [rule, ...rules];
      return rule;
    },
    reset,
    close: async () => {
      reset();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createRule(operations: readonly string[], fault: Fault, options: RuleOptions): ActiveRule {
  const calls: Call[] = [];
  const first = Promise.withResolvers<Call>();
  const released = Promise.withResolvers<void>();
  let left = options.times ?? Number.POSITIVE_INFINITY;
  return {
    calls,
    first: first.promise,
    released: released.promise,
    release: () => {
      left = 0;
      released.resolve();
    },
    take: (call) => {
      if (left === 0 || !operations.includes(call.operation) || options.when?.(call) === false) return undefined;
      left -= 1;
      calls.push(call);
      first.resolve(call);
      return fault;
    },
  };
}

/** Sends the call on and its answer back; `beforeAnswer` runs when AWS has executed it and answered in full. */
async function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  body: Buffer,
  endpoint: string,
  beforeAnswer: () => Promise<void> = async () => {},
): Promise<void> {
  const target = new URL(endpoint);
  const upstream = request({
    host: target.hostname,
    port: target.port,
    method: incoming.method,
    path: incoming.url,
    headers: { ...incoming.headers, host: target.host, connection: 'close' },
  });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    upstream.once('response', resolve);
    upstream.once('error', reject);
    upstream.end(body);
  });
  const content = await readAll(answer);
  await beforeAnswer();
  if (outgoing.destroyed) return;
  const { 'transfer-encoding': _chunked, connection: _connection, ...headers } = answer.headers;
  outgoing.writeHead(answer.statusCode ?? 502, { ...headers, 'content-length': content.length });
  outgoing.end(content);
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
