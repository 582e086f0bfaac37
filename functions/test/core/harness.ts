import { declarativeMeaning, type Mapping } from '../../src/core/mapping.ts';
import { type BatchAnswer, createPipeline, type Pipeline } from '../../src/core/pipeline.ts';
import type { Reason } from '../../src/core/reasons.ts';
import { createRelay, type RelayReport } from '../../src/core/relay.ts';
import { compileSchema } from '../../src/core/schema.ts';
import type { PipelineSettings, RelaySettings } from '../../src/core/settings.ts';
import type { Meaning, SourceRecord } from '../../src/core/types.ts';
import type { Clock, LogFields, MetricName, Random, Telemetry } from '../../src/ports.ts';
import { MemoryQueue, MemoryStore, MemoryTopic } from './memory-aws.ts';

export const TOPIC = 'arn:aws:sns:us-east-1:111122223333:orders';
export const START_MS = Date.parse('2026-01-01T00:00:00Z');

/** Time that passes only when somebody sleeps or a test says so. */
export class ManualClock implements Clock {
  private alarms: { atMs: number; callback: () => void }[] = [];
  nowMs = START_MS;

  now(): number {
    return this.nowMs;
  }

  async sleep(ms: number): Promise<void> {
    this.advance(ms);
  }

  alarm(atMs: number, callback: () => void): () => void {
    const alarm = { atMs, callback };
    this.alarms.push(alarm);
    return () => {
      this.alarms = this.alarms.filter((other) => other !== alarm);
    };
  }

  advance(ms: number): void {
    this.nowMs += ms;
    const due = this.alarms.filter((alarm) => alarm.atMs <= this.nowMs);
    this.alarms = this.alarms.filter((alarm) => alarm.atMs > this.nowMs);
    for (const alarm of due) alarm.callback();
  }
}

export class RecordingTelemetry implements Telemetry {
  readonly lines: { level: 'info' | 'warn' | 'error'; message: string; fields: LogFields }[] = [];
  readonly metrics: { metric: MetricName; value: number; reason: Reason | undefined }[] = [];

  info(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'info', message, fields });
  }

  warn(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'warn', message, fields });
  }

  error(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'error', message, fields });
  }

  count(metric: MetricName, value: number, reason?: Reason): void {
    this.metrics.push({ metric, value, reason });
  }

  sum(metric: MetricName, reason?: Reason): number {
    return this.metrics
      .filter((entry) => entry.metric === metric && (reason === undefined || entry.reason === reason))
      .reduce((sum, entry) => sum + entry.value, 0);
  }
}

export const MAPPING: Mapping = {
  envelope: 'none',
  eventId: 'id',
  businessTable: 'orders',
  processedEventsTable: 'processed_events',
  businessHashKey: { name: 'pk', type: 'S' },
  businessKey: 'id',
  onExistingKey: 'reject',
  topicArn: TOPIC,
  topicFifo: false,
};

const SETTINGS: PipelineSettings = {
  pipelineName: 'orders',
  source: 'sqs',
  processedEventsTable: 'processed_events',
  functionTimeoutMs: 30_000,
  deadlineMarginMs: 1_500,
  leaseMarginMs: 1_000,
  maxReceiveCount: 12,
  backoffBaseSeconds: 10,
  backoffCapSeconds: 900,
  quarantine: true,
  grouping: true,
  retentionDays: 30,
  topicMaxBytes: 262_144,
  concurrency: 8,
};

export interface Options {
  readonly settings?: Partial<PipelineSettings>;
  readonly mapping?: Partial<Mapping>;
  readonly meaning?: Meaning;
  /** Share the tables, the topic and the queues of another harness: a second container, or the next deploy. */
  readonly on?: Harness;
}

/** A pipeline on in-memory parts, and everything that a test wants to look at. */
export class Harness {
  readonly store: MemoryStore;
  readonly topic: MemoryTopic;
  readonly queue: MemoryQueue;
  readonly clock: ManualClock;
  readonly telemetry: RecordingTelemetry;
  readonly random: Random = { next: () => 0.5 };
  readonly pipeline: Pipeline;
  readonly settings: PipelineSettings;
  private requests: { count: number };

  constructor(options: Options = {}) {
    const { on } = options;
    this.store = on?.store ?? new MemoryStore();
    this.topic = on?.topic ?? new MemoryTopic();
    this.queue = on?.queue ?? new MemoryQueue();
    this.clock = on?.clock ?? new ManualClock();
    this.telemetry = on?.telemetry ?? new RecordingTelemetry();
    this.requests = on?.requests ?? { count: 0 };
    this.settings = { ...SETTINGS, ...options.settings };
    this.pipeline = createPipeline({
      settings: this.settings,
      meaning: options.meaning ?? declarativeMeaning({ ...MAPPING, ...options.mapping }, compileSchema),
      store: this.store,
      notifier: this.topic,
      queue: this.queue,
      clock: this.clock,
      random: this.random,
      telemetry: this.telemetry,
    });
  }

  /** One invocation; returns the failed ids in the order of the answer. */
  async deliver(...records: SourceRecord[]): Promise<string[]> {
    return failures(await this.invoke(records));
  }

  invoke(records: readonly SourceRecord[], requestId = this.nextId('request')): Promise<BatchAnswer> {
    return this.pipeline.run(records, { requestId, deadlineMs: this.clock.now() + this.settings.functionTimeoutMs });
  }

  relay(settings: Partial<RelaySettings> = {}, dueAtMs?: number): Promise<RelayReport> {
    const relay = createRelay({
      settings: {
        pipelineName: 'orders',
        functionTimeoutMs: 30_000,
        deadlineMarginMs: 1_500,
        leaseMarginMs: 1_000,
        retentionDays: 30,
        topicMaxBytes: 262_144,
        concurrency: 8,
        graceMs: 0,
        intervalMinutes: 5,
        sweepHours: null,
        ...settings,
      },
      store: this.store,
      notifier: this.topic,
      clock: this.clock,
      random: this.random,
      telemetry: this.telemetry,
    });
    return relay.run({
      requestId: this.nextId('relay'),
      deadlineMs: this.clock.now() + 60_000,
      ...(dueAtMs === undefined ? {} : { dueAtMs }),
    });
  }

  private nextId(kind: string): string {
    this.requests.count += 1;
    return `${kind}-${this.requests.count}`;
  }

  reasons(): (Reason | undefined)[] {
    return this.telemetry.metrics
      .filter(({ metric }) => metric === 'Failed' || metric === 'Quarantined')
      .map(({ reason }) => reason);
  }
}

export function failures(answer: BatchAnswer): string[] {
  return answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

export interface RecordOptions {
  readonly receiveCount?: number;
  readonly groupId?: string;
  readonly body?: string;
}

/** A record of an order: message `m1` with event `o-1` unless told otherwise. */
export function record(id: string, event: Record<string, unknown> | string, options: RecordOptions = {}): SourceRecord {
  return {
    id,
    body: typeof event === 'string' ? event : JSON.stringify(event),
    attributes: {},
    receiveCount: options.receiveCount ?? 1,
    receiptHandle: `handle-${id}`,
    sentAtMs: START_MS - 1_000,
    ...(options.groupId === undefined ? {} : { groupId: options.groupId }),
  };
}

export function order(id: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { id, amount: 10, ...more };
}
