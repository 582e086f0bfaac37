import { beforeAll, describe, expect, it } from '@jest/globals';
import { consumersOf } from '../../scripts/try/plan.ts';
import { type Plan, planned } from './planned.ts';

const consumer = 'module.consumer.module.function.aws_lambda_function.this';
const relay = 'module.relay[0].module.function.aws_lambda_function.this';

let plan: Plan;
beforeAll(async () => {
  plan = await planned();
}, 300_000);

const variables = (call: string, address: string) =>
  plan.in(call).values(address).environment[0].variables as Record<string, string>;
const config = (call: string, which: 'consumer' | 'relay') =>
  JSON.parse(plan.output(call).configuration[which] as string);

describe('what the functions are told', () => {
  it('the defaults, without a null among them', () => {
    expect(config('minimal', 'consumer')).toEqual({
      name: 'minimal',
      source: 'sqs',
      envelope: 'none',
      event_id: 'event_id',
      event_id_prefix: '',
      business_key: 'order_id',
      business_hash_key_name: 'pk',
      business_hash_key_type: 'S',
      on_existing_key: 'reject',
      notification_attributes: {},
      function_timeout_seconds: 30,
      max_receive_count: 12,
      backoff_base_seconds: 10,
      backoff_cap_seconds: 900,
      quarantine: true,
      grouping: true,
      processed_events_retention_days: 30,
      topic_fifo: false,
      topic_max_bytes: 262_144,
      batch_size: 10,
      log_level: 'INFO',
    });
  });

  it('FIFO: another source, five receives, no quarantine', () => {
    expect(config('fifo', 'consumer')).toMatchObject({
      source: 'sqs_fifo',
      max_receive_count: 5,
      quarantine: false,
      topic_fifo: true,
    });
  });

  it('everything that the caller writes', () => {
    expect(config('tuned', 'consumer')).toEqual({
      name: 'tuned',
      source: 'sqs',
      envelope: 'eventbridge',
      event_filter: "kind == 'order'",
      event_id: 'id',
      event_id_prefix: 'orders#',
      fingerprint: 'body',
      correlation_id: 'trace.id',
      json_schema: '{"type":"object"}',
      business_key: 'order.id',
      business_sort_key: 'order.line',
      business_item: 'order',
      business_hash_key_name: 'id',
      business_hash_key_type: 'N',
      business_sort_key_name: 'line',
      business_sort_key_type: 'N',
      on_existing_key: 'newer',
      version: 'version',
      notification: '{id: id}',
      notification_subject: 'kind',
      notification_attributes: { kind: 'kind' },
      function_timeout_seconds: 60,
      max_receive_count: 7,
      backoff_base_seconds: 4,
      backoff_cap_seconds: 60,
      quarantine: false,
      grouping: false,
      processed_events_retention_days: 5,
      topic_fifo: false,
      topic_max_bytes: 100_000,
      batch_size: 100,
      log_level: 'DEBUG',
    });
    expect(variables('existing', consumer).SOME_NAME).toBe('some value');
    expect(variables('existing', relay).SOME_NAME).toBe('some value');
  });

  it('the receives of a queue that is brought along are its own', () => {
    expect(config('existing', 'consumer')).toMatchObject({ max_receive_count: 9 });
  });

  it('names and URLs of what is brought along', () => {
    expect(variables('existing', consumer)).toMatchObject({
      PROCESSED_EVENTS_TABLE: 'their-events',
      BUSINESS_TABLE: 'their-business',
      TOPIC_ARN: 'arn:aws:sns:us-east-1:111122223333:their-topic',
      QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/111122223333/their-queue',
      DLQ_URL: 'https://sqs.us-east-1.amazonaws.com/111122223333/their-dlq',
    });
  });

  it('the relay: its times, no expressions, no queue', () => {
    expect(config('minimal', 'relay')).toEqual({
      name: 'minimal',
      source: 'sqs',
      function_timeout_seconds: 30,
      processed_events_retention_days: 30,
      topic_fifo: false,
      topic_max_bytes: 262_144,
      log_level: 'INFO',
      relay: { interval_minutes: 5, sweep_hours: 24 },
    });
    expect(config('tuned', 'relay')).toMatchObject({
      relay: { interval_minutes: 1, sweep_hours: 12 },
      function_timeout_seconds: 60,
    });
    expect(Object.keys(variables('existing', relay)).sort()).toEqual([
      'MODULE_VERSION',
      'PIPELINE_CONFIG',
      'PROCESSED_EVENTS_TABLE',
      'SOME_NAME',
      'TOPIC_ARN',
    ]);
  });

  it('is found by `make try`, once for each pipeline', () => {
    const found = consumersOf(plan.json);
    const names = found.map(({ environment }) => JSON.parse(environment.PIPELINE_CONFIG ?? '').name);
    // New, so that its topic's ARN and with it all variables are unknown; and brought along, so that none is.
    expect(names).toEqual(expect.arrayContaining(['minimal', 'existing']));
    expect(new Set(names).size).toBe(names.length);
    const existing = found.find(({ address }) => address === `module.existing.${consumer}`);
    expect(existing?.environment).toMatchObject(variables('existing', consumer));
  });

  it('is what reaches them in PIPELINE_CONFIG', () => {
    expect(variables('existing', consumer).PIPELINE_CONFIG).toBe(plan.output('existing').configuration.consumer);
    expect(variables('existing', relay).PIPELINE_CONFIG).toBe(plan.output('existing').configuration.relay);
  });

  it('which release of the module it is', () => {
    expect(variables('existing', consumer).MODULE_VERSION).toMatch(/^\d+\.\d+\.\d+$/);
  });
});
