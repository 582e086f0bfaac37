import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Place } from '../../scripts/aws/place.ts';
import { terraformEnvironment } from '../../scripts/tf/environment.ts';

const run = promisify(execFile);

/** Terraform in one folder, talking to one endpoint or account; undefined is for plans that must not call anything. */
export type Terraform = (...args: string[]) => Promise<string>;

/** @throws With what Terraform wrote when it fails. */
export function terraformIn(folder: string, place: Place | undefined): Terraform {
  const env = terraformEnvironment(place);
  return async (...args) => {
    try {
      const { stdout } = await run('terraform', [`-chdir=${folder}`, ...args], { env, maxBuffer: 256 * 1024 * 1024 });
      return stdout;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`terraform ${args.join(' ')} failed in ${folder}:\n${(stderr || stdout).slice(-6000)}`);
    }
  };
}

/** What tests read of `terraform show -json` of a plan. */
export interface PlanJson {
  readonly resource_changes?: readonly ResourceChange[];
  readonly output_changes?: Readonly<Record<string, { readonly actions: readonly string[]; readonly after?: unknown }>>;
  readonly planned_values: { readonly outputs?: Readonly<Record<string, { readonly value?: unknown }>> };
}

export interface ResourceChange {
  readonly address: string;
  readonly mode: 'managed' | 'data';
  readonly type: string;
  readonly name: string;
  readonly change: {
    readonly actions: readonly string[];
    readonly before: Readonly<Record<string, unknown>> | null;
    readonly after: Readonly<Record<string, unknown>> | null;
    readonly after_unknown: Readonly<Record<string, unknown>>;
  };
}

/** Plans and reads the plan. */
export async function planJson(terraform: Terraform, ...args: string[]): Promise<PlanJson> {
  await terraform('plan', '-input=false', '-no-color', '-out=plan.out', ...args);
  return JSON.parse(await terraform('show', '-json', 'plan.out')) as PlanJson;
}

/** The changes of managed resources that a plan would make; empty for a plan without changes. */
export function changesOf(plan: PlanJson): readonly ResourceChange[] {
  return (plan.resource_changes ?? []).filter(
    ({ mode, change }) => mode === 'managed' && !change.actions.every((action) => action === 'no-op'),
  );
}
