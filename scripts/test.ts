/**
 * Runs the tests: `scripts/node scripts/test.ts [PART...] [-- RUNNER ARGUMENTS]`, without a name all parts but `aws` and `cdktf`.
 *
 * Each runner writes a report into reports/; the closing line counts those, never an exit code alone. A part without a
 * report, or without a test in it, has failed.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { localAwsDown, localAwsStatus, localAwsUp, NoLocalAws } from './local/local-aws.ts';
import { type Part, parts, reportsFolder } from './test/parts.ts';
import type { Outcome } from './test/report.ts';

const args = process.argv.slice(2);
const dashes = args.indexOf('--');
const names = dashes === -1 ? args : args.slice(0, dashes);
const extra = dashes === -1 ? [] : args.slice(dashes + 1);
const unknown = names.filter((name) => !parts.some((part) => part.name === name));
if (unknown.length > 0) {
  console.error(`no such part: ${unknown.join(', ')}; there are: ${parts.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
const onLocalAws: ReadonlySet<string> = new Set(['canary', 'integration', 'examples']);
const wanted =
  names.length === 0
    ? parts.filter(({ onlyByName }) => !onlyByName)
    : parts.filter(({ name }) => names.includes(name) || belongsToIntegration(name));

/** Integration tests that run on an emulator which deletes what failed would prove nothing (L-01). */
function belongsToIntegration(name: string): boolean {
  return onLocalAws.has(name) && names.includes('integration');
}

const folder = reportsFolder(wanted.map(({ name }) => name));
const outcomes = new Map<string, Outcome>();
const needsAws = wanted.some(({ name }) => onLocalAws.has(name));
const wasRunning = needsAws && (await localAwsStatus().catch(() => undefined)) !== undefined;

for (let at = 0; at < wanted.length; ) {
  const next = wanted.findIndex(({ beside }, index) => index > at && beside !== true);
  const together = wanted.slice(at, next === -1 ? undefined : next);
  await Promise.all(together.map(runPart));
  at += together.length;
}
if (needsAws && !wasRunning) await localAwsDown();

const total = (key: 'passed' | 'failed') => [...outcomes.values()].reduce((sum, outcome) => sum + outcome[key], 0);
console.log(`\n${total('passed')} passed, ${total('failed')} failed`);
process.exitCode = total('failed') === 0 ? 0 : 1;

async function runPart(part: Part): Promise<void> {
  const started = performance.now();
  const outcome = await outcomeOf(part);
  outcomes.set(part.name, outcome);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const { passed, failed, details } = outcome;
  console.log(
    `${failed === 0 ? 'ok  ' : 'FAIL'} ${part.name.padEnd(15)} ${passed} passed, ${failed} failed (${seconds} s)`,
  );
  if (failed > 0) console.log(shorten(details));
}

async function outcomeOf(part: Part): Promise<Outcome> {
  const path = join(folder, `${part.name}.json`);
  try {
    if (part.name !== 'canary' && onLocalAws.has(part.name) && (outcomes.get('canary')?.failed ?? 0) > 0) {
      return { passed: 0, failed: 1, details: 'not run: the canary says that this emulator is too old' };
    }
    if (part.name === 'canary') console.log((await localAwsUp()).description);
    const forRunner = names.includes(part.name) ? extra : [];
    const outcome = await part.run({ path, extra: forRunner, progress: (line) => console.log(`     ${line}`) });
    if (!existsSync(path)) return { passed: 0, failed: 1, details: `${part.name} left no report` };
    writeFileSync(path.replace(/json$/, 'txt'), outcome.details);
    return outcome;
  } catch (error) {
    return {
      passed: 0,
      failed: 1,
      details: error instanceof NoLocalAws ? error.message : String((error as Error).stack),
    };
  }
}

/** The first failures say most; the whole is in reports/. */
function shorten(details: string, lines = 120): string {
  const all = details.trimEnd().split('\n');
  const shown = all.slice(0, lines).map((line) => `     ${line.slice(0, 400)}`);
  if (all.length > lines) shown.push(`     ... ${all.length - lines} more lines in reports/`);
  return shown.join('\n');
}
