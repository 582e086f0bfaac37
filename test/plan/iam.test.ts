import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSimulation } from '@cloud-copilot/iam-simulate';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/local/checkout.ts';
import { type Plan, planned } from './planned.ts';
import { account } from './sts.ts';

/** The roles' policies, executed by an evaluator of IAM policies: a typo in an action reads well and allows nothing. */

const queue = `arn:aws:sqs:us-east-1:${account}:their-queue`;
const dlq = `arn:aws:sqs:us-east-1:${account}:their-dlq`;
const events = `arn:aws:dynamodb:us-east-1:${account}:table/their-events`;
const index = `${events}/index/relay`;
const business = `arn:aws:dynamodb:us-east-1:${account}:table/their-business`;
const topic = `arn:aws:sns:us-east-1:${account}:their-topic`;
const handlers = `arn:aws:dynamodb:us-east-1:${account}:table/orders`;
const key = (name: string) => `arn:aws:kms:us-east-1:${account}:key/${name}`;
const log = `arn:aws:logs:us-east-1:${account}:log-group:their-logs:log-stream:one`;

type Role = 'consumer' | 'relay';
type Call = readonly [action: string, resource: string];

/** Which actions IAM asks for when our adapters send a command, by the role that sends it. */
const commands: Record<string, { readonly [R in Role]?: readonly Call[] }> = {
  BatchGetItemCommand: { consumer: [['dynamodb:BatchGetItem', events]], relay: [['dynamodb:BatchGetItem', events]] },
  // Inside of a transaction each write asks for its own action.
  TransactWriteItemsCommand: {
    consumer: [
      ['dynamodb:PutItem', events],
      ['dynamodb:PutItem', business],
    ],
  },
  BatchExecuteStatementCommand: {
    consumer: [['dynamodb:PartiQLUpdate', events]],
    relay: [['dynamodb:PartiQLUpdate', events]],
  },
  QueryCommand: { relay: [['dynamodb:Query', index]] },
  ScanCommand: { relay: [['dynamodb:Scan', events]] },
  PublishBatchCommand: { consumer: [['sns:Publish', topic]], relay: [['sns:Publish', topic]] },
  ChangeMessageVisibilityBatchCommand: { consumer: [['sqs:ChangeMessageVisibility', queue]] },
  DeleteMessageBatchCommand: { consumer: [['sqs:DeleteMessage', queue]] },
  SendMessageBatchCommand: { consumer: [['sqs:SendMessage', dlq]] },
};

/** What Lambda's pollers do with the consumer's role. */
const pollers: readonly Call[] = [
  ['sqs:ReceiveMessage', queue],
  ['sqs:DeleteMessage', queue],
  ['sqs:GetQueueAttributes', queue],
];

const refused: Record<Role, readonly Call[]> = {
  consumer: [
    ['dynamodb:DeleteItem', events],
    ['dynamodb:UpdateItem', events],
    ['dynamodb:Scan', events],
    ['dynamodb:Query', index],
    ['dynamodb:PartiQLDelete', events],
    ['dynamodb:DeleteTable', events],
    ['dynamodb:GetItem', business],
    ['dynamodb:DeleteItem', business],
    ['dynamodb:PutItem', `${business}-other`],
    ['sqs:SendMessage', queue],
    ['sqs:PurgeQueue', queue],
    ['sqs:ReceiveMessage', dlq],
    ['sqs:DeleteMessage', dlq],
    ['sns:Publish', `${topic}-other`],
    ['sns:Subscribe', topic],
  ],
  relay: [
    ['dynamodb:PutItem', events],
    ['dynamodb:DeleteItem', events],
    ['dynamodb:PutItem', business],
    ['sqs:ReceiveMessage', queue],
    ['sqs:SendMessage', queue],
    ['sqs:SendMessage', dlq],
    ['sns:Publish', `${topic}-other`],
  ],
};

let plan: Plan;
beforeAll(async () => {
  plan = await planned();
}, 300_000);

const address = { consumer: 'module.consumer', relay: 'module.relay[0]' };

