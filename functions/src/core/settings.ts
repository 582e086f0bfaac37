/**
 * What the pipeline needs to know, as plain data. The Terraform module writes it; `src/config.ts` reads and checks it.
 * Every duration carries its unit in its name.
 */
export interface PipelineSettings {
  /** Dimension of every metric and a field of every log line. */
  readonly pipelineName: string;
  readonly source: 'sqs' | 'sqs_fifo' | 'kinesis' | 'dynamodb_stream';
  readonly processedEventsTable: string;
  /** The function's timeout; with the lease margin, the furthest that a lease can be away without clock skew. */
  readonly functionTimeoutMs: number;
  readonly deadlineMarginMs: number;
  readonly leaseMarginMs: number;
  /** Receives before SQS moves the message to the dead-letter queue; null where the source has none. */
  readonly maxReceiveCount: number | null;
  readonly backoffBaseSeconds: number;
  readonly backoffCapSeconds: number;
  /** Permanent failures go to the dead-letter queue at once. Off: they are returned as failures until SQS moves them. */
  readonly quarantine: boolean;
  /** Several events in one TransactWriteItems. Off: one transaction an event. */
  readonly grouping: boolean;
  /** Days that a row is kept after it was sent. */
  readonly retentionDays: number;
  /** Bytes that the topic accepts in one call. */
  readonly topicMaxBytes: number;
  /** Calls that may be under way at once. */
  readonly concurrency: number;
}

export interface RelaySettings {
  readonly pipelineName: string;
  readonly functionTimeoutMs: number;
  readonly deadlineMarginMs: number;
  readonly leaseMarginMs: number;
  readonly retentionDays: number;
  readonly topicMaxBytes: number;
  readonly concurrency: number;
  /** How long a lease must be over before the relay takes it. */
  readonly graceMs: number;
  readonly intervalMinutes: number;
  /** The whole table is scanned once in this time; null is off. */
  readonly sweepHours: number | null;
}
