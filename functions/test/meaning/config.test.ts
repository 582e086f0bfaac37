import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { readConsumerConfig, readRelayConfig } from '../../src/config.ts';

const config = { name: 'orders', source: 'sqs', event_id: 'id', business_key: 'order_id' };
const environment = (members: Record<string, unknown> = {}, variables: Record<string, string | undefined> = {}) => ({
  PIPELINE_CONFIG: JSON.stringify({ ...config, ...members }),
  PROCESSED_EVENTS_TABLE: 'processed_events',
  BUSINESS_TABLE: 'orders',
  TOPIC_ARN: 'arn:aws:sns:eu-central-1:111122223333:orders',
  QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/111122223333/orders',
  DLQ_URL: 'https://sqs.eu-central-1.amazonaws.com/111122223333/orders-dlq',
  ...variables,
});
const refuses = (read: () => unknown, message: string) =>
  expect(read).toThrow(expect.objectContaining({ name: 'ConfigurationError', message }));

describe('the consumer reads its configuration', () => {
  it('with four members only; all others have the documented defaults', () => {
    expect(readConsumerConfig(environment())).toEqual({
      settings: {
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
        concurrency: 16,
      },
      decoding: { envelope: 'none', eventId: 'id' },
      mapping: {
        envelope: 'none',
        eventId: 'id',
        businessTable: 'orders',
        processedEventsTable: 'processed_events',
        businessKey: 'order_id',
        businessHashKey: { name: 'pk', type: 'S' },
        onExistingKey: 'reject',
        topicArn: 'arn:aws:sns:eu-central-1:111122223333:orders',
        topicFifo: false,
        notificationAttributes: {},
      },
      topicArn: 'arn:aws:sns:eu-central-1:111122223333:orders',
      topicFifo: false,
      queueUrl: 'https://sqs.eu-central-1.amazonaws.com/111122223333/orders',
      dlqUrl: 'https://sqs.eu-central-1.amazonaws.com/111122223333/orders-dlq',
      batchSize: 10,
      logLevel: 'INFO',
      moduleVersion: 'unknown',
    });
  });

  it('with every member', () => {
    const all = {
      source: 'sqs_fifo',
      event_id_prefix: 'p#',
      fingerprint: 'order',
      business_sort_key: 'line',
      business_sort_key_name: 'line_number',
      business_sort_key_type: 'N',
      business_hash_key_name: 'order_id',
      business_hash_key_type: 'N',
      business_item: 'order',
      on_existing_key: 'newer',
      version: 'order.version',
      notification: '@',
      notification_subject: "'New'",
      notification_attributes: { tenant: 'tenant' },
      notification_group_id: 'customer',
      correlation_id: 'trace',
      event_filter: 'ours',
      json_schema: '{"type":"object"}',
      envelope: 'eventbridge',
      function_timeout_seconds: 60,
      max_receive_count: 3,
      backoff_base_seconds: 1,
      backoff_cap_seconds: 60,
      quarantine: true,
      grouping: false,
      processed_events_retention_days: 90,
      topic_fifo: true,
      topic_max_bytes: 1_024,
      batch_size: 5,
      log_level: 'DEBUG',
    };
    const read = readConsumerConfig(environment(all, { MODULE_VERSION: '1.2.3' }));
    expect(read.settings).toMatchObject({
      source: 'sqs_fifo',
      functionTimeoutMs: 60_000,
      maxReceiveCount: 3,
      backoffBaseSeconds: 1,
      backoffCapSeconds: 60,
      quarantine: true,
      grouping: false,
      retentionDays: 90,
      topicMaxBytes: 1_024,
    });
    expect(read.mapping).toEqual({
      envelope: 'eventbridge',
      eventId: 'id',
      eventIdPrefix: 'p#',
      fingerprint: 'order',
      correlationId: 'trace',
      eventFilter: 'ours',
      businessTable: 'orders',
      processedEventsTable: 'processed_events',
      businessKey: 'order_id',
      businessHashKey: { name: 'order_id', type: 'N' },
      businessSortKey: 'line',
      businessRangeKey: { name: 'line_number', type: 'N' },
      businessItem: 'order',
      onExistingKey: 'newer',
      version: 'order.version',
      jsonSchema: '{"type":"object"}',
      topicArn: 'arn:aws:sns:eu-central-1:111122223333:orders',
      topicFifo: true,
      notification: '@',
      notificationSubject: "'New'",
      notificationAttributes: { tenant: 'tenant' },
      notificationGroupId: 'customer',
    });
    expect(read).toMatchObject({ topicFifo: true, batchSize: 5, logLevel: 'DEBUG', moduleVersion: '1.2.3' });
  });

  it('from base64 of gzip as well', () => {
    const packed = gzipSync(JSON.stringify({ ...config, name: 'packed' })).toString('base64');
    expect(readConsumerConfig(environment({}, { PIPELINE_CONFIG: packed })).settings.pipelineName).toBe('packed');
  });

  it('with defaults of their own for FIFO queues and for streams', () => {
    expect(readConsumerConfig(environment({ source: 'sqs_fifo' })).settings).toMatchObject({
      maxReceiveCount: 5,
      quarantine: false,
    });
    for (const source of ['kinesis', 'dynamodb_stream']) {
      const stream = readConsumerConfig(environment({ source }, { QUEUE_URL: undefined, DLQ_URL: '' }));
      expect(stream.settings).toMatchObject({ maxReceiveCount: null, quarantine: false });
      expect(stream).toMatchObject({ queueUrl: undefined, dlqUrl: undefined });
    }
  });

  it('and quarantines from a stream where it is told to, given a queue to send to', () => {
    const told = { source: 'kinesis', quarantine: true };
    const { settings, dlqUrl } = readConsumerConfig(environment(told, { QUEUE_URL: undefined }));
    expect(settings.quarantine).toBe(true);
    expect(dlqUrl).toBe('https://sqs.eu-central-1.amazonaws.com/111122223333/orders-dlq');
    refuses(
      () => readConsumerConfig(environment(told, { QUEUE_URL: undefined, DLQ_URL: undefined })),
      'DLQ_URL is not set.',
    );
  });

  it('without a business key for a handler, which needs no business table', () => {
    const read = readConsumerConfig(environment({ business_key: null }, { BUSINESS_TABLE: undefined }));
    expect(read.mapping).toBeUndefined();
    expect(read.decoding).toEqual({ envelope: 'none', eventId: 'id' });
  });

  it('takes null for left out', () => {
    const nulls = {
      fingerprint: null,
      max_receive_count: null,
      grouping: null,
      log_level: null,
      notification_attributes: null,
    };
    expect(readConsumerConfig(environment(nulls))).toEqual(readConsumerConfig(environment()));
  });
});

