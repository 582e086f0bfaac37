import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root, scratch, scratchFolder } from '../../scripts/local/checkout.ts';
import type { ShownPlan } from '../../scripts/try/plan.ts';
import { layOut } from '../support/stack.ts';
import { type ResourceChange, terraformIn } from '../support/terraform.ts';
import { startSts } from './sts.ts';

/** What these tests read of `terraform show -json`. */
interface PlanJson extends ShownPlan {
  readonly resource_changes: readonly ResourceChange[];
  readonly configuration: { readonly root_module: ConfigurationModule };
  readonly output_changes: Readonly<Record<string, { readonly after?: unknown }>>;
}

export interface ConfigurationModule {
  readonly resources?: readonly {
    readonly address: string;
    readonly depends_on?: readonly string[];
    readonly expressions?: Readonly<Record<string, unknown>>;
  }[];
  readonly module_calls?: Readonly<Record<string, { readonly module: ConfigurationModule }>>;
}

/**
 * The plan of the fixture, made once for all test files and kept for as long as nothing that it depends on changes.
 * The files run in processes of their own, so a folder is the lock: making one is atomic.
 */
export async function planned(): Promise<Plan> {
  const key = inputsHash();
  const kept = scratch('plan', `${key}.json`);
  const failed = scratch('plan', `${key}.failed`);
  const lock = scratch('plan', `${key}.lock`);
  for (let waited = 0; !existsSync(kept); waited += 250) {
    if (waited > 300_000) throw new Error(`${lock} was not released within five minutes; remove it`);
    if (!tryLock(lock)) {
      await sleep(250);
      continue;
    }
    try {
      // A configuration that cannot be planned is tried once, not once for each file of tests.
      if (existsSync(failed) && Date.now() - statSync(failed).mtimeMs < 60_000)
        throw new Error(readFileSync(failed, 'utf8'));
      if (!existsSync(kept)) await makePlan(kept);
    } catch (error) {
      writeFileSync(failed, String(error));
      throw error;
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
  return new Plan(JSON.parse(readFileSync(kept, 'utf8')) as PlanJson);
}

async function makePlan(kept: string): Promise<void> {
  for (const entry of readdirSync(scratchFolder('plan'))) if (entry.endsWith('.json')) rmSync(scratch('plan', entry));
  const { url, server } = await startSts();
  try {
    const terraform = terraformIn(layOut({ name: 'plan', example: 'test/plan/fixture' }), url);
    await terraform('init', '-input=false', '-no-color');
    await terraform('plan', '-input=false', '-no-color', '-out=plan.out');
    writeFileSync(`${kept}.new`, await terraform('show', '-json', 'plan.out'));
    renameSync(`${kept}.new`, kept);
  } finally {
    server.close();
  }
}

function tryLock(lock: string): boolean {
  try {
    // A lock that a killed run left behind is older than any plan takes.
    if (existsSync(lock) && Date.now() - statSync(lock).mtimeMs > 180_000) rmSync(lock, { recursive: true });
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}

/** Over everything that a plan reads: configuration, zip, fixture and examples. */
function inputsHash(): string {
  const hash = createHash('sha256');
  const visit = (folder: string, name: RegExp) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !/^(\.|node_modules$)/.test(entry.name)) visit(path, name);
      else if (entry.isFile() && name.test(entry.name)) hash.update(path).update(readFileSync(join(root, path)));
    }
  };
  for (const entry of readdirSync(root).sort()) {
    if (entry.endsWith('.tf')) hash.update(entry).update(readFileSync(join(root, entry)));
  }
  visit('modules', /\.tf$/);
  visit('examples', /\.tf$/);
  visit('test/plan/fixture', /\.tf$/);
  visit('functions/dist', /\.zip$/);
  return hash.digest('hex').slice(0, 16);
}

// biome-ignore lint/suspicious/noExplicitAny: the provider's schema, as deep as it goes; an assertion names what it reads.
export type Values = Readonly<Record<string, any>>;

/** Questions to a plan. Addresses are Terraform's own; `in(...)` shortens them to one module call. */
export class Plan {
  readonly json: PlanJson;
  readonly prefix: string;

  constructor(json: PlanJson, prefix = '') {
    this.json = json;
    this.prefix = prefix;
  }

  in(call: string): Plan {
    return new Plan(this.json, `${this.prefix}module.${call}.`);
  }

  /** Managed resources below this module call, by the rest of their address. */
  get resources(): ReadonlyMap<string, ResourceChange> {
    const below = this.json.resource_changes.filter(
      ({ mode, address }) => mode === 'managed' && address.startsWith(this.prefix),
    );
    return new Map(below.map((change) => [change.address.slice(this.prefix.length), change]));
  }

  /** @throws When there is no such resource; says which ones there are. */
  resource(address: string): ResourceChange {
    const found = this.resources.get(address);
    if (found === undefined)
      throw new Error(`no ${this.prefix}${address}; there are\n${[...this.resources.keys()].join('\n')}`);
    return found;
  }

  /** The planned arguments of a resource; what is unknown is left out. */
  values(address: string): Values {
    return this.resource(address).change.after as Values;
  }

  unknown(address: string): Values {
    return this.resource(address).change.after_unknown as Values;
  }

  /** The outputs of a module call of the fixture; what is unknown is left out. */
  output(call: string): Values {
    return this.json.output_changes[call]?.after as Values;
  }

  /** A resource's argument that holds JSON text. */
  policy(address: string, argument = 'policy'): { readonly Statement: readonly Values[] } {
    const text = this.values(address)[argument];
    if (typeof text !== 'string') throw new Error(`${this.prefix}${address}.${argument} is not known at plan`);
    return JSON.parse(text);
  }

  /** What is written for a resource in the configuration: references and depends_on. */
  configuration(address: string): NonNullable<ConfigurationModule['resources']>[number] {
    const calls = [...`${this.prefix}${address}`.matchAll(/module\.([a-z_0-9]+)(?:\[[^\]]*\])?\./g)].map(
      ([, name]) => name as string,
    );
    const module = calls.reduce<ConfigurationModule | undefined>(
      (within, name) => within?.module_calls?.[name]?.module,
      this.json.configuration.root_module,
    );
    const plain = address.replace(/module\.[a-z_0-9]+(\[[^\]]*\])?\./g, '').replace(/\[[^\]]*\]$/, '');
    const found = module?.resources?.find((resource) => resource.address === plain);
    if (found === undefined) throw new Error(`no configuration of ${this.prefix}${address}`);
    return found;
  }
}
