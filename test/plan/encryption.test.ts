import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Plan, planned } from './planned.ts';
import { account } from './sts.ts';

const queue = 'module.queue[0].aws_sqs_queue.main';
const dlq = 'module.queue[0].aws_sqs_queue.dlq[0]';
const topic = 'module.topic[0].aws_sns_topic.this';
const tables = ['module.tables.aws_dynamodb_table.processed_events[0]', 'module.tables.aws_dynamodb_table.business[0]'];
const consumer = 'module.consumer.module.function.aws_lambda_function.this';
const logs = (role: string) => `${role}.module.function.aws_cloudwatch_log_group.this[0]`;
const key = (id: string) => `arn:aws:kms:us-east-1:${account}:key/${id}`;

let plan: Plan;
beforeAll(async () => {
  plan = await planned();
}, 300_000);

describe('without a key', () => {
  it('T-10: queue and dead-letter queue are encrypted by SQS, and no key is named', () => {
    for (const name of [queue, dlq]) {
      expect(plan.in('minimal').values(name)).toMatchObject({ sqs_managed_sse_enabled: true, kms_master_key_id: null });
    }
  });

  it('nothing else names a key', () => {
    expect(plan.in('minimal').values(topic).kms_master_key_id).toBeNull();
    for (const table of tables) expect(plan.in('minimal').values(table).server_side_encryption ?? []).toEqual([]);
    expect(plan.in('minimal').values(logs('module.consumer')).kms_key_id).toBeNull();
    expect(plan.in('minimal').values(consumer).kms_key_arn).toBeNull();
    expect(plan.output('minimal').kms_policy_statements).toEqual([]);
  });
});

describe('with a key of the caller', () => {
  it('T-10: it is on queue and dead-letter queue, and the switch of SQS is null, not false', () => {
    for (const name of [queue, dlq]) {
      expect(plan.in('encrypted').values(name)).toMatchObject({
        kms_master_key_id: key('one'),
        kms_data_key_reuse_period_seconds: 600,
      });
      // Null in the configuration: the provider computes it, so it is unknown in the plan and never a change later.
      expect(plan.in('encrypted').values(name).sqs_managed_sse_enabled).toBeUndefined();
      expect(plan.in('encrypted').unknown(name).sqs_managed_sse_enabled).toBe(true);
    }
  });

  it('it is on topic, tables, logs and environment, the latter two because they were asked for', () => {
    expect(plan.in('encrypted').values(topic).kms_master_key_id).toBe(key('one'));
    for (const table of tables) {
      expect(plan.in('encrypted').values(table).server_side_encryption).toEqual([
        { enabled: true, kms_key_arn: key('one') },
      ]);
    }
    for (const role of ['module.consumer', 'module.relay[0]']) {
      expect(plan.in('encrypted').values(logs(role)).kms_key_id).toBe(key('one'));
    }
    expect(plan.in('encrypted').values(consumer).kms_key_arn).toBe(key('one'));
  });

  it('T-15: logs and environment are off unless asked for', () => {
    expect(plan.in('own_key').values(logs('module.consumer')).kms_key_id).toBeNull();
    expect(plan.in('own_key').values(consumer).kms_key_arn).toBeNull();
    expect(plan.in('own_key').unknown(consumer).kms_key_arn ?? false).toBe(false);
  });

  const statement = (sid: string) =>
    plan.output('encrypted').kms_policy_statements.find(({ Sid }: { Sid: string }) => Sid === sid);

  it.each([
    ['T-22', 'SendUploads', 's3.amazonaws.com', 'arn:aws:s3:::uploads'],
    ['T-20', 'SendRule', 'events.amazonaws.com', `arn:aws:events:us-east-1:${account}:rule/r`],
    ['T-21', 'SendTopic', 'sns.amazonaws.com', `arn:aws:sns:us-east-1:${account}:t`],
  ])('%s: the statement for the key lets %s use it, from its source and account only', (_, sid, service, source) => {
    expect(statement(sid)).toEqual({
      Sid: sid,
      Effect: 'Allow',
      Principal: { Service: service },
      Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
      Resource: '*',
      Condition: { StringEquals: { 'aws:SourceAccount': account }, ArnLike: { 'aws:SourceArn': source } },
    });
  });

  it('an account that sends uses the key through SQS only', () => {
    expect(statement('SendPartner')).toMatchObject({
      Principal: { AWS: 'arn:aws:iam::777788889999:root' },
      Condition: {
        StringEquals: { 'aws:PrincipalAccount': '777788889999', 'kms:ViaService': 'sqs.us-east-1.amazonaws.com' },
      },
    });
  });

  it('T-15: the service of the logs may use it, for these two groups', () => {
    expect(statement('Logs')).toMatchObject({
      Principal: { Service: 'logs.us-east-1.amazonaws.com' },
      Condition: {
        ArnEquals: {
          'kms:EncryptionContext:aws:logs:arn': ['consumer', 'relay'].map(
            (name) => `arn:aws:logs:us-east-1:${account}:log-group:/aws/lambda/encrypted-${name}`,
          ),
        },
      },
    });
  });
});

