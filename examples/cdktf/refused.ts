import type { PipelineConfig } from './objects';

/** Never used: `npm run build` fails when the compiler lets one of these mistakes through. */
const common = { name: 'orders', eventId: 'event_id', businessKey: 'order_id' };

export const refused: readonly PipelineConfig[] = [
  // @ts-expect-error: the attribute is called high_throughput; inside an object names are Terraform's.
  { ...common, fifo: { highThroughput: true } },
  // @ts-expect-error: no such attribute; Terraform would drop it without a word, and the queue would have no key.
  { ...common, kms: { key: 'arn:aws:kms:us-east-1:111122223333:key/1' } },
  // @ts-expect-error: the endpoint is missing.
  { ...common, subscriptions: { shipping: { protocol: 'sqs' } } },
  // @ts-expect-error: a number.
  { ...common, relay: { interval_minutes: '5' } },
  // @ts-expect-error: senders have names.
  { ...common, senders: [{ service: 's3.amazonaws.com' }] },
];
