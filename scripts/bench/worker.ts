/**
 * One variant in a process of its own, as Lambda runs it: it takes a batch, and answers with what the batch cost here.
 * The clock and the CPU are read around the handler alone.
 */
import { pathToFileURL } from 'node:url';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';

export interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly failures: number;
}

export interface Memory {
  readonly heapBytes: number;
  readonly peakRssBytes: number;
}

export type Request = { readonly event: SQSEvent } | 'memory';

const [, , file = ''] = process.argv;
const { handler } = (await import(pathToFileURL(file).href)) as {
  handler(event: SQSEvent, context: object): Promise<SQSBatchResponse>;
};

let invocations = 0;

async function invoke(event: SQSEvent): Promise<Cost> {
  invocations += 1;
  const deadline = Date.now() + 900_000;
  const context = {
    awsRequestId: `request-${invocations}`,
    functionName: 'bench',
    invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:bench',
    memoryLimitInMB: '512',
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
  const cpu = process.cpuUsage();
  const started = performance.now();
  const answer = await handler(event, context);
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1000, failures: answer.batchItemFailures.length };
}

function memory(): Memory {
  for (let round = 0; round < 3; round += 1) globalThis.gc?.();
  return {
    heapBytes: process.memoryUsage().heapUsed,
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
  };
}

process.on('message', (request: Request) => {
  void (async () => process.send?.(request === 'memory' ? memory() : await invoke(request.event)))();
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
