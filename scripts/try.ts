/**
 * `make try PLAN=plan.json MESSAGES="a.json b.json"`: what the pipelines of a plan would make of messages, before
 * anything is applied. PLAN is the answer of `terraform show -json` for a plan or a state, whose root has the module's
 * `configuration` as an output; a message is a file with the body as the queue would deliver it. Without messages it only
 * checks that the function would start.
 *
 *   terraform plan -out=tfplan && terraform show -json tfplan > plan.json
 *   scripts/node scripts/try.ts plan.json order.json
 *
 * Exits with 1 when a function would refuse its configuration, or a message would be quarantined.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { type ConsumerConfig, readConsumerConfig } from '../functions/src/config.ts';
import { ConfigurationError } from '../functions/src/core/configuration-error.ts';
import { declarativeMeaning } from '../functions/src/core/mapping.ts';
import { compileSchema } from '../functions/src/core/schema.ts';
import { describeMessage, type Tried, tryMessage } from './try/message.ts';
import { consumersOf, type PlannedConsumer, type ShownPlan } from './try/plan.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const [planFile, ...messageFiles] = positionals;
if (planFile === undefined) fail('usage: scripts/node scripts/try.ts PLAN.json [MESSAGE.json ...]');
const consumers = consumersOf(readPlan(planFile));
if (consumers.length === 0) {
  fail(
    `${planFile}: no pipeline's configuration in it. Give your root module ` +
      '`output "configuration" { value = module.idempotent_pipeline.configuration }`, and plan again.',
  );
}
const good = consumers.map(tryConsumer);
process.exitCode = good.every((each) => each) ? 0 : 1;

function tryConsumer(consumer: PlannedConsumer): boolean {
  console.log(consumer.address);
  try {
    return tryMessages(readConsumerConfig(consumer.environment));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.log(`  the function would not start: ${error.message}`);
    return false;
  }
}

function tryMessages(config: ConsumerConfig): boolean {
  if (config.mapping === undefined) {
    console.log('  a handler says what an event means: test it where it is written');
    return true;
  }
  const meaning = declarativeMeaning(config.mapping, compileSchema);
  console.log('  every expression compiles');
  const tried = messageFiles.flatMap((file) => {
    const outcomes = tryMessage(meaning, config, readFileSync(file, 'utf8'));
    for (const line of outcomes.flatMap(describeMessage)) console.log(`  ${basename(file)}: ${line}`);
    return outcomes;
  });
  return !tried.some(({ kind }: Tried) => kind === 'quarantine');
}

function readPlan(file: string): ShownPlan {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ShownPlan;
  } catch (error) {
    fail(
      `${file}: ${error instanceof SyntaxError ? 'is no JSON; write it with `terraform show -json`.' : String(error)}`,
    );
  }
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
