import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { type Clients, createClients } from '../../src/aws/clients.ts';
import { createSqsClient } from '../../src/aws/sqs-client.ts';

/** What the stub answers to one call: a body, an error in the service's own form, or a fault of the wire. */
export type Reply =
  | { readonly body: object }
  | { readonly error: string; readonly status?: number; readonly fields?: object }
  | { readonly xml: string; readonly status?: number }
  | 'reset'
  | 'silence';

export interface Call {
  /** `TransactWriteItems`, `PublishBatch`, ... */
  readonly operation: string;
  /** JSON of the JSON protocols; the form's fields for SNS. */
  // biome-ignore lint/suspicious/noExplicitAny: a request as it came over the wire
  readonly body: any;
  readonly text: string;
}

export interface AwsStub {
  readonly clients: Clients & { readonly sqs: SQSClient };
  readonly calls: Call[];
  /** The answers in the order of the calls; the last one repeats. */
  answer(...replies: readonly (Reply | ((call: Call) => Reply | Promise<Reply>))[]): void;
  close(): Promise<void>;
}

/** A server that speaks just enough of three AWS protocols for the SDK's own clients and error classes. */
export async function startAwsStub(): Promise<AwsStub> {
  const calls: Call[] = [];
  let replies: (Reply | ((call: Call) => Reply | Promise<Reply>))[] = [];
  const server: Server = createServer((request, response) => {
    void readCall(request).then(async (call) => {
      calls.push(call);
      const next = replies.length > 1 ? replies.shift() : replies[0];
      const reply = typeof next === 'function' ? await next(call) : next;
      if (reply === undefined) throw new Error(`no answer for ${call.operation}`);
      if (reply === 'silence') return;
      if (reply === 'reset') {
        request.socket.destroy();
        return;
      }
      if ('xml' in reply) {
        response.writeHead(reply.status ?? 200, { 'content-type': 'text/xml' }).end(reply.xml);
        return;
      }
      const headers = { 'content-type': 'application/x-amz-json-1.0' };
      if ('body' in reply) response.writeHead(200, headers).end(JSON.stringify(reply.body));
      else {
        const body = { __type: `com.amazonaws#${reply.error}`, message: 'stubbed', ...reply.fields };
        response.writeHead(reply.status ?? 400, headers).end(JSON.stringify(body));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
  const clients = { ...createClients(), sqs: createSqsClient() };
  return {
    clients,
    calls,
    answer(...next) {
      replies = [...next];
      calls.length = 0;
    },
    async close() {
      for (const client of Object.values(clients)) client.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readCall(request: IncomingMessage): Promise<Call> {
  let text = '';
  for await (const chunk of request) text += chunk;
  const target = request.headers['x-amz-target'];
  if (typeof target === 'string') return { operation: target.split('.')[1] ?? '', body: JSON.parse(text), text };
  const body = Object.fromEntries(new URLSearchParams(text));
  return { operation: body.Action ?? '', body, text };
}
