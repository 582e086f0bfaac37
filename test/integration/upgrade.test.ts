import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/local/checkout.ts';
import { localAwsUp } from '../../scripts/local/local-aws.ts';
import { destroyStack, type Stack, startStack } from '../support/stack.ts';
import { changesOf, planJson } from '../support/terraform.ts';

/** What would take data, or messages that wait, along with it. */
const HOLDS_DATA = ['aws_sqs_queue', 'aws_dynamodb_table', 'aws_sns_topic', 'aws_kms_key', 'aws_cloudwatch_log_group'];

const source = (module: string) => `
module "pipeline" {
  source              = "${module}"
  name                = "it-upgrade"
  event_id            = "id"
  business_key        = "id"
  deletion_protection = false
}
`;

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, maxBuffer: 256 * 1024 * 1024, stdio: ['ignore', 'pipe', 'ignore'] });

/** The last release, or the commit before this one while there is none. */
function previous(): string {
  try {
    return git('describe', '--tags', '--abbrev=0', 'HEAD^').toString().trim();
  } catch {
    return 'HEAD^';
  }
}

/** The module as it was, beside the stack's configuration. */
function layOutPrevious(): string {
  const folder = join(root, '.scratch', 'previous-release');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const archive = join(folder, 'module.tar');
  writeFileSync(archive, git('archive', previous(), '--', ':(glob)*.tf', 'modules', 'functions'));
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  const zip = 'functions/dist/pipeline.zip';
  if (!existsSync(join(folder, zip))) cpSync(join(root, zip), join(folder, zip), { recursive: true });
  return '../previous-release';
}

describe('an upgrade from the last release', () => {
  let stack: Stack;
  let endpoint: string;

  beforeAll(async () => {
    endpoint = (await localAwsUp()).endpoint;
    stack = await startStack(endpoint, { name: 'it-upgrade', source: source(layOutPrevious()) });
  }, 300_000);

  afterAll(async () => {
    await destroyStack(stack);
  }, 300_000);

  it('replaces nothing that holds data, and applies', async () => {
    writeFileSync(join(stack.folder, 'main.tf'), source('../..'));
    await stack.terraform('init', '-input=false', '-no-color');
    const changes = changesOf(await planJson(stack.terraform));
    const lost = changes.filter(({ type, change }) => HOLDS_DATA.includes(type) && change.actions.includes('delete'));
    expect(lost.map(({ address }) => address)).toEqual([]);
    await stack.terraform('apply', '-input=false', '-no-color', '-auto-approve');
  }, 300_000);
});
