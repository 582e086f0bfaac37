import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Plan, planned } from './planned.ts';
import { account } from './sts.ts';

const lambda = 'module.consumer.module.function.aws_lambda_function.this';
const mapping = 'module.consumer.aws_lambda_event_source_mapping.this';
const role = 'module.consumer.module.function.aws_iam_role.this';
const logs = 'module.consumer.module.function.aws_cloudwatch_log_group.this[0]';
const pipeline = 'module.consumer.aws_iam_role_policy.pipeline';
const base = 'module.consumer.module.function.aws_iam_role_policy.this';

let plan: Plan;
beforeAll(async () => {
  plan = await planned();
}, 300_000);

describe('the consumer', () => {
  it('runs on Node.js 22, arm64, 512 MB, 30 s, without a reservation', () => {
    expect(plan.in('minimal').values(lambda)).toMatchObject({
      function_name: 'minimal-consumer',
      handler: 'consumer.handler',
      runtime: 'nodejs22.x',
      architectures: ['arm64'],
      memory_size: 512,
      timeout: 30,
      publish: false,
      tracing_config: [{ mode: 'PassThrough' }],
      vpc_config: [],
      kms_key_arn: null,
    });
  });

  it('T-31: sets no concurrency aside', () => {
    expect(plan.in('minimal').values(lambda).reserved_concurrent_executions).toBe(-1);
  });

  it('takes every setting of the caller', () => {
    expect(plan.in('tuned').values(lambda)).toMatchObject({
      architectures: ['x86_64'],
      memory_size: 1024,
      timeout: 60,
      tracing_config: [{ mode: 'Active' }],
      logging_config: [{ log_format: 'JSON', application_log_level: 'DEBUG' }],
      tags: { team: 'orders' },
    });
    expect(plan.in('tuned').values(logs)).toMatchObject({ retention_in_days: 7 });
  });

  it('T-14: logs JSON to a group that is created before it, with an end to its retention', () => {
    expect(plan.in('minimal').values(logs)).toMatchObject({
      name: '/aws/lambda/minimal-consumer',
      retention_in_days: 30,
    });
    expect(plan.in('minimal').values(lambda).logging_config).toMatchObject([
      { log_format: 'JSON', log_group: '/aws/lambda/minimal-consumer' },
    ]);
    expect(JSON.stringify(plan.in('minimal').configuration(lambda).expressions?.logging_config)).toContain(
      'local.log_group',
    );
  });

  it('T-14: metrics are log lines without a level, so Lambda never filters above INFO', () => {
    for (const name of ['minimal', 'fifo', 'existing']) {
      expect(plan.in(name).values(lambda).logging_config[0].application_log_level).toBe('INFO');
    }
  });
});

describe('the mapping', () => {
  it('T-36: always reports failures one by one, in every pipeline and every example', () => {
    const mappings = plan.json.resource_changes.filter(({ type }) => type === 'aws_lambda_event_source_mapping');
    expect(mappings.length).toBeGreaterThanOrEqual(9);
    for (const { change } of mappings)
      expect(change.after?.function_response_types).toEqual(['ReportBatchItemFailures']);
  });

  it('takes ten messages without waiting, fifty invocations at once', () => {
    expect(plan.in('minimal').values(mapping)).toMatchObject({
      batch_size: 10,
      maximum_batching_window_in_seconds: 0,
      enabled: true,
      scaling_config: [{ maximum_concurrency: 50 }],
      provisioned_poller_config: [],
      filter_criteria: [],
    });
  });

  it('T-01: null leaves the limit out; enabled = false stops it and changes nothing else', () => {
    expect(plan.in('tuned').values(mapping)).toMatchObject({
      batch_size: 100,
      maximum_batching_window_in_seconds: 1,
      enabled: false,
      scaling_config: [],
    });
    expect(plan.in('tuned').resources.size).toBeGreaterThanOrEqual(plan.in('minimal').resources.size);
  });

  it('consumes the queue that was brought along', () => {
    expect(plan.in('existing').values(mapping).event_source_arn).toBe('arn:aws:sqs:us-east-1:111122223333:their-queue');
  });

  it('T-16: is created after every policy of the role', () => {
    expect(plan.in('minimal').configuration(mapping).depends_on).toEqual([
      'aws_iam_role_policy.pipeline',
      'module.function',
    ]);
    const policies = [...plan.in('minimal').resources.keys()].filter((address) =>
      /^module\.consumer\..*aws_iam_role_policy/.test(address),
    );
    expect(policies.sort()).toEqual([pipeline, base].sort());
  });
});

describe('the role', () => {
  it("is Lambda's to assume, for this account only, under a name that two Regions can share", () => {
    expect(plan.in('minimal').policy(role, 'assume_role_policy').Statement).toEqual([
      {
        Effect: 'Allow',
        Principal: { Service: 'lambda.amazonaws.com' },
        Action: 'sts:AssumeRole',
        Condition: { StringEquals: { 'aws:SourceAccount': account } },
      },
    ]);
    expect(plan.in('minimal').values(role)).toMatchObject({ name_prefix: 'minimal-consumer-', path: '/' });
  });

  it('may do on each resource what the consumer does there, and nothing more', () => {
    const allowed = Object.fromEntries(
      plan
        .in('existing')
        .policy(pipeline)
        .Statement.map(({ Effect, Action, Resource }) => [String(Resource), [Effect, [Action].flat()]]),
    );
    expect(allowed).toEqual({
      'arn:aws:sqs:us-east-1:111122223333:their-queue': [
        'Allow',
        ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
      ],
      'arn:aws:sqs:us-east-1:111122223333:their-dlq': ['Allow', ['sqs:SendMessage']],
      'arn:aws:dynamodb:us-east-1:111122223333:table/their-events': [
        'Allow',
        ['dynamodb:BatchGetItem', 'dynamodb:PartiQLUpdate', 'dynamodb:PutItem'],
      ],
      // The mapping puts the business item, and does nothing else to the table.
      'arn:aws:dynamodb:us-east-1:111122223333:table/their-business': ['Allow', ['dynamodb:PutItem']],
      'arn:aws:sns:us-east-1:111122223333:their-topic': ['Allow', ['sns:Publish']],
    });
  });

  it('T-14: may write to its log group, and not create one', () => {
    const policies = plan.json.resource_changes.filter(({ type }) => type === 'aws_iam_role_policy');
    for (const { change } of policies) expect(String(change.after?.policy ?? '')).not.toContain('CreateLogGroup');
    expect(JSON.stringify(plan.in('minimal').configuration(base).expressions)).toContain('local.statements');
  });
});
