import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Plan, planned } from './planned.ts';

const lambda = 'module.relay[0].module.function.aws_lambda_function.this';
const rule = 'module.relay[0].aws_cloudwatch_event_rule.schedule';
const permission = 'module.relay[0].aws_lambda_permission.schedule';

let plan: Plan;
beforeAll(async () => {
  plan = await planned();
}, 300_000);

describe('the relay', () => {
  it("is on by default: a function on the consumer's zip, every five minutes", () => {
    expect(plan.in('minimal').values(lambda)).toMatchObject({
      function_name: 'minimal-relay',
      handler: 'relay.handler',
      timeout: 30,
    });
    expect(plan.in('minimal').values(lambda).source_code_hash).toBe(
      plan.in('minimal').values('module.consumer.module.function.aws_lambda_function.this').source_code_hash,
    );
    expect(plan.in('minimal').values(rule)).toMatchObject({
      name: 'minimal-relay',
      schedule_expression: 'rate(5 minutes)',
    });
  });

  it('knows that one minute is singular', () => {
    expect(plan.in('tuned').values(rule)).toMatchObject({ schedule_expression: 'rate(1 minute)' });
  });

  it('is invoked by its rule alone, and never again for the same run', () => {
    expect(plan.in('minimal').values(permission)).toMatchObject({
      action: 'lambda:InvokeFunction',
      function_name: 'minimal-relay',
      principal: 'events.amazonaws.com',
    });
    // Both out of the rule: under depends_on a data source is unknown, and would replace the permission (T-34).
    for (const argument of ['source_account', 'source_arn']) {
      expect(plan.in('minimal').configuration(permission).expressions?.[argument]).toMatchObject({
        references: ['aws_cloudwatch_event_rule.schedule.arn', 'aws_cloudwatch_event_rule.schedule'],
      });
    }
    expect(plan.in('minimal').values('module.relay[0].aws_lambda_function_event_invoke_config.this')).toMatchObject({
      maximum_retry_attempts: 0,
    });
  });

  it('may find rows, publish and mark, and can commit nothing', () => {
    const statements = plan.in('existing').policy('module.relay[0].aws_iam_role_policy.pipeline').Statement;
    expect(statements).toEqual([
      {
        Sid: 'ProcessedEvents',
        Effect: 'Allow',
        Action: ['dynamodb:BatchGetItem', 'dynamodb:PartiQLUpdate', 'dynamodb:Scan'],
        Resource: 'arn:aws:dynamodb:us-east-1:111122223333:table/their-events',
      },
      {
        Sid: 'RowsInTrouble',
        Effect: 'Allow',
        Action: 'dynamodb:Query',
        Resource: 'arn:aws:dynamodb:us-east-1:111122223333:table/their-events/index/relay',
      },
      {
        Sid: 'Announce',
        Effect: 'Allow',
        Action: 'sns:Publish',
        Resource: ['arn:aws:sns:us-east-1:111122223333:their-topic'],
      },
    ]);
  });

  it('is gone with everything of it when it is switched off', () => {
    expect(
      [...plan.in('existing_dlq').resources.keys()].filter((address) => address.startsWith('module.relay')),
    ).toEqual([]);
  });
});