describe('numbers have bounds', () => {
  it.each([
    ['function_timeout_seconds', 3, 900],
    ['max_receive_count', 1, 1_000],
    ['backoff_base_seconds', 1, 43_200],
    ['backoff_cap_seconds', 1, 43_200],
    ['processed_events_retention_days', 1, 36_500],
    ['topic_max_bytes', 1_024, 16_777_216],
    ['batch_size', 1, 10_000],
  ])('%s: %d to %d', (member, least, most) => {
    for (const value of [least, most]) expect(() => readConsumerConfig(environment({ [member]: value }))).not.toThrow();
    for (const value of [least - 1, most + 1]) {
      const found = `must be a whole number from ${least} to ${most}; it is ${value}.`;
      refuses(() => readConsumerConfig(environment({ [member]: value })), `PIPELINE_CONFIG: ${member} ${found}`);
    }
  });
});

describe('a wrong configuration is refused in one sentence', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ name: '' }, 'PIPELINE_CONFIG: name must be a text that is not empty; it is "".'],
    [{ name: 7 }, 'PIPELINE_CONFIG: name must be a text that is not empty; it is 7.'],
    [{ source: 'sns' }, 'PIPELINE_CONFIG: source must be one of sqs, sqs_fifo, kinesis, dynamodb_stream; it is "sns".'],
    [{ event_id: undefined }, 'PIPELINE_CONFIG: event_id must be a text that is not empty; it is missing.'],
    [{ fingerprint: 1 }, 'PIPELINE_CONFIG: fingerprint must be a text; it is 1.'],
    [
      { envelope: 'sqs' },
      'PIPELINE_CONFIG: envelope must be one of none, sns, eventbridge, s3, kinesis, dynamodb-stream; it is "sqs".',
    ],
    [
      { on_existing_key: 'ignore' },
      'PIPELINE_CONFIG: on_existing_key must be one of reject, overwrite, newer; it is "ignore".',
    ],
    [{ business_hash_key_type: 'B' }, 'PIPELINE_CONFIG: business_hash_key_type must be one of S, N; it is "B".'],
    [
      { function_timeout_seconds: 901 },
      'PIPELINE_CONFIG: function_timeout_seconds must be a whole number from 3 to 900; it is 901.',
    ],
    [
      { function_timeout_seconds: 2 },
      'PIPELINE_CONFIG: function_timeout_seconds must be a whole number from 3 to 900; it is 2.',
    ],
    [{ max_receive_count: 0 }, 'PIPELINE_CONFIG: max_receive_count must be a whole number from 1 to 1000; it is 0.'],
    [
      { max_receive_count: '12' },
      'PIPELINE_CONFIG: max_receive_count must be a whole number from 1 to 1000; it is "12".',
    ],
    [
      { backoff_base_seconds: 1.5 },
      'PIPELINE_CONFIG: backoff_base_seconds must be a whole number from 1 to 43200; it is 1.5.',
    ],
    [{ quarantine: 'true' }, 'PIPELINE_CONFIG: quarantine must be true or false; it is "true".'],
    [
      { notification_attributes: { a: 1 } },
      'PIPELINE_CONFIG: notification_attributes must be a map of texts; it is {"a":1}.',
    ],
    [
      { notification_attributes: ['a'] },
      'PIPELINE_CONFIG: notification_attributes must be a map of texts; it is ["a"].',
    ],
    [{ log_level: 'TRACE' }, 'PIPELINE_CONFIG: log_level must be one of DEBUG, INFO, WARN, ERROR; it is "TRACE".'],
  ])('%j', (members, message) => {
    refuses(() => readConsumerConfig(environment(members)), message);
  });

  it.each(['PIPELINE_CONFIG', 'PROCESSED_EVENTS_TABLE', 'BUSINESS_TABLE', 'TOPIC_ARN', 'QUEUE_URL', 'DLQ_URL'])(
    '%s is not set',
    (name) => {
      for (const value of [undefined, '']) {
        refuses(() => readConsumerConfig(environment({}, { [name]: value })), `${name} is not set.`);
      }
    },
  );

  it.each(['{', 'x', 'bm8gZ3ppcA=='])('PIPELINE_CONFIG is no JSON: %s', (text) => {
    const message = 'PIPELINE_CONFIG is neither JSON nor base64 of gzipped JSON.';
    refuses(() => readConsumerConfig(environment({}, { PIPELINE_CONFIG: text })), message);
  });

  it('PIPELINE_CONFIG is no object', () => {
    const packed = gzipSync('[]').toString('base64');
    refuses(
      () => readConsumerConfig(environment({}, { PIPELINE_CONFIG: packed })),
      'PIPELINE_CONFIG is not a JSON object.',
    );
  });

  it('and takes no member from the prototype', () => {
    refuses(
      () => readConsumerConfig(environment({}, { PIPELINE_CONFIG: '{"__proto__":{"name":"x"}}' })),
      'PIPELINE_CONFIG: source must be one of sqs, sqs_fifo, kinesis, dynamodb_stream; it is missing.',
    );
  });
});

