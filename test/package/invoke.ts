import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** What came back from one run of the unpacked zip. */
export interface Run {
  readonly answer: { readonly batchItemFailures: readonly { readonly itemIdentifier: string }[] };
  readonly seconds: number;
  readonly peakMegabytes: number;
  /** `X-Amz-Target` or `Action` of each call that reached the stand-in for AWS. */
  readonly calls: readonly string[];
}

/**
 * The runner is a file, not `node -e`: there `require` is a global, and hides an ESM bundle that still needs it (T-38).
 */
const runner = `
import { readFileSync } from 'node:fs';
const { handler } = await import('./consumer.mjs');
const event = JSON.parse(readFileSync('event.json', 'utf8'));
const end = Date.now() + 30_000;
const context = { awsRequestId: 'request', functionName: 'orders', memoryLimitInMB: '512', invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:orders', functionVersion: '$LATEST', getRemainingTimeInMillis: () => end - Date.now() };
const started = performance.now();
const answer = await handler(event, context);
const seconds = (performance.now() - started) / 1000;
process.send({ answer, seconds, peakMegabytes: process.resourceUsage().maxRSS / 1024 });
process.disconnect();
`;

/** Runs the handler of the zip unpacked in `folder` as Lambda would, with an AWS that refuses every call. */
export async function invokeUnpacked(
  folder: string,
  event: unknown,
  nodeOptions: readonly string[] = [],
): Promise<Run> {
  const calls: string[] = [];
  const aws = createServer((request, response) => {
    calls.push(String(request.headers['x-amz-target'] ?? request.url));
    request.resume().on('end', () => {
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      response.end('{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"refused by the test"}');
    });
  });
  await new Promise<void>((resolve) => aws.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(aws.address() as AddressInfo).port}`;
  writeFileSync(join(folder, 'run.mjs'), runner);
  writeFileSync(join(folder, 'event.json'), JSON.stringify(event));
  try {
    return await new Promise((resolve, reject) => {
      let result: Omit<Run, 'calls'> | undefined;
      let log = '';
      const child = spawn(process.execPath, [...nodeOptions, 'run.mjs'], {
        cwd: folder,
        env: environment(endpoint),
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      });
      const note = (chunk: Buffer) => {
        log = (log + chunk.toString()).slice(-4000);
      };
      child.stdout?.on('data', note);
      child.stderr?.on('data', note);
      child.on('message', (message: Omit<Run, 'calls'>) => {
        result = message;
      });
      child.on('close', (code) => {
        if (result === undefined) reject(new Error(`the bundle ended with ${code}:\n${log}`));
        else resolve({ ...result, calls });
      });
    });
  } finally {
    aws.close();
    aws.closeAllConnections();
  }
}

/** The variables that the module sets, and those that Lambda does. No NODE_PATH, no HOME. */
function environment(endpoint: string): Record<string, string> {
  return {
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL: endpoint,
    AWS_LAMBDA_FUNCTION_NAME: 'orders',
    MODULE_VERSION: '0.0.0',
    PROCESSED_EVENTS_TABLE: 'orders-processed-events',
    BUSINESS_TABLE: 'orders',
    TOPIC_ARN: 'arn:aws:sns:us-east-1:123456789012:orders',
    QUEUE_URL: `${endpoint}/123456789012/orders`,
    DLQ_URL: `${endpoint}/123456789012/orders-dlq`,
    PIPELINE_CONFIG: JSON.stringify({
      name: 'orders',
      source: 'sqs',
      event_id: 'event_id',
      business_key: 'order_id',
      business_hash_key_name: 'pk',
      business_hash_key_type: 'S',
      on_existing_key: 'reject',
      envelope: 'none',
      function_timeout_seconds: 30,
      max_receive_count: 12,
      backoff_base_seconds: 10,
      backoff_cap_seconds: 900,
      quarantine: true,
      grouping: true,
      processed_events_retention_days: 30,
      topic_fifo: false,
      topic_max_bytes: 262144,
      batch_size: 10,
      log_level: 'INFO',
    }),
  };
}

/** A record as SQS hands it to Lambda, attribute names in lower case (C-45). */
export function sqsRecord(index: number, body: string): Record<string, unknown> {
  return {
    messageId: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    receiptHandle: `receipt-${index}`,
    body,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '1523232000000',
      SenderId: '123456789012',
      ApproximateFirstReceiveTimestamp: '1523232000001',
    },
    messageAttributes: {},
    md5OfBody: 'e4e68fb7bd0e697a0ae8f1bb342846b3',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:orders',
    awsRegion: 'us-east-1',
  };
}
