import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Plan, planned } from './planned.ts';

let plan: Plan;
beforeAll(async () => {
  plan = await planned();
}, 300_000);

describe('T-09: ARNs that this very plan creates', () => {
  it.each([
    [
      'same_apply',
      'existing_dlq, both tables, topic, log group, key, retired keys, senders, handler tables and topics, network, boundary, alarm topics, environment',
    ],
    ['same_apply_queue', 'existing_queue with its key, and subscriptions'],
    ['example_bring_your_own', 'the example'],
  ])('%s plans in one step: %s', (call) => {
    expect(plan.in(call).resources.size).toBeGreaterThan(10);
    for (const { change } of plan.in(call).resources.values()) expect(change.actions).toEqual(['create']);
  });

  it('what is brought along is not created', () => {
    const created = new Set([...plan.in('same_apply').resources.values()].map(({ type }) => type));
    for (const type of ['aws_dynamodb_table', 'aws_sns_topic', 'aws_cloudwatch_log_group', 'aws_kms_key']) {
      expect(created.has(type)).toBe(false);
    }
    expect([...plan.in('same_apply').resources.keys()].filter((address) => address.includes('aws_sqs_queue'))).toEqual([
      'module.queue[0].aws_sqs_queue.main',
    ]);
  });

  it('no address holds an ARN: keys are labels', () => {
    for (const address of plan.resources.keys()) expect(address).not.toMatch(/arn:|known after/);
  });

  it('T-34: under depends_on, where data sources are unknown, nothing that forces a replacement is', () => {
    const forcing: Record<string, readonly string[]> = {
      aws_sqs_queue: ['name', 'fifo_queue'],
      aws_dynamodb_table: ['name', 'hash_key', 'range_key'],
      aws_sns_topic: ['name', 'fifo_topic'],
      aws_lambda_function: ['function_name'],
      aws_cloudwatch_log_group: ['name'],
      aws_cloudwatch_event_rule: ['name'],
      aws_cloudwatch_metric_alarm: ['alarm_name'],
    };
    const seen = new Set<string>();
    for (const { type, change, address } of plan.in('depending').resources.values()) {
      for (const argument of forcing[type] ?? []) {
        seen.add(type);
        expect([address, argument, change.after_unknown[argument] ?? false]).toEqual([address, argument, false]);
      }
    }
    expect([...seen].sort()).toEqual(Object.keys(forcing).sort());
  });
});