describe('the relay reads its configuration', () => {
  const relay = (members: unknown) =>
    environment({ relay: members }, { BUSINESS_TABLE: undefined, QUEUE_URL: undefined, DLQ_URL: undefined });

  it('without anything of the mapping', () => {
    expect(readRelayConfig(relay({ interval_minutes: 5, sweep_hours: 24 }))).toEqual({
      settings: {
        pipelineName: 'orders',
        functionTimeoutMs: 30_000,
        deadlineMarginMs: 1_500,
        leaseMarginMs: 1_000,
        retentionDays: 30,
        topicMaxBytes: 262_144,
        concurrency: 16,
        graceMs: 60_000,
        intervalMinutes: 5,
        sweepHours: 24,
      },
      processedEventsTable: 'processed_events',
      topicArn: 'arn:aws:sns:eu-central-1:111122223333:orders',
      topicFifo: false,
      logLevel: 'INFO',
      moduleVersion: 'unknown',
    });
  });

  it('takes a sweep that is left out for switched off', () => {
    expect(readRelayConfig(relay({ interval_minutes: 1 })).settings).toMatchObject({
      intervalMinutes: 1,
      sweepHours: null,
    });
    expect(readRelayConfig(relay({ sweep_hours: null })).settings).toMatchObject({
      intervalMinutes: 5,
      sweepHours: null,
    });
  });

  it.each<[unknown, string]>([
    [undefined, 'PIPELINE_CONFIG: relay is not a JSON object.'],
    [
      { interval_minutes: 0 },
      'PIPELINE_CONFIG: relay: interval_minutes must be a whole number from 1 to 1440; it is 0.',
    ],
    [{ sweep_hours: 0.5 }, 'PIPELINE_CONFIG: relay: sweep_hours must be a whole number from 1 to 8760; it is 0.5.'],
  ])('refuses %j', (members, message) => {
    refuses(() => readRelayConfig(relay(members)), message);
  });

  it.each(['PROCESSED_EVENTS_TABLE', 'TOPIC_ARN'])('refuses to start without %s', (name) => {
    refuses(() => readRelayConfig({ ...relay({}), [name]: undefined }), `${name} is not set.`);
  });
});
