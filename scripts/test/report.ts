import { existsSync, readFileSync } from 'node:fs';

/** What a part of the tests comes to. `details` is what a person reads of its failures. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly details: string;
}

const failure = (details: string): Outcome => ({ passed: 0, failed: 1, details });

/** A part that passes or fails as a whole, such as a linter. */
export function checkOutcome(exitCode: number, output: string): Outcome {
  return exitCode === 0 ? { passed: 1, failed: 0, details: '' } : failure(output);
}

interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly numPendingTests: number;
  readonly testResults: readonly { readonly name: string; readonly status: string; readonly message: string }[];
}

/**
 * Counts jest's own report. No report, no test and a skipped test are failures: each of them looks like success to
 * whoever reads an exit code only.
 */
export function jestOutcome(exitCode: number, reportPath: string, output: string): Outcome {
  if (!existsSync(reportPath)) return failure(`jest wrote no report\n${output}`);
  const report = JSON.parse(readFileSync(reportPath, 'utf8')) as JestReport;
  const passed = report.numPassedTests;
  const skipped = report.numPendingTests;
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites + skipped;
  const messages = report.testResults.filter(({ status }) => status === 'failed').map(({ message }) => message);
  if (skipped > 0) messages.push(`${skipped} tests were skipped; a test runs or is not there`);
  if (failed === 0 && passed === 0) return failure(`jest ran no test\n${output}`);
  if (failed === 0 && exitCode !== 0) return { passed, failed: 1, details: `jest ended with ${exitCode}\n${output}` };
  return { passed, failed, details: messages.join('\n\n') };
}

/** Counts the JSON lines of `terraform test -json`, under the same rules. */
export function terraformTestOutcome(exitCode: number, output: string): Outcome {
  const lines = output.split('\n').flatMap((line) => jsonIn(line));
  const summary = lines.find(({ type }) => type === 'test_summary')?.test_summary;
  if (summary === undefined) return failure(`terraform test wrote no summary\n${output}`);
  const { passed, failed, errored, skipped } = summary;
  const bad = failed + errored + skipped;
  if (passed + bad === 0) return failure('terraform test ran no test');
  if (bad === 0 && exitCode !== 0) return { passed, failed: 1, details: `terraform test ended with ${exitCode}` };
  const details = lines
    .filter((line) => line['@level'] === 'error' || (line.type === 'test_run' && isBad(line.test_run?.status)))
    .map((line) => [line['@message'], line.diagnostic?.detail].filter(Boolean).join('\n'));
  return { passed, failed: bad, details: bad === 0 ? '' : details.join('\n') };
}

interface TerraformLine {
  readonly '@level'?: string;
  readonly '@message'?: string;
  readonly type?: string;
  readonly diagnostic?: { readonly detail?: string };
  readonly test_run?: { readonly status?: string };
  readonly test_summary?: { passed: number; failed: number; errored: number; skipped: number };
}

function isBad(status: string | undefined): boolean {
  return status === 'fail' || status === 'error' || status === 'skip';
}

function jsonIn(line: string): readonly TerraformLine[] {
  try {
    return [JSON.parse(line) as TerraformLine];
  } catch {
    return [];
  }
}
