import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { testPlace } from '../aws/place.ts';
import { root, scratchFolder } from '../local/checkout.ts';
import { terraformEnvironment } from '../tf/environment.ts';
import { checkOutcome, jestOutcome, type Outcome, terraformTestOutcome } from './report.ts';
import { type Finished, run } from './run.ts';

/** One part of the tests. */
export interface Part {
  readonly name: string;
  /** Runs only when it is named: it costs money, or needs an install of its own. */
  readonly onlyByName?: boolean;
  /** Runs while the part before it does: it waits more than it works. */
  readonly beside?: boolean;
  run(report: PartReport): Promise<Outcome>;
}

export interface PartReport {
  /** Where a runner writes its report. */
  readonly path: string;
  /** Arguments that a person added for the runner. */
  readonly extra: readonly string[];
  /** Shows that it moves. */
  progress(line: string): void;
}

const bin = (path: string) => join(root, 'node_modules', path);
const node = (args: readonly string[]) => run(process.execPath, args, { cwd: root });
const biome = (command: string) => [bin('@biomejs/biome/bin/biome'), command, '--max-diagnostics=40', '.'];

export const parts: readonly Part[] = [
  check('format', () => node(biome('format'))),
  check('lint', () => node(biome('lint').concat('--error-on-warnings'))),
  check('typecheck', () => node([bin('typescript/bin/tsc'), '--project', root])),
  jest('unit'),
  check('verify-package', () => node([join(root, 'scripts/package.ts'), '--verify'])),
  { name: 'terraform', run: terraform },
  check('scan', () => run('sh', [join(root, 'scripts/scan.sh')], { cwd: root })),
  jest('plan'),
  jest('simulation'),
  jest('canary', '--runInBand', '--testTimeout=120000'),
  jest('integration', '--runInBand', '--testTimeout=300000'),
  { ...jest('examples', '--runInBand', '--testTimeout=300000'), beside: true },
  { name: 'aws', onlyByName: true, run: aws },
  { ...jest('cdktf'), onlyByName: true },
];

function check(name: string, command: () => Promise<Finished>): Part {
  return {
    name,
    run: async ({ path }) => {
      const { exitCode, output } = await command();
      writeFileSync(path, JSON.stringify({ exitCode, output }));
      return checkOutcome(exitCode, output);
    },
  };
}

function jest(name: string, ...options: readonly string[]): Part {
  // Hundreds of quick files would bury what matters.
  const slow = name !== 'unit';
  return {
    name,
    run: async ({ path, extra, progress }) => {
      const { exitCode, output } = await run(
        process.execPath,
        [
          '--experimental-vm-modules',
          '--disable-warning=ExperimentalWarning',
          bin('jest/bin/jest.js'),
          ...['--selectProjects', name, '--ci', '--json', `--outputFile=${path}`, ...options, ...extra],
        ],
        { cwd: root, onLine: (line) => (slow ? /^(PASS|FAIL) / : /^FAIL /).test(line) && progress(line) },
      );
      return jestOutcome(exitCode, path, output);
    },
  };
}

/** Says where it is going to work before it does, and refuses when nobody named the place. */
async function aws(report: PartReport): Promise<Outcome> {
  const place = await testPlace();
  report.progress(
    typeof place === 'string' ? `local AWS at ${place}` : `AWS account ${place.account} in ${place.region}`,
  );
  return jest('aws', '--runInBand', '--testTimeout=300000').run(report);
}

/** Formatting of the tracked files, validation of every module, and the tests in `test/*.tftest.hcl`. */
async function terraform({ path, progress }: PartReport): Promise<Outcome> {
  const env = terraformEnvironment(undefined);
  const format = await run('terraform', ['fmt', '-check', '-diff', ...tracked('*.tf', '*.tfvars', '*.tftest.hcl')], {
    cwd: root,
    env,
  });
  const outcomes = [checkOutcome(format.exitCode, format.output)];
  const validated = new Set<string>();
  // The root and the examples first: validating them validates the modules that they call. What lies under test/ is laid
  // out elsewhere before it is used.
  const folders = [...new Set(tracked('*.tf', ':!test').map((file) => dirname(file)))].sort();
  for (const folder of folders) {
    if (validated.has(folder)) continue;
    const data = join(scratchFolder('terraform', 'data'), folder === '.' ? 'root' : folder.replaceAll('/', '-'));
    const own = { ...env, TF_DATA_DIR: data };
    const args = [`-chdir=${join(root, folder)}`];
    const init = await run('terraform', [...args, 'init', '-backend=false', '-no-color'], { env: own });
    const validate = await run('terraform', [...args, 'validate', '-no-color'], { env: own });
    outcomes.push(checkOutcome(init.exitCode || validate.exitCode, `${folder}\n${init.output}\n${validate.output}`));
    progress(`${validate.exitCode === 0 ? 'valid' : 'INVALID'} ${folder}`);
    for (const called of calledModules(data)) validated.add(relative(root, join(root, folder, called)));
    if (folder !== '.') continue;
    outcomes.push(...(await terraformTests(args, own, progress)));
  }
  writeFileSync(path, JSON.stringify(outcomes));
  return {
    passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
    failed: outcomes.reduce((sum, { failed }) => sum + failed, 0),
    details: outcomes
      .map(({ details }) => details)
      .filter((text) => text !== '')
      .join('\n\n'),
  };
}

/**
 * A file at a time, two files at once: each run starts the provider anew and waits for it, on one core. No file at all is
 * a failure, as `terraform test` itself is content with none.
 */
async function terraformTests(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  progress: PartReport['progress'],
): Promise<readonly Outcome[]> {
  const waiting = [...tracked('test/*.tftest.hcl')];
  if (waiting.length === 0) return [{ passed: 0, failed: 1, details: 'there is no test/*.tftest.hcl' }];
  const outcomes: Outcome[] = [];
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const command = [...args, 'test', '-test-directory=test', `-filter=${file}`, '-json'];
      const { exitCode, output } = await run('terraform', command, { env });
      const outcome = terraformTestOutcome(exitCode, output);
      outcomes.push({ ...outcome, details: outcome.failed === 0 ? '' : `${file}\n${outcome.details}` });
      progress(`${outcome.failed === 0 ? 'PASS' : 'FAIL'} ${file}`);
    }
  };
  await Promise.all([work(), work()]);
  return outcomes;
}

/** Folders of the modules that `terraform init` found, relative to the one that calls them. */
function calledModules(dataFolder: string): readonly string[] {
  const manifest = join(dataFolder, 'modules', 'modules.json');
  if (!existsSync(manifest)) return [];
  const { Modules } = JSON.parse(readFileSync(manifest, 'utf8')) as { Modules: readonly { Dir: string }[] };
  return Modules.map(({ Dir }) => Dir);
}

/** `terraform fmt -recursive` would walk into node_modules, and into what other tools left behind. */
function tracked(...patterns: readonly string[]): readonly string[] {
  return execFileSync('git', ['ls-files', '-z', '--', ...patterns], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)));
}

/** An empty folder for the reports of this run: a report of an earlier one must not be counted. */
export function reportsFolder(names: readonly string[]): string {
  const folder = join(root, 'reports');
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder)) {
    if (names.some((name) => file.startsWith(`${name}.`))) rmSync(join(folder, file));
  }
  return folder;
}
