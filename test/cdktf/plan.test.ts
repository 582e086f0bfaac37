import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root, scratch } from '../../scripts/local/checkout.ts';
import { terraformEnvironment } from '../../scripts/tf/environment.ts';
import { startSts } from '../plan/sts.ts';
import { layOut } from '../support/stack.ts';
import { changesOf, type PlanJson, planJson, terraformIn } from '../support/terraform.ts';

const run = promisify(execFile);
const example = join(root, 'examples/cdktf');
const output = scratch('cdktf');

/** What `npm run synth` does, with the Terraform of this checkout and an output folder of its own. */
async function synthesize(): Promise<void> {
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
  const env = { ...terraformEnvironment(undefined), PATH: path, CI: 'true', FORCE_COLOR: '0' };
  const node = (...args: string[]) => run(process.execPath, args, { cwd: example, env });
  for (const made of ['.gen', 'build']) rmSync(join(example, made), { recursive: true, force: true });
  rmSync(output, { recursive: true, force: true });
  await node('stage.mjs');
  await node('node_modules/cdktf-cli/bundle/bin/cdktf.js', 'get');
  await node('node_modules/typescript/bin/tsc');
  await node('node_modules/cdktf-cli/bundle/bin/cdktf.js', 'synth', '--output', output);
}

/**
 * What would be created, by address. The zip lies elsewhere, so its path is left out; that it is the same one is what
 * `source_code_hash` says.
 */
function created(plan: PlanJson) {
  return Object.fromEntries(
    changesOf(plan).map(({ address, type, change: { actions, after, after_unknown } }) => {
      const { filename: _, ...values } = after ?? {};
      return [address, { type, actions, values, unknown: after_unknown }];
    }),
  );
}

interface Configuration {
  readonly root_module: {
    readonly module_calls: Readonly<
      Record<string, { readonly expressions: Readonly<Record<string, { readonly constant_value?: unknown }>> }>
    >;
  };
}

/**
 * What the module is told, as far as it is written as a constant; what is not has `undefined` here. A plan does not show
 * the function's configuration, as it stands in one map with ARNs that are not known yet.
 */
function told(plan: PlanJson, call: string): Record<string, unknown> {
  const { configuration } = plan as PlanJson & { readonly configuration: Configuration };
  const expressions = configuration.root_module.module_calls[call]?.expressions ?? {};
  return Object.fromEntries(Object.entries(expressions).map(([name, value]) => [name, value.constant_value]));
}

let sts: Awaited<ReturnType<typeof startSts>>;

beforeAll(async () => {
  sts = await startSts();
  await synthesize();
}, 180_000);

afterAll(() => {
  sts.server.close();
});

async function planIn(folder: string): Promise<PlanJson> {
  const terraform = terraformIn(folder, sts.url);
  await terraform('init', '-input=false', '-no-color');
  return planJson(terraform);
}

describe('a stack in TypeScript', () => {
  it.each([
    { stack: 'orders', hcl: 'examples/orders', variables: {}, has: 'aws_sqs_queue.shipping' },
    {
      stack: 'accounts',
      hcl: 'examples/fifo',
      variables: { alarms: true },
      has: 'module.accounts.module.queue[0].aws_sqs_queue.main',
    },
  ])(
    'plans to create what $hcl does: $stack',
    async ({ stack, hcl, variables, has }) => {
      const expected = await planIn(layOut({ name: `cdktf-${stack}`, example: hcl, variables }));
      const actual = await planIn(join(output, 'stacks', stack));

      expect(Object.keys(created(expected))).toContain(has);
      expect(created(actual)).toEqual(created(expected));

      // What the HCL takes from a variable of its own is compared above, by what comes of it.
      const inputs = Object.entries(told(expected, stack));
      const constants = inputs.filter(([, value]) => value !== undefined);
      expect(constants).not.toEqual([]);
      expect(told(actual, stack)).toMatchObject(Object.fromEntries(constants));
      expect(inputs.map(([name]) => name)).toEqual(expect.arrayContaining(Object.keys(told(actual, stack))));
    },
    180_000,
  );

  it('has the outputs of its module under their own names', async () => {
    const { output: outputs } = JSON.parse(readFileSync(join(output, 'stacks/orders/cdk.tf.json'), 'utf8'));

    expect(outputs.business_table.value).toBe(`\${module.orders.business_table.name}`);
    expect(outputs.queue_url.value).toBe(`\${module.orders.queue_url}`);
  });
});

describe('the types of the objects', () => {
  /** Names of the attributes that a variable's object has in variables.tf. */
  const declared = (name: string) => {
    const [, type] = new RegExp(`^variable "${name}" \\{[\\s\\S]*?\\bobject\\(\\{([\\s\\S]*?)\\n\\s*\\}\\)`, 'm').exec(
      readFileSync(join(root, 'variables.tf'), 'utf8'),
    ) as RegExpExecArray;
    return [...(type as string).matchAll(/^\s*(\w+)\s*=/gm)].map(([, attribute]) => attribute as string).sort();
  };
  const objects = readFileSync(join(example, 'objects.ts'), 'utf8');
  const existing = [...(/interface Existing \{([\s\S]*?)\n\}/.exec(objects)?.[1]?.matchAll(/(\w+)\??:/g) ?? [])];
  const members = (objects.split('export interface Objects {')[1] as string).split('\n}\n')[0] as string;
  const written = members.split(/^ {2}readonly /m).slice(1);

  it.each(written.map((text) => [/^\w+/.exec(text)?.[0] as string, text]))('are those of the HCL: %s', (name, text) => {
    const own = [...text.matchAll(/readonly (\w+)\??:/g)];
    const attributes = [...(/\bExisting\b/.test(text) ? existing : []), ...own].map(([, attribute]) => attribute);

    expect(attributes.sort()).toEqual(declared(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)));
  });
});
