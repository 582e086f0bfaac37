import { createHash } from 'node:crypto';
import type { SQSEvent, SQSRecord } from 'aws-lambda';

/** What one scenario sends. Every variant gets the same batches in the same order. */
export interface Scenario {
  readonly batchSize: number;
  /** Share of messages whose event was sent before: half redelivered, half sent twice under another message id. */
  readonly duplicates: number;
  /** Events of another series have other ids. */
  readonly series?: string;
}

/**
 * The batch of number `index`, the same on every machine. Its duplicates are events of the batch before, spread over the
 * batch; a share that is no whole number in one batch comes out right over several.
 */
export function batch(scenario: Scenario, index: number): SQSEvent {
  const { batchSize, duplicates } = scenario;
  const before = (count: number): number => Math.floor(count * batchSize * duplicates + 1e-9);
  const repeated = index === 0 ? 0 : before(index) - before(index - 1);
  const records: SQSRecord[] = [];
  for (let at = 0; at < batchSize - repeated; at += 1) records.push(record(eventId(scenario, index, at), 1, ''));
  for (let at = 0; at < repeated; at += 1) {
    const redelivered = (before(index - 1) + at) % 2 === 0;
    const id = eventId(scenario, index - 1, at);
    const place = (digest(id).readUInt32BE() % (records.length + 1)) as number;
    records.splice(place, 0, record(id, redelivered ? 2 : 1, redelivered ? '' : 'again'));
  }
  return { Records: records };
}

function eventId({ batchSize, duplicates, series = 'order' }: Scenario, index: number, at: number): string {
  return `${series}-${batchSize}-${duplicates * 100}-${index}-${at}`;
}

function record(id: string, receiveCount: number, send: string): SQSRecord {
  const hash = digest(id + send).toString('hex');
  return {
    messageId: `${hash.slice(0, 8)}-${hash.slice(8, 12)}-${hash.slice(12, 16)}-${hash.slice(16, 20)}-${hash.slice(20, 32)}`,
    receiptHandle: `AQEB${hash.repeat(5)}`,
    body: JSON.stringify(order(id)),
    attributes: {
      ApproximateReceiveCount: String(receiveCount),
      SentTimestamp: '1780000000000',
      SenderId: 'AIDAIENQZJOLO23YVJ4VO',
      ApproximateFirstReceiveTimestamp: '1780000000005',
    },
    messageAttributes: {},
    md5OfBody: hash.slice(0, 32),
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:123456789012:orders',
    awsRegion: 'eu-central-1',
  };
}

/** About 550 bytes, so that no item of any variant is larger than one write unit. */
function order(id: string): object {
  return {
    event_id: id,
    order_id: `o-${id}`,
    customer: { id: 'c-104883', name: 'Grace Hopper', email: 'grace@example.com', country: 'DE' },
    status: 'placed',
    currency: 'EUR',
    total: 129.85,
    placed_at: '2026-11-30T10:15:30.123Z',
    lines: [
      { sku: 'BK-1001', title: 'Compilers, second edition', quantity: 1, price: 89.9 },
      { sku: 'PN-0042', title: 'Fountain pen, blue', quantity: 2, price: 17.5 },
      { sku: 'SH-0001', title: 'Shipping', quantity: 1, price: 4.95 },
    ],
    express: false,
    note: null,
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
