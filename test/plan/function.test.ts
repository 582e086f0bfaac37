import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Plan, planned } from './planned.ts';
import { account } from './sts.ts';

const consumer = 'module.consumer.module.function.aws_lambda_function.this';
const relay = 'module.relay[0].module.function.aws_lambda_function.this';
const mapping = 'module.consumer.aws_lambda_event_source_mapping.this';
const alias = 'module.consumer.aws_lambda_alias.live[0]';

let plan: Plan;
beforeAll(async () => {
  plan = await planned();
}, 300_000);

const base = (call: string, role: string) =>
  Object.fromEntries(
    plan
      .in(call)
      .policy(`${role}.module.function.aws_iam_role_policy.this`)
      .Statement.map(({ Sid, ...rest }) => [Sid, rest]),
  );

describe('network, identity and logs of both functions', () => {
  it('run in the subnets and groups of the caller, with what Lambda needs for that', () => {
    for (const name of [consumer, relay]) {
      expect(plan.in('handler').values(name).vpc_config).toMatchObject([
        { subnet_ids: ['subnet-1', 'subnet-2'], security_group_ids: ['sg-1'], ipv6_allowed_for_dual_stack: true },
      ]);
    }
    expect(base('handler', 'module.consumer').Network.Action).toEqual(
      expect.arrayContaining([
        'ec2:CreateNetworkInterface',
        'ec2:DeleteNetworkInterface',
        'ec2:DescribeNetworkInterfaces',
      ]),
    );
  });

  it('have roles within the boundary and under the path', () => {
    for (const role of ['module.consumer', 'module.relay[0]']) {
      expect(plan.in('handler').values(`${role}.module.function.aws_iam_role.this`)).toMatchObject({
        permissions_boundary: `arn:aws:iam::${account}:policy/boundary`,
        path: '/pipelines/',
      });
    }
    expect(
      plan.in('minimal').values('module.consumer.module.function.aws_iam_role.this').permissions_boundary,
    ).toBeNull();
  });

  it('T-14: write to the log group of the caller, and only there', () => {
    expect(base('handler', 'module.consumer').Logs).toEqual({
      Effect: 'Allow',
      Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      Resource: `arn:aws:logs:us-east-1:${account}:log-group:their-logs:*`,
    });
    for (const name of [consumer, relay])
      expect(plan.in('handler').values(name).logging_config[0].log_group).toBe('their-logs');
    expect([...plan.in('handler').resources.keys()].filter((address) => address.includes('log_group'))).toEqual([]);
  });

  it('trace when asked to', () => {
    expect(base('handler', 'module.consumer').Traces.Action).toEqual([
      'xray:PutTraceSegments',
      'xray:PutTelemetryRecords',
    ]);
    expect(base('handler', 'module.consumer').Environment).toBeUndefined();
  });
});

describe('a handler of the caller', () => {
  it('may write to the tables and notify the topics that were named, and to no business table', () => {
    const statements = Object.fromEntries(
      plan
        .in('handler')
        .policy('module.consumer.aws_iam_role_policy.pipeline')
        .Statement.map(({ Sid, ...rest }) => [Sid, rest]),
    );
    expect(statements.BusinessWrites).toEqual({
      Effect: 'Allow',
      Action: [
        'dynamodb:BatchGetItem',
        'dynamodb:ConditionCheckItem',
        'dynamodb:DeleteItem',
        'dynamodb:PutItem',
        'dynamodb:UpdateItem',
      ],
      Resource: [
        `arn:aws:dynamodb:us-east-1:${account}:table/orders`,
        `arn:aws:dynamodb:us-east-1:${account}:table/stock`,
      ],
    });
    expect(statements.Announce.Resource).toEqual([
      `arn:aws:sns:us-east-1:${account}:their-topic`,
      `arn:aws:sns:us-east-1:${account}:stock`,
    ]);
    expect(statements.TableKeys.Resource).toEqual([`arn:aws:kms:us-east-1:${account}:key/orders`]);
    expect(statements.TopicKeys.Resource).toEqual([`arn:aws:kms:us-east-1:${account}:key/stock`]);
  });
});

describe('scaling and deployment', () => {
  it('provisioned pollers instead of a maximum, within the reservation', () => {
    expect(plan.in('handler').values(mapping)).toMatchObject({
      scaling_config: [],
      provisioned_poller_config: [{ minimum_pollers: 2, maximum_pollers: 4 }],
    });
    expect(plan.in('handler').values(consumer).reserved_concurrent_executions).toBe(40);
    expect(plan.in('handler').values(relay).reserved_concurrent_executions).toBe(-1);
  });

  it('without the option there is no alias, and the mapping invokes the function', () => {
    expect(plan.in('minimal').resources.has(alias)).toBe(false);
    expect(plan.in('minimal').values(consumer).publish).toBe(false);
  });

  it('with the option every change is a version, and the alias follows it', () => {
    expect(plan.in('handler').values(consumer).publish).toBe(true);
    expect(plan.in('handler').values(alias)).toMatchObject({
      name: 'live',
      function_name: 'handler-consumer',
      routing_config: [],
    });
    expect(plan.in('handler').unknown(alias).function_version).toBe(true);
    expect(
      plan.in('handler').values('module.consumer.aws_lambda_provisioned_concurrency_config.live[0]'),
    ).toMatchObject({
      qualifier: 'live',
      provisioned_concurrent_executions: 5,
    });
  });

  it('a gradual shift keeps the alias on the stable version and gives the newest its share', () => {
    expect(plan.in('shifting').values(alias)).toMatchObject({ function_version: '7' });
    // The newest version's number is only known after the apply; which one it is, the configuration says.
    expect(plan.in('shifting').unknown(alias).routing_config).toBeTruthy();
  });

  it('caps the tables where asked, explicitly without a cap elsewhere', () => {
    expect(
      plan.in('shifting').values('module.tables.aws_dynamodb_table.processed_events[0]').on_demand_throughput,
    ).toEqual([{ max_read_request_units: -1, max_write_request_units: 500 }]);
    expect(plan.in('shifting').values('module.tables.aws_dynamodb_table.business[0]').on_demand_throughput).toEqual([
      { max_read_request_units: 300, max_write_request_units: 400 },
    ]);
  });
});
