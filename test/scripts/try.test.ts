import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/local/checkout.ts';
import { temporaryFolder } from './folder.ts';

const CONFIG = { name: 'orders', source: 'sqs', event_id: 'event_id', business_key: 'order_id' };

/** What `terraform show -json` prints of a pipeline, as far as anybody here reads it. */
function plan(config: object) {
  const lambda = (address: string, variables: object) => ({
    address,
    type: 'aws_lambda_function',
    values: { environment: [{ variables }] },
  });
  const pipeline = {
    resources: [{ address: 'module.p.aws_sqs_queue.this', type: 'aws_sqs_queue', values: {} }],
    child_modules: [
      {
        resources: [
          lambda('module.p.module.consumer.module.function.aws_lambda_function.this', {
            PIPELINE_CONFIG: JSON.stringify(config),
          }),
        ],
      },
      {
        resources: [
          lambda('module.p.module.relay[0].module.function.aws_lambda_function.this', {
            PIPELINE_CONFIG: '{"name":"orders","relay":{}}',
          }),
        ],
      },
    ],
  };
  return { planned_values: { root_module: { child_modules: [pipeline] } } };
}

/** Runs the command with a plan and one message a text. */
function tried(config: object, ...messages: string[]): Promise<{ code: number; text: string }> {
  const files = Object.fromEntries(messages.map((text, index) => [`m${index}.json`, text]));
  const folder = temporaryFolder({ 'plan.json': JSON.stringify(plan(config)), ...files });
  return run(join(folder, 'plan.json'), ...Object.keys(files).map((file) => join(folder, file)));
}

function run(...args: string[]): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(root, 'scripts', 'try.ts'), ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr });
    });
  });
}

describe('what the pipeline of a plan would make of messages', () => {
  it('the item and the notification of an event, with every digit', async () => {
    const { code, text } = await tried(CONFIG, '{"event_id":"e-1","order_id":"o-1","total":12345678901234567890.5}');
    expect(text).toContain('m0.json: event e-1');
    expect(text).toContain('{"N":"12345678901234567890.5"}');
    expect(text).toMatch(/put in \(business table\): .*"pk":\{"S":"o-1"\}/);
    expect(text).toMatch(/publish: .*e-1/);
    expect(code).toBe(0);
  });

  it('an expression that does not compile stops the function, and is found before an apply', async () => {
    const { code, text } = await tried({ ...CONFIG, business_item: 'order | | lines' }, '{}');
    expect(text).toMatch(/the function would not start: .*business_item/);
    expect(code).toBe(1);
  });

  it('the reason of a message that would be quarantined', async () => {
    const { code, text } = await tried(CONFIG, '{"event_id":"e-1"}', '{"event_id":"e-2","order_id":"o-2"}', 'no json');
    expect(text).toContain('m0.json: event e-1: quarantine, business_key_missing');
    expect(text).toContain('m1.json: event e-2');
    expect(text).toContain('m2.json: quarantine, not_json');
    expect(code).toBe(1);
  });

  it('a limit of AWS', async () => {
    const { text } = await tried(
      CONFIG,
      JSON.stringify({ event_id: 'e-1', order_id: 'o-1', text: 'x'.repeat(400 * 1024) }),
    );
    expect(text).toContain('quarantine, item_too_large');
  });

  it('an event that the filter excludes is no failure', async () => {
    const { code, text } = await tried(
      { ...CONFIG, event_filter: "kind == 'order'" },
      '{"event_id":"e","order_id":"o"}',
    );
    expect(text).toContain('acknowledged, filtered');
    expect(code).toBe(0);
  });

  it('the relay is no pipeline of its own', async () => {
    const { text } = await tried(CONFIG);
    expect(text.match(/every expression compiles/g)).toHaveLength(1);
  });

  it('a pipeline whose variables are unknown is found by the output of its configuration, once', async () => {
    const output = { value: { consumer: JSON.stringify(CONFIG), relay: '{"name":"orders"}' } };
    const shown = {
      planned_values: { root_module: {}, outputs: { configuration: output, queue_url: { value: 'u' } } },
    };
    const both = { planned_values: { ...plan(CONFIG).planned_values, outputs: { configuration: output } } };
    const folder = temporaryFolder({ 'new.json': JSON.stringify(shown), 'both.json': JSON.stringify(both) });
    const made = await run(join(folder, 'new.json'));
    expect(made.text.match(/every expression compiles/g)).toHaveLength(1);
    expect(made.text).toContain('output.configuration');
    expect((await run(join(folder, 'both.json'))).text.match(/every expression compiles/g)).toHaveLength(1);
  });

  it('a plan without a pipeline, or a file that is no plan, is said and not passed', async () => {
    const folder = temporaryFolder({ 'empty.json': '{"planned_values":{"root_module":{}}}', tfplan: 'PK' });
    expect(await run(join(folder, 'empty.json'))).toMatchObject({
      code: 2,
      text: expect.stringMatching(/no pipeline's configuration/),
    });
    expect(await run(join(folder, 'tfplan'))).toMatchObject({ code: 2, text: expect.stringMatching(/show -json/) });
    expect(await run()).toMatchObject({ code: 2 });
  });
});
