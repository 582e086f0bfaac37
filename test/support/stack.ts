import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../../scripts/aws/place.ts';
import { root } from '../../scripts/local/checkout.ts';
import { adoptQueues } from './adopt-queues.ts';
import { connect } from './clients.ts';
import { type Terraform, terraformIn } from './terraform.ts';

export interface StackOptions {
  /**
   * Names the folder `.scratch/stack-NAME`, where the configuration, its state and its plans are; `.scratch/account-NAME`
   * with an account, since `make down` forgets the other ones.
   */
  readonly name: string;
  /** The root module: a folder of the project such as `examples/orders`, or the text of a `main.tf`. */
  readonly example?: string;
  readonly source?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /**
   * Arguments that replace those of the root module's module calls, by the name of the call, e.g.
   * `{ orders: { environment: { AWS_ENDPOINT_URL: proxy.url } } }`. They become an override file, so an example needs
   * no variable for what only tests want.
   */
  readonly modules?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The only account that the provider may work in; it ends with an error before anything else in every other one. */
  readonly account?: string;
}

export interface Stack {
  readonly folder: string;
  readonly terraform: Terraform;
  /** The root module's outputs. */
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** Where a stack is laid out, be it there or not. */
export function folderOf({ name, account }: Pick<StackOptions, 'name' | 'account'>): string {
  return join(root, '.scratch', `${account === undefined ? 'stack' : 'account'}-${name}`);
}

/**
 * The folder of a stack, filled. It lies as deep below the project's root as an example does, so that `../..` means the
 * same in both; nothing is ever written into the example itself. State that is there stays there.
 */
export function layOut(options: StackOptions): string {
  const { example, source, variables, modules, account } = options;
  const folder = folderOf(options);
  mkdirSync(folder, { recursive: true });
  for (const entry of readdirSync(folder)) {
    if (/\.tf(\.json)?$|\.tfvars(\.json)?$/.test(entry)) rmSync(join(folder, entry));
  }
  if (example !== undefined) {
    const isOurs = (path: string) => !/(^|\/)\.terraform|\.tfstate|\.tftest\.hcl$/.test(path);
    cpSync(join(root, example), folder, { recursive: true, filter: isOurs });
  }
  if (source !== undefined) writeFileSync(join(folder, 'main.tf'), source);
  if (variables !== undefined) writeFileSync(join(folder, 'test.auto.tfvars.json'), JSON.stringify(variables));
  if (modules !== undefined) writeFileSync(join(folder, 'test_override.tf.json'), JSON.stringify({ module: modules }));
  if (account !== undefined) {
    const provider = { provider: { aws: { allowed_account_ids: [account] } } };
    writeFileSync(join(folder, 'test_provider.tf.json'), JSON.stringify(provider));
  }
  return folder;
}

/**
 * Applies a root module to the endpoint, or the account, and resolves to its outputs. Applying a name again changes what is there.
 *
 * `plain` leaves the queues to the provider, which takes 25 s longer for each of them in a row (adopt-queues.ts).
 */
export async function startStack(place: Place, options: StackOptions, plain = false): Promise<Stack> {
  const folder = layOut(options);
  const terraform = terraformIn(folder, place);
  await terraform('init', '-input=false', '-no-color');
  if (!plain) {
    const clients = connect(place);
    try {
      await adoptQueues(terraform, folder, clients.sqs);
    } finally {
      clients.close();
    }
  }
  await terraform('apply', '-input=false', '-no-color', '-auto-approve');
  return { folder, terraform, outputs: await outputsOf(terraform) };
}

async function outputsOf(terraform: Terraform): Promise<Record<string, unknown>> {
  const outputs = JSON.parse(await terraform('output', '-json')) as Record<string, { value: unknown }>;
  return Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]));
}

/** Destroys a stack and removes its folder; does nothing when there is none. */
export async function destroyStack({ folder, terraform }: Pick<Stack, 'folder' | 'terraform'>): Promise<void> {
  if (!existsSync(folder)) return;
  await terraform('destroy', '-input=false', '-no-color', '-auto-approve');
  rmSync(folder, { recursive: true, force: true });
}
