import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Plan, planned } from './planned.ts';
import { account } from './sts.ts';

const main = 'module.queue[0].aws_sqs_queue.main';
const dlq = 'module.queue[0].aws_sqs_queue.dlq[0]';
const arn = (name: string) => `arn:aws:sqs:us-east-1:${account}:${name}`;

let plan: Plan;
beforeAll(async () => {
  plan = await planned();
}, 300_000);

describe('the queues', () => {
  it('are standard, kept 4 and 14 days, and encrypted by SQS', () => {
    const queues = plan.in('minimal');
    expect(queues.values(main)).toMatchObject({
      name: 'minimal',
      fifo_queue: false,
      message_retention_seconds: 345_600,
      delay_seconds: 0,
      sqs_managed_sse_enabled: true,
      kms_master_key_id: null,
    });
    expect(queues.values(dlq)).toMatchObject({
      name: 'minimal-dlq',
      fifo_queue: false,
      message_retention_seconds: 1_209_600,
      sqs_managed_sse_enabled: true,
      kms_master_key_id: null,
    });
  });

  it('T-04: hide a message for 6 x the timeout of the function', () => {
    expect(plan.in('minimal').values(main)).toMatchObject({ visibility_timeout_seconds: 180 });
  });

  it('T-06: the dead-letter queue follows the queue', () => {
    const queues = plan.in('fifo');
    expect(queues.values(main)).toMatchObject({
      name: 'fifo.fifo',
      fifo_queue: true,
      content_based_deduplication: false,
    });
    expect(queues.values(dlq)).toMatchObject({ name: 'fifo-dlq.fifo', fifo_queue: true });
    for (const queue of [main, dlq]) {
      expect(queues.values(queue)).toMatchObject({
        deduplication_scope: 'messageGroup',
        fifo_throughput_limit: 'perMessageGroupId',
      });
    }
  });

  it('take every setting of the caller', () => {
    const queues = plan.in('tuned');
    expect(queues.values(main)).toMatchObject({
      visibility_timeout_seconds: 500,
      message_retention_seconds: 86_400,
      delay_seconds: 3,
      max_message_size: 65_536,
      tags: { team: 'orders' },
    });
    expect(queues.values(dlq)).toMatchObject({ message_retention_seconds: 172_800, max_message_size: 65_536 });
  });
});

describe('redrive', () => {
  it('T-11: the queue refers to the dead-letter queue, which names the queue as text: no cycle', () => {
    expect(plan.in('minimal').configuration(main).expressions?.redrive_policy).toMatchObject({
      references: expect.arrayContaining(['aws_sqs_queue.dlq', 'var.max_receive_count']),
    });
    expect(plan.in('minimal').policy(dlq, 'redrive_allow_policy')).toEqual({
      redrivePermission: 'byQueue',
      sourceQueueArns: [arn('minimal')],
    });
  });

  it('T-11: on FIFO the text carries the suffix', () => {
    expect(plan.in('fifo').policy(dlq, 'redrive_allow_policy')).toMatchObject({ sourceQueueArns: [arn('fifo.fifo')] });
  });

  it('T-41: the redrive allow policy can be switched off, explicitly', () => {
    expect(plan.in('tuned').policy(dlq, 'redrive_allow_policy')).toEqual({ redrivePermission: 'allowAll' });
  });

  it('T-12: counts are numbers, also where a caller wrote text', () => {
    expect(plan.in('existing_dlq').policy(main, 'redrive_policy')).toEqual({
      deadLetterTargetArn: arn('their-dlq'),
      maxReceiveCount: 6,
    });
  });

  it('with a dead-letter queue that is brought along, none is created', () => {
    expect(plan.in('existing_dlq').resources.has(dlq)).toBe(false);
    expect(plan.in('existing_dlq').resources.has(main)).toBe(true);
  });

  it('with a queue that is brought along, neither is created', () => {
    expect([...plan.in('existing').resources.keys()].filter((address) => address.includes('aws_sqs_queue'))).toEqual(
      [],
    );
  });
});