describe('with a key that the module creates', () => {
  it('T-30: its policy names the account and the senders, and no role', () => {
    const { Statement } = plan.in('own_key').policy('module.key[0].aws_kms_key.this');
    expect(Statement).toEqual([
      {
        Sid: 'Account',
        Effect: 'Allow',
        Principal: { AWS: `arn:aws:iam::${account}:root` },
        Action: 'kms:*',
        Resource: '*',
      },
      expect.objectContaining({ Sid: 'SendUploads', Principal: { Service: 's3.amazonaws.com' } }),
    ]);
    expect(plan.in('own_key').values('module.key[0].aws_kms_key.this')).toMatchObject({ enable_key_rotation: true });
  });

  it('is what encrypts the queues', () => {
    expect(plan.in('own_key').unknown(queue).kms_master_key_id).toBe(true);
    expect(plan.in('own_key').unknown(dlq).kms_master_key_id).toBe(true);
  });
});

describe('the roles', () => {
  const statements = (call: string, role: string) =>
    Object.fromEntries(
      plan
        .in(call)
        .policy(`${role}.aws_iam_role_policy.pipeline`)
        .Statement.map(({ Sid, ...rest }) => [Sid, rest]),
    );

  it('T-28: publish to an encrypted topic by exactly these two actions on its key', () => {
    for (const role of ['module.consumer', 'module.relay[0]']) {
      expect(statements('existing_encrypted', role).TopicKeys).toEqual({
        Effect: 'Allow',
        Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
        Resource: [key('topic')],
      });
    }
  });

  it('the consumer reads and quarantines with the key of the queues', () => {
    expect(statements('existing_encrypted', 'module.consumer').QueueKeys).toEqual({
      Effect: 'Allow',
      Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
      Resource: [key('queue')],
    });
    expect(statements('existing_encrypted', 'module.relay[0]').QueueKeys).toBeUndefined();
  });

  it('use the keys of the tables through DynamoDB only; the relay that of processed_events alone', () => {
    const viaDynamo = { StringEquals: { 'kms:ViaService': 'dynamodb.us-east-1.amazonaws.com' } };
    expect(statements('existing_encrypted', 'module.consumer').TableKeys).toMatchObject({
      Resource: [key('events'), key('business')],
      Condition: viaDynamo,
    });
    expect(statements('existing_encrypted', 'module.relay[0]').TableKeys).toMatchObject({
      Resource: [key('events')],
      Condition: viaDynamo,
    });
  });

  it('without keys have no statement for one', () => {
    for (const role of ['module.consumer', 'module.relay[0]']) {
      expect(JSON.stringify(statements('existing', role))).not.toContain('kms:');
    }
  });

  it('O-10: what was encrypted with a retired key can still be read', () => {
    expect(statements('handler', 'module.consumer').QueueKeys.Resource).toEqual([key('retired')]);
  });
});
