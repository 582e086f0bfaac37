import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Plan, planned } from './planned.ts';
import { account } from './sts.ts';

let plan: Plan;
beforeAll(async () => {
  plan = await planned();
}, 300_000);

const queue = `arn:aws:sqs:us-east-1:${account}:their-queue`;
const dlq = `arn:aws:sqs:us-east-1:${account}:their-dlq`;

describe('the policy for operators', () => {
  const statements = () =>
    Object.fromEntries(
      JSON.parse(plan.output('operated').operator_policy_json).Statement.map(
        ({ Sid, ...rest }: { readonly Sid: string }) => [Sid, rest],
      ),
    );

  it('O-07: lets them move messages out of the dead-letter queue, and into the queue only', () => {
    expect(statements().DeadLetters).toMatchObject({
      Resource: dlq,
      Action: expect.arrayContaining([
        'sqs:StartMessageMoveTask',
        'sqs:CancelMessageMoveTask',
        'sqs:ListMessageMoveTasks',
        'sqs:ReceiveMessage',
        'sqs:DeleteMessage',
        'sqs:GetQueueAttributes',
      ]),
    });
    expect(statements().DeadLetters.Action).not.toContain('sqs:PurgeQueue');
    expect(statements().Redrive).toEqual({
      Effect: 'Allow',
      Action: ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:SendMessage'],
      Resource: queue,
    });
  });

  it('O-07: with both actions on the key of the queues', () => {
    expect(statements().QueueKeys).toEqual({
      Effect: 'Allow',
      Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
      Resource: [`arn:aws:kms:us-east-1:${account}:key/queue`],
    });
  });

  it('lets them read rows and logs, and write neither', () => {
    expect(statements().Rows.Action).toEqual(['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query']);
    expect(statements().Logs.Resource).toEqual([`arn:aws:logs:us-east-1:${account}:log-group:their-logs:*`]);
    expect(statements().Relay).toBeUndefined();
  });
});

describe('the policies of queues that are brought along', () => {
  it('are an output only then', () => {
    expect(plan.output('minimal').queue_policy_statements).toBeNull();
  });

  it('name the consumer by a condition, for the queue and for the dead-letter queue', () => {
    const { queue: ofQueue, dlq: ofDlq } = plan.output('operated').queue_policy_statements;
    expect(ofQueue).toMatchObject([
      { Sid: 'DenyWithoutTls', Effect: 'Deny', Resource: queue },
      { Sid: 'Consume', Effect: 'Allow', Principal: { AWS: `arn:aws:iam::${account}:root` }, Resource: queue },
    ]);
    expect(ofDlq).toMatchObject([
      { Sid: 'DenyWithoutTls', Effect: 'Deny', Resource: dlq },
      { Sid: 'Quarantine', Effect: 'Allow', Action: 'sqs:SendMessage', Resource: dlq },
    ]);
  });
});

describe('T-41: partitions', () => {
  it('no ARN and no host of one partition is written into the module', async () => {
    const { readdirSync, readFileSync } = await import('node:fs');
    const { join } = await import('node:path');
    const { root } = await import('../../scripts/local/checkout.ts');
    const files = [
      ...readdirSync(root).filter((name) => name.endsWith('.tf')),
      ...readdirSync(join(root, 'modules'), { recursive: true })
        .map((name) => join('modules', String(name)))
        .filter((name) => name.endsWith('.tf')),
    ];
    expect(files.length).toBeGreaterThan(20);
    for (const file of files) {
      const code = readFileSync(join(root, file), 'utf8')
        .replace(/#.*$/gm, '')
        .replace(/(description|error_message) += .*/g, '');
      expect([file, code.match(/arn:aws:/g)]).toEqual([file, null]);
      // Service principals are the same in every partition that has the service.
      const hosts = code.match(/"[^"]*amazonaws[^"]*"/g) ?? [];
      for (const host of hosts) {
        expect([file, host]).toEqual([
          file,
          expect.stringMatching(
            /^"(lambda|events|s3|sns|logs\.\$\{local\.aws\.region\})\.amazonaws\.com"$|amazonaws\\\\\.com/,
          ),
        ]);
      }
    }
  });
});