describe('T-23: what uses the ARN of the queue finds its policies in force', () => {
  it('policies of queues, topics and keys are arguments, never resources that come later', () => {
    const types = new Set([...plan.resources.values()].map(({ type }) => type));
    for (const later of [
      'aws_sqs_queue_policy',
      'aws_sqs_queue_redrive_policy',
      'aws_sqs_queue_redrive_allow_policy',
      'aws_sns_topic_policy',
      'aws_kms_key_policy',
    ]) {
      expect(types.has(later)).toBe(false);
    }
  });

  it('the notification of the bucket in the example takes the ARN from the module', () => {
    const notification = plan.in('example_kms').configuration('aws_s3_bucket_notification.uploads');
    expect(JSON.stringify(notification.expressions)).toContain('"module.uploads.queue_arn"');
  });
});

describe('the policy of the queue', () => {
  it('denies everything without TLS, on the queue and on the dead-letter queue, each for itself', () => {
    for (const [queue, name] of [
      [main, 'minimal'],
      [dlq, 'minimal-dlq'],
    ] as const) {
      expect(plan.in('minimal').policy(queue).Statement).toEqual([
        {
          Sid: 'DenyWithoutTls',
          Effect: 'Deny',
          Principal: '*',
          Action: 'sqs:*',
          Resource: arn(name),
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        },
      ]);
    }
  });

  const sender = (sid: string) =>
    plan
      .in('tuned')
      .policy(main)
      .Statement.find(({ Sid }) => Sid === sid);

  it("T-22: a bucket may send when it is the caller's: its ARN carries no account, so the account is named beside it", () => {
    expect(sender('SendBucket')).toEqual({
      Sid: 'SendBucket',
      Effect: 'Allow',
      Principal: { Service: 's3.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource: arn('tuned'),
      Condition: {
        StringEquals: { 'aws:SourceAccount': account },
        ArnLike: { 'aws:SourceArn': 'arn:aws:s3:::uploads' },
      },
    });
  });

  it('T-20: a rule of another account may send, limited to that rule and account', () => {
    expect(sender('SendBus')).toMatchObject({
      Principal: { Service: 'events.amazonaws.com' },
      Condition: {
        StringEquals: { 'aws:SourceAccount': '444455556666' },
        ArnLike: { 'aws:SourceArn': 'arn:aws:events:us-east-1:444455556666:rule/r' },
      },
    });
  });

  it('an account may send, and only identities of that account', () => {
    expect(sender('SendPartner')).toMatchObject({
      Principal: { AWS: 'arn:aws:iam::777788889999:root' },
      Condition: { StringEquals: { 'aws:PrincipalAccount': '777788889999' } },
    });
  });

  it('an organization may send, by a condition, since anyone is the principal', () => {
    expect(sender('SendCompany')).toMatchObject({
      Principal: { AWS: '*' },
      Condition: { StringEquals: { 'aws:PrincipalOrgID': 'o-abc1234567' } },
    });
  });

  it('a role may send, named by a condition: SQS refuses a policy with a principal that does not exist yet', () => {
    expect(sender('SendOtherRole')).toMatchObject({
      Principal: { AWS: 'arn:aws:iam::444455556666:root' },
      Condition: { ArnEquals: { 'aws:PrincipalArn': 'arn:aws:iam::444455556666:role/producer' } },
    });
  });

  it('nobody else may, and nobody may do anything else', () => {
    const statements = plan.in('tuned').policy(main).Statement;
    expect(statements).toHaveLength(6);
    for (const { Effect, Action, Resource } of statements) {
      expect(Resource).toBe(arn('tuned'));
      if (Effect === 'Allow') expect(Action).toBe('sqs:SendMessage');
    }
    expect(plan.in('tuned').policy(dlq).Statement).toHaveLength(1);
  });
});
