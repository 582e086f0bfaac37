import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  ListDashboardsCommand,
  PutMetricAlarmCommand,
  type PutMetricAlarmCommandInput,
  paginateDescribeAlarms,
} from '@aws-sdk/client-cloudwatch';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root, scratch } from '../../scripts/local/checkout.ts';
import { localAwsUp } from '../../scripts/local/local-aws.ts';
import { type Moto, startMoto } from '../support/moto.ts';
import { destroyStack, folderOf, type Stack, startStack } from '../support/stack.ts';
import { changesOf, type PlanJson, planJson, type ResourceChange, terraformIn } from '../support/terraform.ts';

/**
 * Every example as it is, alarms included, in one apply: of six applies, five would start the provider again.
 * CloudWatch is moto's and everything else local AWS's, which does not give alarms back as they were stored.
 */
const name = 'it-examples';
const handlerPackage = scratch(name, 'pipeline.zip');

/** What an example's own variables are set to: `make demo` has a pipeline `orders`, and the zip of a handler is built. */
const EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'bring-your-own': {},
  fifo: { alarms: true },
  handler: { package: handlerPackage },
  kms: { name: `${name}-kms`, alarms: true },
  minimal: {},
  orders: { name: `${name}-orders`, alarms: true },
};

const source = (cloudwatch: string) => `
provider "aws" {
  endpoints {
    cloudwatch = "${cloudwatch}"
  }
}
${Object.entries(EXAMPLES)
  .map(
    ([example, variables]) => `
module "${example}" {
  source = "../../examples/${example}"
${Object.entries(variables)
  .map(([key, value]) => `  ${key} = ${JSON.stringify(value)}`)
  .join('\n')}
}
`,
  )
  .join('')}`;

describe('every example, applied with all its alarms', () => {
  let endpoint: string;
  let moto: Moto;
  let cloudwatch: CloudWatchClient;
  let stack: Stack;
  let second: PlanJson;

  beforeAll(async () => {
    endpoint = (await localAwsUp()).endpoint;
    moto = await startMoto();
    cloudwatch = new CloudWatchClient({
      endpoint: moto.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
    const handler = join(root, 'examples/handler/handler.ts');
    execFileSync(process.execPath, [
      ...[join(root, 'scripts/package.ts'), '--handler', handler, '--out', dirname(handlerPackage)],
    ]);
    // Plain: the provider's waits for queues cost nothing while other tests run beside this one, and plans would.
    stack = await startStack(endpoint, { name, source: source(moto.url) }, true);
    await raiseThreshold('payments-lease-waits');
    second = await planJson(stack.terraform);
  }, 600_000);

  afterAll(async () => {
    await destroyStack(stack ?? { folder: folderOf({ name }), terraform: terraformIn(folderOf({ name }), endpoint) });
    rmSync(dirname(handlerPackage), { recursive: true, force: true });
    cloudwatch?.destroy();
    await moto?.close();
  }, 600_000);

  /** One difference that the plan has to find, else it would not have looked: the provider reads alarms back. */
  const byHand = 'module.minimal.module.payments.module.observability.aws_cloudwatch_metric_alarm.this["lease_waits"]';
  const raiseThreshold = async (alarmName: string) => {
    const { MetricAlarms = [] } = await cloudwatch.send(new DescribeAlarmsCommand({ AlarmNames: [alarmName] }));
    const [alarm] = MetricAlarms as PutMetricAlarmCommandInput[];
    await cloudwatch.send(new PutMetricAlarmCommand({ ...(alarm as PutMetricAlarmCommandInput), Threshold: 101 }));
  };

  /** What the plan says is to be there. */
  const planned = (type: string) => (second.resource_changes ?? []).filter((resource) => resource.type === type);
  const names = (type: string, key: string) => planned(type).map(({ change }) => change.after?.[key] as string);

  it('are all of them', () => {
    const there = readdirSync(join(root, 'examples')).filter((one) =>
      existsSync(join(root, 'examples', one, 'main.tf')),
    );
    expect(Object.keys(EXAMPLES)).toEqual(there.sort());
  });

  it('a second plan has no changes but to what somebody changed by hand', () => {
    expect(changesOf(second).map(differences)).toEqual([`update ${byHand}: threshold 101 -> 100`]);
  });

  it('every alarm and dashboard of the plan is in CloudWatch, and no other', async () => {
    const metric: string[] = [];
    const composite: string[] = [];
    for await (const page of paginateDescribeAlarms(
      { client: cloudwatch },
      { AlarmTypes: ['MetricAlarm', 'CompositeAlarm'] },
    )) {
      metric.push(...(page.MetricAlarms ?? []).map(({ AlarmName = '' }) => AlarmName));
      composite.push(...(page.CompositeAlarms ?? []).map(({ AlarmName = '' }) => AlarmName));
    }
    const { DashboardEntries = [] } = await cloudwatch.send(new ListDashboardsCommand({}));
    const dashboards = DashboardEntries.map(({ DashboardName = '' }) => DashboardName);

    const pipelines = Object.keys(EXAMPLES).length;
    expect(metric).toHaveLength(pipelines * 21);
    expect(metric.sort()).toEqual(names('aws_cloudwatch_metric_alarm', 'alarm_name').sort());
    expect(composite).toHaveLength(pipelines);
    expect(composite.sort()).toEqual(names('aws_cloudwatch_composite_alarm', 'alarm_name').sort());
    expect(dashboards).toHaveLength(pipelines);
    expect(dashboards.sort()).toEqual(names('aws_cloudwatch_dashboard', 'dashboard_name').sort());
  });
});

/** What a plan would change, in words that say why. */
function differences({ address, change: { actions, before, after } }: ResourceChange): string {
  const keys = Object.keys({ ...before, ...after }).filter(
    (key) => JSON.stringify(before?.[key]) !== JSON.stringify(after?.[key]),
  );
  const values = keys.map((key) => `${key} ${JSON.stringify(before?.[key])} -> ${JSON.stringify(after?.[key])}`);
  return `${actions.join(' and ')} ${address}: ${values.join(', ')}`;
}
