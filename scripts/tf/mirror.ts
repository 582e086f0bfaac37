import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const registry = 'registry.terraform.io';
const provider = join(registry, 'hashicorp', 'aws');

/** What the search may look at. Tests give a file system of their own as `fileSystemRoot`. */
export interface MirrorSearch {
  readonly env: NodeJS.ProcessEnv;
  readonly fileSystemRoot?: string;
  readonly home?: string;
  /** As Terraform writes it: `linux_amd64`. */
  readonly platform?: string;
}

/**
 * A folder on this machine that the AWS provider can be installed from without a network, laid out as `terraform
 * providers mirror` does; undefined when there is none, and the registry is asked.
 *
 * In this order: the one that IDEMPOTENT_PIPELINE_TF_MIRROR names; the folders that Terraform itself looks into when no
 * configuration says otherwise; and, one level below the places that the file system hierarchy gives to software that
 * did not come with the system, any folder that holds a registry.terraform.io.
 *
 * @see https://developer.hashicorp.com/terraform/cli/config/config-file#implied-local-mirror-directories
 * @throws When the named folder does not hold the provider: who names one wants no other.
 */
export function findMirror(search: MirrorSearch): string | undefined {
  const { env, fileSystemRoot = '/', home = homedir(), platform = currentPlatform() } = search;
  const named = env.IDEMPOTENT_PIPELINE_TF_MIRROR;
  if (named !== undefined && named !== '') {
    if (holdsProvider(named, platform)) return named;
    throw new Error(`IDEMPOTENT_PIPELINE_TF_MIRROR is ${named}, which holds no ${provider} for ${platform}`);
  }
  const at = (path: string) => join(fileSystemRoot, path);
  const implied = [
    join(home, '.terraform.d', 'plugins'),
    join(env.XDG_DATA_HOME ?? join(home, '.local', 'share'), 'terraform', 'plugins'),
    ...(env.XDG_DATA_DIRS ?? '/usr/local/share:/usr/share')
      .split(':')
      .filter((folder) => folder !== '')
      .map((folder) => at(join(folder, 'terraform', 'plugins'))),
    join(home, 'Library', 'Application Support', 'io.terraform', 'plugins'),
    at('/Library/Application Support/io.terraform/plugins'),
  ];
  const addOn = ['/opt', '/usr/local'].flatMap((folder) => [at(folder), ...foldersIn(at(folder))]);
  return [...implied, ...addOn].find((folder) => holdsProvider(folder, platform));
}

/** Node.js and Go name platforms differently. */
export function currentPlatform(): string {
  return `${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}`;
}

/** Both layouts count: `aws/VERSION/PLATFORM/`, unpacked, and `aws/terraform-provider-aws_VERSION_PLATFORM.zip`. */
function holdsProvider(mirror: string, platform: string): boolean {
  return entriesIn(join(mirror, provider)).some((entry) =>
    entry.isFile() ? entry.name.endsWith(`_${platform}.zip`) : existsSync(join(mirror, provider, entry.name, platform)),
  );
}

function foldersIn(folder: string): readonly string[] {
  return entriesIn(folder)
    .filter((entry) => !entry.isFile())
    .map((entry) => join(folder, entry.name))
    .sort();
}

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
