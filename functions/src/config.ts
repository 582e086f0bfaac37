import { gunzipSync } from 'node:zlib';
import { ConfigurationError } from './core/configuration-error.ts';
import type { DecodeMapping } from './core/decode.ts';
import { ENVELOPES } from './core/envelopes.ts';
import { TOPIC_MAX_BYTES_DEFAULT, VISIBILITY_MAX_SECONDS } from './core/limits.ts';
import type { Mapping } from './core/mapping.ts';
import type { PipelineSettings, RelaySettings } from './core/settings.ts';
import { Fields } from './fields.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface ConsumerConfig {
  readonly settings: PipelineSettings;
  /** Where ids are found: all that a handler takes from the configuration. */
  readonly decoding: DecodeMapping;
  /** Undefined without `business_key`: then a handler says what an event means. */
  readonly mapping: Mapping | undefined;
  readonly topicArn: string;
  readonly topicFifo: boolean;
  /** Undefined for streams, which have none. */
  readonly queueUrl: string | undefined;
  readonly dlqUrl: string | undefined;
  readonly batchSize: number;
  readonly logLevel: LogLevel;
  readonly moduleVersion: string;
}

export interface RelayConfig {
  readonly settings: RelaySettings;
  readonly processedEventsTable: string;
  readonly topicArn: string;
  readonly topicFifo: boolean;
  readonly logLevel: LogLevel;
  readonly moduleVersion: string;
}

const DEADLINE_MARGIN_MS = 1_500;
const LEASE_MARGIN_MS = 1_000;
const CONCURRENCY = 16;
/** A lease is "long over" for the relay after this: a redelivery that is under way comes first. */
const RELAY_GRACE_MS = 60_000;

const SOURCES = ['sqs', 'sqs_fifo', 'kinesis', 'dynamodb_stream'] as const;
const ON_EXISTING_KEY = ['reject', 'overwrite', 'newer'] as const;
const KEY_TYPES = ['S', 'N'] as const;

/** Reads the consumer's configuration; throws a ConfigurationError that says in one sentence what is wrong. */
export function readConsumerConfig(environment: Environment): ConsumerConfig {
  const fields = readFields(environment);
  const source = fields.choice('source', SOURCES);
  const queue = source === 'sqs' || source === 'sqs_fifo';
  // By default a group of a FIFO queue does not go on past its bad message, and a stream has no dead-letter queue of ours.
  const quarantine = fields.flag('quarantine', source === 'sqs');
  const decoding = readDecoding(fields);
  return {
    settings: {
      ...readCommon(fields),
      source,
      processedEventsTable: required(environment, 'PROCESSED_EVENTS_TABLE'),
      maxReceiveCount: queue ? fields.integer('max_receive_count', 1, 1_000, source === 'sqs' ? 12 : 5) : null,
      backoffBaseSeconds: fields.integer('backoff_base_seconds', 1, VISIBILITY_MAX_SECONDS, 10),
      backoffCapSeconds: fields.integer('backoff_cap_seconds', 1, VISIBILITY_MAX_SECONDS, 900),
      quarantine,
      grouping: fields.flag('grouping', true),
    },
    decoding,
    mapping: fields.has('business_key') ? readMapping(fields, decoding, environment) : undefined,
    topicArn: required(environment, 'TOPIC_ARN'),
    topicFifo: fields.flag('topic_fifo', false),
    queueUrl: queue ? required(environment, 'QUEUE_URL') : optional(environment, 'QUEUE_URL'),
    // Refused at the start: a quarantine that has nowhere to go would fail record by record, as if the queue were down.
    dlqUrl: queue || quarantine ? required(environment, 'DLQ_URL') : optional(environment, 'DLQ_URL'),
    batchSize: fields.integer('batch_size', 1, 10_000, 10),
    logLevel: fields.choice('log_level', LOG_LEVELS, 'INFO'),
    moduleVersion: optional(environment, 'MODULE_VERSION') ?? 'unknown',
  };
}

