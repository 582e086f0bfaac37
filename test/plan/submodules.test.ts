import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Plan, planned } from './planned.ts';

let plan: Plan;
beforeAll(async () => {
  plan = await planned();
}, 300_000);

describe('T-41: submodules alone, in another partition', () => {
  const queue = 'arn:aws-cn:sqs:cn-north-1:111122223333:alone.fifo';

  it('the queues name each other there', () => {
    const queues = plan.in('queue_alone');
    expect(queues.policy('aws_sqs_queue.main').Statement[0]?.Resource).toBe(queue);
    expect(queues.policy('aws_sqs_queue.dlq[0]', 'redrive_allow_policy')).toMatchObject({ sourceQueueArns: [queue] });
  });

  it('ordinary throughput of FIFO is said explicitly: both arguments are computed, so null would change nothing', () => {
    expect(plan.in('queue_alone').values('aws_sqs_queue.main')).toMatchObject({
      deduplication_scope: 'queue',
      fifo_throughput_limit: 'perQueue',
    });
  });

  it('a service is limited to this account until another is named; a role is named by the account in its ARN', () => {
    const [, role, uploads] = plan.in('queue_alone').policy('aws_sqs_queue.main').Statement;
    expect(uploads?.Condition.StringEquals).toEqual({ 'aws:SourceAccount': '111122223333' });
    expect(role?.Principal).toEqual({ AWS: 'arn:aws-cn:iam::444455556666:root' });
  });

  it('one table is made when one is asked for', () => {
    expect([...plan.in('tables_alone').resources.keys()]).toEqual(['aws_dynamodb_table.processed_events[0]']);
  });

  it('a subscriber is named in its partition, and limited to its account', () => {
    const [owner, , partner] = plan.in('topic_alone').policy('aws_sns_topic.this').Statement;
    expect(owner?.Principal).toEqual({ AWS: 'arn:aws-cn:iam::111122223333:root' });
    expect(partner).toMatchObject({
      Principal: { AWS: 'arn:aws-cn:iam::777788889999:root' },
      Condition: { StringEquals: { 'aws:PrincipalAccount': '777788889999' } },
    });
  });

  it("T-30: a key is its account's, which so cannot lock itself out", () => {
    expect(plan.in('key_alone').policy('aws_kms_key.this').Statement).toEqual([
      expect.objectContaining({ Principal: { AWS: 'arn:aws-cn:iam::111122223333:root' }, Action: 'kms:*' }),
    ]);
  });
});
