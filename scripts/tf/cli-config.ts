import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { scratch } from '../local/checkout.ts';
import { findMirror } from './mirror.ts';

/**
 * The path of the CLI configuration to run Terraform with, written when it has to be.
 *
 * A person's own configuration stays in force when it says where providers come from; otherwise ours replaces it, so
 * that neither a missing file nor the state of a home folder decides what a test does.
 */
export function cliConfigFile(env: NodeJS.ProcessEnv = process.env): string {
  const mirror = findMirror({ env });
  const own = env.TF_CLI_CONFIG_FILE ?? join(homedir(), '.terraformrc');
  const named = env.IDEMPOTENT_PIPELINE_TF_MIRROR ?? '';
  if (named === '' && existsSync(own) && /^\s*provider_installation\b/m.test(readFileSync(own, 'utf8'))) return own;
  const path = scratch('terraform', 'cli.tfrc');
  writeFileSync(path, cliConfig(mirror));
  return path;
}

/** With a mirror the registry is not asked for what the mirror holds, not even when it lacks the version. */
export function cliConfig(mirror: string | undefined): string {
  const common = 'disable_checkpoint = true\n';
  if (mirror === undefined) return common;
  return `${common}
provider_installation {
  filesystem_mirror {
    path    = ${JSON.stringify(mirror)}
    include = ["registry.terraform.io/hashicorp/aws"]
  }
  direct {
    exclude = ["registry.terraform.io/hashicorp/aws"]
  }
}
`;
}