/** Reads the relay's configuration; throws a ConfigurationError that says in one sentence what is wrong. */
export function readRelayConfig(environment: Environment): RelayConfig {
  const fields = readFields(environment);
  const relay = fields.object('relay');
  return {
    settings: {
      ...readCommon(fields),
      graceMs: RELAY_GRACE_MS,
      intervalMinutes: relay.integer('interval_minutes', 1, 1_440, 5),
      // Left out when the sweep is off.
      sweepHours: relay.has('sweep_hours') ? relay.integer('sweep_hours', 1, 8_760) : null,
    },
    processedEventsTable: required(environment, 'PROCESSED_EVENTS_TABLE'),
    topicArn: required(environment, 'TOPIC_ARN'),
    topicFifo: fields.flag('topic_fifo', false),
    logLevel: fields.choice('log_level', LOG_LEVELS, 'INFO'),
    moduleVersion: optional(environment, 'MODULE_VERSION') ?? 'unknown',
  };
}

function readCommon(fields: Fields) {
  return {
    pipelineName: fields.text('name'),
    functionTimeoutMs: fields.integer('function_timeout_seconds', 3, 900, 30) * 1_000,
    deadlineMarginMs: DEADLINE_MARGIN_MS,
    leaseMarginMs: LEASE_MARGIN_MS,
    retentionDays: fields.integer('processed_events_retention_days', 1, 36_500, 30),
    topicMaxBytes: fields.integer('topic_max_bytes', 1_024, 16 * 1_024 * 1_024, TOPIC_MAX_BYTES_DEFAULT),
    concurrency: CONCURRENCY,
  };
}

function readDecoding(fields: Fields): DecodeMapping {
  return {
    envelope: fields.choice('envelope', ENVELOPES, 'none'),
    eventId: fields.text('event_id'),
    ...fields.optionalText('eventIdPrefix', 'event_id_prefix'),
    ...fields.optionalText('fingerprint', 'fingerprint'),
    ...fields.optionalText('correlationId', 'correlation_id'),
    ...fields.optionalText('eventFilter', 'event_filter'),
  };
}

function readMapping(fields: Fields, decoding: DecodeMapping, environment: Environment): Mapping {
  const sorted = fields.has('business_sort_key');
  return {
    ...decoding,
    businessTable: required(environment, 'BUSINESS_TABLE'),
    processedEventsTable: required(environment, 'PROCESSED_EVENTS_TABLE'),
    businessKey: fields.text('business_key'),
    businessHashKey: {
      name: fields.text('business_hash_key_name', 'pk'),
      type: fields.choice('business_hash_key_type', KEY_TYPES, 'S'),
    },
    ...fields.optionalText('businessSortKey', 'business_sort_key'),
    ...(sorted && {
      businessRangeKey: {
        name: fields.text('business_sort_key_name', 'sk'),
        type: fields.choice('business_sort_key_type', KEY_TYPES, 'S'),
      },
    }),
    ...fields.optionalText('businessItem', 'business_item'),
    onExistingKey: fields.choice('on_existing_key', ON_EXISTING_KEY, 'reject'),
    ...fields.optionalText('version', 'version'),
    ...fields.optionalText('jsonSchema', 'json_schema'),
    topicArn: required(environment, 'TOPIC_ARN'),
    topicFifo: fields.flag('topic_fifo', false),
    ...fields.optionalText('notification', 'notification'),
    ...fields.optionalText('notificationSubject', 'notification_subject'),
    notificationAttributes: fields.texts('notification_attributes'),
    ...fields.optionalText('notificationGroupId', 'notification_group_id'),
  };
}

function readFields(environment: Environment): Fields {
  return new Fields('PIPELINE_CONFIG', parseConfiguration(required(environment, 'PIPELINE_CONFIG').trim()));
}

/** The value of PIPELINE_CONFIG: JSON, or base64 of its gzip where Terraform had to make it fit. */
export function parseConfiguration(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('{') ? text : gunzipSync(Buffer.from(text, 'base64')).toString('utf8'));
  } catch (cause) {
    throw new ConfigurationError('PIPELINE_CONFIG is neither JSON nor base64 of gzipped JSON.', { cause });
  }
}

function optional(environment: Environment, name: string): string | undefined {
  const value = environment[name];
  return value === undefined || value === '' ? undefined : value;
}

function required(environment: Environment, name: string): string {
  const value = optional(environment, name);
  if (value === undefined) throw new ConfigurationError(`${name} is not set.`);
  return value;
}
