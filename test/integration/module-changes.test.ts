import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LocalAws, localAwsUp } from '../../scripts/local/local-aws.ts';
import { destroyStack, layOut, type Stack, startStack } from '../support/stack.ts';
import { changesOf, planJson, terraformIn } from '../support/terraform.ts';

/** What only an apply shows: what a later change of a variable does to what is already there. */

const source = `
variable "name" { default = "it-changes" }
variable "depended_on" { default = "1" }
variable "kms" {
  type    = any
  default = null
}
variable "deployment" {
  type    = any
  default = null
}

resource "terraform_data" "depended_on" { input = var.depended_on }

module "pipeline" {
  source              = "../.."
  name                = var.name
  event_id            = "id"
  business_key        = "id"
  kms                 = var.kms
  deployment          = var.deployment
  alarms              = false
  deletion_protection = false
  depends_on          = [terraform_data.depended_on]
}
`;

const mapping = 'module.pipeline.module.consumer.aws_lambda_event_source_mapping.this';
const alias = 'module.pipeline.module.consumer.aws_lambda_alias.live[0]';
const consumer = 'module.pipeline.module.consumer.module.function.aws_lambda_function.this';

describe('changes of the module', () => {
  let localAws: LocalAws;
  let stack: Stack;

  const apply = (variables: Readonly<Record<string, unknown>>) =>
    startStack(localAws.endpoint, { name: 'it-changes', source, variables });

  /** What a plan with other variables would do, by address. */
  const planned = async (...variables: string[]) => {
    const plan = await planJson(stack.terraform, ...variables.map((one) => `-var=${one}`));
    return new Map(changesOf(plan).map(({ address, change }) => [address, change.actions.join(' ')]));
  };

  beforeAll(async () => {
    localAws = await localAwsUp();
    // What is depended on first: while it is to be created, data sources are unknown, and queues cannot be adopted.
    const terraform = terraformIn(layOut({ name: 'it-changes', source }), localAws.endpoint);
    await terraform('init', '-input=false', '-no-color');
    await terraform('apply', '-input=false', '-no-color', '-auto-approve', '-target=terraform_data.depended_on');
    stack = await apply({});
  }, 300_000);

  afterAll(async () => {
    await destroyStack(stack);
  }, 300_000);

  it('T-32: a second plan finds nothing to do, the TTL included', async () => {
    expect(await planned()).toEqual(new Map());
  }, 60_000);

  it('T-34: a change of what the module depends on replaces nothing, though every data source is unknown then', async () => {
    const changes = await planned('depended_on=2');
    expect(changes.size).toBeGreaterThan(1);
    expect(new Set(changes.values())).toEqual(new Set(['update']));
  }, 60_000);

  it('T-10, O-10: a key that comes later changes queues and tables in place', async () => {
    const key = 'arn:aws:kms:us-east-1:000000000000:key/11111111-2222-3333-4444-555555555555';
    const changes = await planned(`kms={key_arn="${key}"}`);
    for (const address of [
      'module.pipeline.module.queue[0].aws_sqs_queue.main',
      'module.pipeline.module.queue[0].aws_sqs_queue.dlq[0]',
      'module.pipeline.module.tables.aws_dynamodb_table.processed_events[0]',
    ]) {
      expect([address, changes.get(address)]).toEqual([address, 'update']);
    }
    expect([...changes.values()].filter((actions) => actions !== 'update')).toEqual([]);
  }, 60_000);

  it('T-17: another name replaces the mapping before its function, so that none is left behind', async () => {
    const changes = await planned('name=it-changed');
    expect(changes.get(mapping)).toBe('delete create');
    expect(changes.get(consumer)).toMatch(/^(delete create|create delete)$/);
  }, 60_000);

  it('versions switched on: the mapping moves to the alias in place', async () => {
    const changes = await planned('deployment={}');
    expect(Object.fromEntries(changes)).toMatchObject({ [mapping]: 'update', [alias]: 'create', [consumer]: 'update' });
    stack = await apply({ deployment: {} });
    expect(await planned('deployment={}')).toEqual(new Map());
  }, 120_000);

  it('a shift to another version touches the alias alone', async () => {
    const changes = await planned('deployment={stable_version="1",weight=0.5}');
    expect(Object.fromEntries(changes)).toEqual({ [alias]: 'update' });
  }, 60_000);

  it('versions switched off: the mapping is moved back before the alias goes', async () => {
    const changes = await planned('deployment=null');
    expect(Object.fromEntries(changes)).toMatchObject({ [mapping]: 'update', [alias]: 'delete' });
    stack = await apply({});
    expect(await planned()).toEqual(new Map());
  }, 120_000);

  it('T-14: a second pipeline of the same name follows the first, with nothing of it in the way', async () => {
    await stack.terraform('destroy', '-input=false', '-no-color', '-auto-approve', '-target=module.pipeline');
    stack = await apply({});
    expect(await planned()).toEqual(new Map());
  }, 300_000);
});
