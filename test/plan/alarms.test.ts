import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { TransientReason } from '../../functions/src/core/reasons.ts';
import { root } from '../../scripts/local/checkout.ts';
import { type Plan, planned } from './planned.ts';

const alarm = (name: string) => `module.observability.aws_cloudwatch_metric_alarm.this["${name}"]`;
const composite = 'module.observability.aws_cloudwatch_composite_alarm.unhealthy[0]';
const dashboard = 'module.observability.aws_cloudwatch_dashboard.this[0]';

let plan: Plan;
beforeAll(async () => {
  plan = await planned();
}, 300_000);

const alarmsOf = (call: string) =>
  [...plan.in(call).resources.values()].filter(({ type }) => type === 'aws_cloudwatch_metric_alarm');

describe('alarms', () => {
  it('O-08: the first dead letter', () => {
    expect(plan.in('minimal').values(alarm('dlq_messages'))).toMatchObject({
      alarm_name: 'minimal-dlq-messages',
      namespace: 'AWS/SQS',
      metric_name: 'ApproximateNumberOfMessagesVisible',
      comparison_operator: 'GreaterThanThreshold',
      threshold: 0,
      statistic: 'Maximum',
      evaluation_periods: 1,
      treat_missing_data: 'notBreaching',
      dimensions: { QueueName: 'minimal-dlq' },
    });
  });

  it('O-08: on a FIFO pipeline the dimensions carry the suffix, or the alarms would watch nothing', () => {
    expect(plan.in('fifo').values(alarm('oldest_message_seconds')).dimensions).toEqual({ QueueName: 'fifo.fifo' });
    expect(plan.in('fifo').values(alarm('notifications_failed')).dimensions).toEqual({
      TopicName: 'fifo-notifications.fifo',
    });
  });

  it.each([
    ['oldest_message_seconds', 'AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName: 'minimal' }, 2700],
    ['in_flight_messages', 'AWS/SQS', 'ApproximateNumberOfMessagesNotVisible', { QueueName: 'minimal' }, 96_000],
    ['function_errors', 'AWS/Lambda', 'Errors', { FunctionName: 'minimal-consumer' }, 0],
    ['function_throttles', 'AWS/Lambda', 'Throttles', { FunctionName: 'minimal-consumer' }, 0],
    ['function_duration_percent', 'AWS/Lambda', 'Duration', { FunctionName: 'minimal-consumer' }, 27_000],
    ['concurrency_percent', 'AWS/Lambda', 'ConcurrentExecutions', { FunctionName: 'minimal-consumer' }, 45],
    ['notifications_failed', 'AWS/SNS', 'NumberOfNotificationsFailed', { TopicName: 'minimal-notifications' }, 0],
    ['rows_in_trouble', 'idempotent-pipeline', 'RowsInTrouble', { pipeline: 'minimal' }, 1000],
    ['oldest_row_in_trouble_seconds', 'idempotent-pipeline', 'OldestRowInTrouble', { pipeline: 'minimal' }, 3600],
    ['breaker_open', 'idempotent-pipeline', 'BreakerOpen', { pipeline: 'minimal' }, 0],
    ['quarantined_messages', 'idempotent-pipeline', 'Quarantined', { pipeline: 'minimal' }, 0],
    ['payload_mismatches', 'idempotent-pipeline', 'PayloadMismatches', { pipeline: 'minimal' }, 0],
    ['rows_missing_at_mark', 'idempotent-pipeline', 'RowMissingAtMark', { pipeline: 'minimal' }, 0],
    ['deferred_at_deadline', 'idempotent-pipeline', 'DeferredAtDeadline', { pipeline: 'minimal' }, 0],
    ['lease_waits', 'idempotent-pipeline', 'LeaseWaits', { pipeline: 'minimal' }, 100],
    ['relay_errors', 'AWS/Lambda', 'Errors', { FunctionName: 'minimal-relay' }, 0],
    ['relay_failures', 'idempotent-pipeline', 'RelayFailed', { pipeline: 'minimal' }, 0],
    ['sweeps_incomplete', 'idempotent-pipeline', 'SweepIncomplete', { pipeline: 'minimal' }, 0],
  ])('%s watches %s %s', (name, namespace, metric, dimensions, threshold) => {
    expect(plan.in('minimal').values(alarm(name))).toMatchObject({
      namespace,
      metric_name: metric,
      dimensions,
      threshold,
      period: 300,
    });
  });

  it('quarantined_messages watches what is returned instead where quarantine is off, as on FIFO by default', () => {
    const reason: TransientReason = 'quarantine_off';
    expect(plan.in('fifo').values(alarm('quarantined_messages'))).toMatchObject({
      namespace: 'idempotent-pipeline',
      metric_name: 'Failed',
      dimensions: { pipeline: 'fifo', reason },
      threshold: 0,
      evaluation_periods: 1,
      alarm_description: expect.stringContaining('permanent_reason'),
    });
  });

  it('table_throttles adds up both kinds over both tables', () => {
    const queries = plan.in('minimal').values(alarm('table_throttles')).metric_query;
    const metrics = queries.flatMap(({ metric }: { metric: unknown[] }) => metric);
    expect(metrics).toHaveLength(4);
    for (const table of ['minimal-business', 'minimal-processed-events']) {
      for (const metric_name of ['ReadThrottleEvents', 'WriteThrottleEvents']) {
        expect(metrics).toContainEqual(expect.objectContaining({ metric_name, dimensions: { TableName: table } }));
      }
    }
    expect(queries).toContainEqual(
      expect.objectContaining({
        return_data: true,
        expression:
          'FILL(business_read, 0) + FILL(business_write, 0) + FILL(processed_events_read, 0) + FILL(processed_events_write, 0)',
      }),
    );
  });

  it('failed_percent compares what failed with what was received', () => {
    const queries = plan.in('minimal').values(alarm('failed_percent')).metric_query;
    expect(queries).toContainEqual(
      expect.objectContaining({ expression: '100 * failed / received', return_data: true }),
    );
    expect(plan.in('minimal').values(alarm('failed_percent')).threshold).toBe(25);
  });

  it('watch only metrics that the functions write, under the dimension that they write', () => {
    const ports = readFileSync(join(root, 'functions/src/ports.ts'), 'utf8');
    const written = [...ports.slice(ports.indexOf('type MetricName')).matchAll(/\| '(\w+)'/g)].map(([, name]) => name);
    const ours = alarmsOf('minimal').filter(({ change }) => change.after?.namespace === 'idempotent-pipeline');
    expect(ours.length).toBeGreaterThan(5);
    for (const { change } of ours) expect(written).toContain(change.after?.metric_name);
  });

  it('say what to do, and where the runbook has a section for them', () => {
    const runbook = readFileSync(join(root, 'docs/operations.md'), 'utf8');
    for (const { change, address } of alarmsOf('minimal')) {
      const name = /\["(\w+)"\]/.exec(address)?.[1] ?? '';
      expect(change.after?.alarm_description).toMatch(new RegExp(`^.{40,}Runbook: docs/operations.md#${name}$`));
      expect(runbook).toContain(`### ${name}\n`);
    }
    expect(runbook).toContain('### unhealthy\n');
  });

  it('are switched off one by one, changed, and told to a topic', () => {
    expect(plan.in('shifting').resources.has(alarm('lease_waits'))).toBe(false);
    expect(plan.in('shifting').values(alarm('oldest_message_seconds')).threshold).toBe(600);
    for (const { change } of alarmsOf('shifting')) {
      expect(change.after).toMatchObject({
        alarm_actions: ['arn:aws:sns:us-east-1:111122223333:on-call'],
        ok_actions: ['arn:aws:sns:us-east-1:111122223333:on-call'],
      });
      expect(change.after?.alarm_description).toContain('https://example.com/runbook#');
    }
  });

  it('no_traffic_minutes is off until its owner says how long a pause is normal; then silence is the alarm', () => {
    expect(plan.in('minimal').resources.has(alarm('no_traffic_minutes'))).toBe(false);
    expect(plan.in('shifting').values(alarm('no_traffic_minutes'))).toMatchObject({
      metric_name: 'NumberOfMessagesSent',
      comparison_operator: 'LessThanThreshold',
      threshold: 1,
      period: 1800,
      treat_missing_data: 'breaching',
    });
  });

  it('without a relay nothing watches it; without a limit nothing watches the limit', () => {
    for (const name of ['relay_errors', 'relay_failures', 'sweeps_incomplete']) {
      expect(plan.in('existing_dlq').resources.has(alarm(name))).toBe(false);
    }
    expect(plan.in('tuned').resources.has(alarm('concurrency_percent'))).toBe(false);
  });

  it('one composite is on while any of those that mean harm is', () => {
    const rule = plan.in('minimal').values(composite).alarm_rule as string;
    expect(rule.split(' OR ')).toEqual(
      expect.arrayContaining([
        'ALARM("minimal-dlq-messages")',
        'ALARM("minimal-function-errors")',
        'ALARM("minimal-relay-errors")',
      ]),
    );
    expect(rule).not.toContain('lease-waits');
  });

  it('all of it can be switched off', () => {
    const left = [...plan.in('silent').resources.keys()].filter((address) =>
      address.startsWith('module.observability'),
    );
    expect(left).toEqual([]);
    expect(plan.output('silent')).toMatchObject({ unhealthy_alarm_arn: null, dashboard_name: null });
  });
});

describe('the dashboard', () => {
  it('answers four questions, on a grid without overlaps', () => {
    const { widgets } = JSON.parse(plan.in('minimal').values(dashboard).dashboard_body) as { widgets: Widget[] };
    expect(widgets.filter(({ type }) => type === 'text').map(({ properties }) => properties.markdown)).toEqual([
      '## Is it flowing?',
      '## Is it keeping up?',
      '## What fails, and why?',
      '## What does it cost?',
    ]);
    const cells = new Set<string>();
    for (const { x, y, width, height } of widgets) {
      expect(x + width).toBeLessThanOrEqual(24);
      for (let column = x; column < x + width; column++) {
        for (let row = y; row < y + height; row++) {
          expect(cells.has(`${column},${row}`)).toBe(false);
          cells.add(`${column},${row}`);
        }
      }
    }
  });

  it('C-70: shows invocations that Lambda dropped as a loop', () => {
    expect(plan.in('minimal').values(dashboard).dashboard_body).toContain('RecursiveInvocationsDropped');
  });
});

interface Widget {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: { readonly markdown?: string };
}
