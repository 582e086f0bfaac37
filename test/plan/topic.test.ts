import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Plan, planned } from './planned.ts';
import { account } from './sts.ts';

const topic = 'module.topic[0].aws_sns_topic.this';

let plan: Plan;
beforeAll(async () => {
  plan = await planned();
}, 300_000);

describe('the topic', () => {
  it('is named after the pipeline and standard', () => {
    expect(plan.in('minimal').values(topic)).toMatchObject({ name: 'minimal-notifications', fifo_topic: false });
  });

  it('is FIFO when the queue is; the consumer names the de-duplication id', () => {
    expect(plan.in('fifo').values(topic)).toMatchObject({
      name: 'fifo-notifications.fifo',
      fifo_topic: true,
      content_based_deduplication: false,
    });
  });

  it('takes nothing without TLS, and lets nobody outside of the account do anything', () => {
    const arn = `arn:aws:sns:us-east-1:${account}:minimal-notifications`;
    const [owner, tls, ...others] = plan.in('minimal').policy(topic).Statement;
    expect(owner).toMatchObject({
      Sid: 'Owner',
      Effect: 'Allow',
      Principal: { AWS: `arn:aws:iam::${account}:root` },
      Resource: arn,
    });
    expect(tls).toEqual({
      Sid: 'DenyWithoutTls',
      Effect: 'Deny',
      Principal: '*',
      Action: 'sns:Publish',
      Resource: arn,
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    });
    expect(others).toEqual([]);
  });

  it('lets subscribers of other accounts and of an organization subscribe, and not publish', () => {
    const { Statement } = plan.in('shifting').policy(topic);
    const subscribers = Statement.filter(({ Sid }) => String(Sid).startsWith('Subscribe'));
    expect(subscribers).toMatchObject([
      {
        Sid: 'SubscribeCompany',
        Principal: { AWS: '*' },
        Condition: { StringEquals: { 'aws:PrincipalOrgID': 'o-abc1234567' } },
      },
      { Sid: 'SubscribePartner', Principal: { AWS: 'arn:aws:iam::777788889999:root' } },
    ]);
    for (const { Action } of subscribers) expect(Action).not.toContain('sns:Publish');
  });

  it('has the subscriptions of the caller, each with what it names', () => {
    expect(plan.in('tuned').values('module.topic[0].aws_sns_topic_subscription.this["shipping"]')).toMatchObject({
      protocol: 'sqs',
      endpoint: 'arn:aws:sqs:us-east-1:111122223333:shipping',
      raw_message_delivery: true,
      filter_policy: JSON.stringify({ kind: ['order'] }),
      filter_policy_scope: 'MessageBody',
      redrive_policy: JSON.stringify({ deadLetterTargetArn: 'arn:aws:sqs:us-east-1:111122223333:shipping-dlq' }),
    });
  });

  it('is not created when one is brought along', () => {
    expect([...plan.in('existing').resources.keys()].filter((address) => address.includes('aws_sns_topic'))).toEqual(
      [],
    );
  });
});