/** Allowed, ImplicitlyDenied or ExplicitlyDenied. A call that IAM would not understand is an error. */
async function decide(policy: object, [action, resource]: Call, contextVariables: Record<string, string> = {}) {
  const answer = await runSimulation(
    {
      identityPolicies: [{ name: 'role', policy }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
      // A key is used by whom its own policy lets: the account, as in the policy of the key that the module creates.
      ...(action.startsWith('kms:') && { resourcePolicy: plan.in('own_key').policy('module.key[0].aws_kms_key.this') }),
      request: {
        principal: `arn:aws:iam::${account}:role/function`,
        action,
        resource: { resource, accountId: account },
        contextVariables,
      },
    },
    {},
  );
  if (answer.resultType === 'error') throw new Error(`${action} on ${resource}: ${JSON.stringify(answer.errors)}`);
  return answer.overallResult;
}

const pipelinePolicy = (call: string, role: Role) =>
  plan.in(call).policy(`${address[role]}.aws_iam_role_policy.pipeline`);
const basePolicy = (call: string, role: Role) =>
  plan.in(call).policy(`${address[role]}.module.function.aws_iam_role_policy.this`);

describe('every call of the adapters', () => {
  it('is known here', () => {
    const folder = join(root, 'functions/src/aws');
    const sent = readdirSync(folder).flatMap((name) => [
      ...readFileSync(join(folder, name), 'utf8').matchAll(/new (\w+Command)\(/g),
    ]);
    expect(new Set(sent.map(([, command]) => command))).toEqual(new Set(Object.keys(commands)));
  });

  it.each(['consumer', 'relay'] as const)('is allowed to the %s', async (role) => {
    const calls = [
      ...Object.values(commands).flatMap((roles) => roles[role] ?? []),
      ...(role === 'consumer' ? pollers : []),
    ];
    for (const call of calls)
      expect([call, await decide(pipelinePolicy('existing', role), call)]).toEqual([call, 'Allowed']);
  });

  it.each(['consumer', 'relay'] as const)('and no other call is allowed to the %s', async (role) => {
    for (const call of refused[role]) {
      expect([call, await decide(pipelinePolicy('existing', role), call)]).toEqual([call, 'ImplicitlyDenied']);
    }
  });
});

describe('a handler', () => {
  it.each(['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem', 'BatchGetItem'])(
    'may %s on its tables',
    async (action) => {
      expect(await decide(pipelinePolicy('handler', 'consumer'), [`dynamodb:${action}`, handlers])).toBe('Allowed');
    },
  );

  it('may not read or delete rows of processed_events', async () => {
    expect(await decide(pipelinePolicy('handler', 'consumer'), ['dynamodb:DeleteItem', events])).toBe(
      'ImplicitlyDenied',
    );
  });
});

describe('logs', () => {
  it.each(['consumer', 'relay'] as const)('T-14: the %s writes to its group and cannot create one', async (role) => {
    expect(await decide(basePolicy('handler', role), ['logs:PutLogEvents', log])).toBe('Allowed');
    expect(await decide(basePolicy('handler', role), ['logs:CreateLogStream', log])).toBe('Allowed');
    const group = `arn:aws:logs:us-east-1:${account}:log-group:their-logs`;
    expect(await decide(basePolicy('handler', role), ['logs:CreateLogGroup', group])).toBe('ImplicitlyDenied');
    const other = log.replace('their-logs', 'other-logs');
    expect(await decide(basePolicy('handler', role), ['logs:PutLogEvents', other])).toBe('ImplicitlyDenied');
  });
});

describe('keys', () => {
  const viaDynamo = { 'kms:ViaService': 'dynamodb.us-east-1.amazonaws.com' };

  it('T-28: the topic and the queues: decrypt and generate, and nothing else', async () => {
    for (const name of ['topic', 'queue']) {
      const policy = pipelinePolicy('existing_encrypted', 'consumer');
      expect(await decide(policy, ['kms:Decrypt', key(name)])).toBe('Allowed');
      expect(await decide(policy, ['kms:GenerateDataKey', key(name)])).toBe('Allowed');
      expect(await decide(policy, ['kms:DisableKey', key(name)])).toBe('ImplicitlyDenied');
    }
  });

  it('the tables: through DynamoDB only', async () => {
    for (const role of ['consumer', 'relay'] as const) {
      const policy = pipelinePolicy('existing_encrypted', role);
      expect(await decide(policy, ['kms:Decrypt', key('events')], viaDynamo)).toBe('Allowed');
      expect(await decide(policy, ['kms:Decrypt', key('events')])).toBe('ImplicitlyDenied');
    }
    expect(
      await decide(pipelinePolicy('existing_encrypted', 'relay'), ['kms:Decrypt', key('business')], viaDynamo),
    ).toBe('ImplicitlyDenied');
  });
});

describe('O-07: operators', () => {
  const policy = () => JSON.parse(plan.output('operated').operator_policy_json);

  it.each<Call>([
    ['sqs:StartMessageMoveTask', dlq],
    ['sqs:ListMessageMoveTasks', dlq],
    ['sqs:ReceiveMessage', dlq],
    ['sqs:DeleteMessage', dlq],
    ['sqs:GetQueueAttributes', dlq],
    ['sqs:SendMessage', queue],
    ['kms:Decrypt', key('queue')],
    ['kms:GenerateDataKey', key('queue')],
    ['dynamodb:GetItem', events],
    ['dynamodb:Query', index],
  ])('may %s on %s', async (action, resource) => {
    expect(await decide(policy(), [action, resource])).toBe('Allowed');
  });

  it.each<Call>([
    ['sqs:PurgeQueue', dlq],
    ['sqs:DeleteMessage', queue],
    ['dynamodb:DeleteItem', events],
    ['dynamodb:PutItem', events],
  ])('may not %s on %s', async (action, resource) => {
    expect(await decide(policy(), [action, resource])).toBe('ImplicitlyDenied');
  });
});
