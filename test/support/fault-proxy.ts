import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
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
 * - `delay`: it reaches AWS that much later, also when its sender has given up by then, as on a real network.
 * - `answer`: AWS never sees it; the sender gets what `of` makes of the call. Undefined: nothing happens to this call.
 * - `change`: AWS gets another body, and the sender another answer. Undefined: nothing happens to this call.
 */
export type Fault =
  | { readonly kind: 'hold' | 'hold-answer' | 'drop-answer' | 'cut' }
  | { readonly kind: 'fail'; readonly status: number; readonly code: string }
  | { readonly kind: 'delay'; readonly ms: () => number }
  | { readonly kind: 'answer'; readonly of: (call: Call) => Answer | undefined }
  | { readonly kind: 'change'; readonly of: (call: Call) => Change | undefined };

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

export interface Change {
  readonly body: string;
  /** What the sender gets in place of what AWS answered to the changed call. */
  answer(text: string): string;
}

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

export interface ProxyOptions {
  /** Told of each call that AWS executed or refused, whether or not its sender ever hears of it. */
  readonly observe?: (call: Call, status: number) => void;
}

export interface FaultProxy {
  /** What the function's AWS_ENDPOINT_URL is set to. */
  readonly url: string;
  /** Everything that was asked since the last `reset`, matched or not. */
  readonly calls: readonly Call[];
  /** How many calls of these operations AWS has and has not answered: a rule comes too late for them. */
  underWay(operations: readonly string[]): number;
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
export async function startFaultProxy(
  { endpoint, kind }: Pick<LocalAws, 'endpoint' | 'kind'>,
  { observe = () => undefined }: ProxyOptions = {},
): Promise<FaultProxy> {
  const [listenAt, name] = kind === 'localstack' ? ['0.0.0.0', 'host.docker.internal'] : ['127.0.0.1', '127.0.0.1'];
  let rules: readonly ActiveRule[] = [];
  let calls: Call[] = [];
  const underWay = new Set<Call>();

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readAll(incoming);
    const call: Call = { ...operationOf(incoming.headers, body), body: body.toString('utf8'), at: Date.now() };
    calls.push(call);
    for (const rule of rules) {
      const fault = rule.take(call);
      if (fault !== undefined) return apply(fault, rule, call, incoming, outgoing);
    }
    return reply(outgoing, await forward(call, incoming));
  }

  async function apply(
    fault: Fault,
    rule: ActiveRule,
    call: Call,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> {
    switch (fault.kind) {
      case 'hold':
        await rule.released;
        return (await hasHungUp(incoming)) ? undefined : reply(outgoing, await forward(call, incoming));
      case 'hold-answer': {
        const answer = await forward(call, incoming);
        await rule.released;
        return reply(outgoing, answer);
      }
      case 'drop-answer':
        await forward(call, incoming);
        outgoing.destroy();
        return;
      case 'cut':
        outgoing.destroy();
        return;
      case 'fail': {
        const { contentType, text } = awsError(call, fault.code);
        return reply(outgoing, made({ status: fault.status, contentType, text }));
      }
      case 'delay':
        await sleep(fault.ms());
        return reply(outgoing, await forward(call, incoming));
      case 'answer': {
        const answer = fault.of(call);
        return reply(outgoing, answer === undefined ? await forward(call, incoming) : made(answer));
      }
      case 'change': {
        const change = fault.of(call);
        if (change === undefined) return reply(outgoing, await forward(call, incoming));
        const answer = await forward({ ...call, body: change.body }, incoming);
        // What AWS refuses as a whole is passed on as it is.
        if (answer.status !== 200) return reply(outgoing, answer);
        const content = Buffer.from(change.answer(answer.content.toString('utf8')));
        return reply(outgoing, { ...answer, content });
      }
    }
  }

  /** Resolves when AWS has executed the call and answered in full. */
  async function forward(call: Call, incoming: IncomingMessage): Promise<Received> {
    underWay.add(call);
    try {
      const answer = await ask(endpoint, incoming, call.body);
      observe(call, answer.status);
      return answer;
    } finally {
      underWay.delete(call);
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
    underWay: (operations) => [...underWay].filter(({ operation }) => operations.includes(operation)).length,
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

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly content: Buffer;
}

function made({ status, contentType, text }: Answer): Received {
  return { status, headers: { 'content-type': contentType }, content: Buffer.from(text) };
}

async function ask(endpoint: string, { method, url, headers }: IncomingMessage, body: string): Promise<Received> {
  const target = new URL(endpoint);
  const content = Buffer.from(body);
  const { 'transfer-encoding': _chunked, ...kept } = headers;
  const upstream = request({
    host: target.hostname,
    port: target.port,
    method,
    path: url,
    headers: { ...kept, host: target.host, connection: 'close', 'content-length': content.length },
  });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    upstream.once('response', resolve);
    upstream.once('error', reject);
    upstream.end(content);
  });
  return { status: answer.statusCode ?? 502, headers: answer.headers, content: await readAll(answer) };
}

/**
 * Whether the sender of a call is gone. Its end lies in the socket by the time that its process is gone, yet Node.js
 * reads it on a later turn; who releases a rule right after a kill would else see a dead sender's call executed.
 */
async function hasHungUp({ socket }: IncomingMessage): Promise<boolean> {
  await sleep(50);
  return socket.destroyed || socket.readableEnded;
}

/** The checksum of DynamoDB's answers is left out: it would be that of another body when we change one. */
function reply(outgoing: ServerResponse, { status, headers, content }: Received): void {
  if (outgoing.destroyed) return;
  const { 'transfer-encoding': _chunked, connection: _connection, 'x-amz-crc32': _checksum, ...kept } = headers;
  outgoing.writeHead(status, { ...kept, 'content-length': content.length });
  outgoing.end(content);
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
