import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkOutcome, jestOutcome, terraformTestOutcome } from '../../scripts/test/report.ts';
import { temporaryFolder } from './folder.ts';

function jestReport(report: object): string {
  const complete = {
    numPassedTests: 0,
    numFailedTests: 0,
    numPendingTests: 0,
    numRuntimeErrorTestSuites: 0,
    testResults: [],
    ...report,
  };
  return join(temporaryFolder({ 'unit.json': JSON.stringify(complete) }), 'unit.json');
}

describe("jest's report", () => {
  it('counts what passed and what failed, and shows why', () => {
    const testResults = [
      { name: 'a', status: 'passed', message: '' },
      { name: 'b', status: 'failed', message: 'expected 1, got 2' },
    ];
    const path = jestReport({ numPassedTests: 5, numFailedTests: 1, testResults });
    expect(jestOutcome(1, path, '')).toEqual({ passed: 5, failed: 1, details: 'expected 1, got 2' });
  });

  it('is a failure when it is missing, whatever the exit code says', () => {
    const outcome = jestOutcome(0, join(temporaryFolder(), 'unit.json'), 'no configuration found');
    expect(outcome).toMatchObject({ passed: 0, failed: 1, details: expect.stringContaining('no configuration found') });
  });

  it('is a failure when no test ran', () => {
    expect(jestOutcome(0, jestReport({}), '')).toMatchObject({ failed: 1 });
  });

  it('is a failure when a test was skipped', () => {
    expect(jestOutcome(0, jestReport({ numPassedTests: 3, numPendingTests: 2 }), '')).toMatchObject({
      passed: 3,
      failed: 2,
    });
  });

  it('is a failure when a file could not be run', () => {
    expect(jestOutcome(1, jestReport({ numPassedTests: 3, numRuntimeErrorTestSuites: 1 }), '')).toMatchObject({
      failed: 1,
    });
  });

  it('is a failure when jest ended badly after its last test', () => {
    expect(jestOutcome(1, jestReport({ numPassedTests: 3 }), 'open handle')).toMatchObject({ passed: 3, failed: 1 });
  });
});

describe('the report of terraform test', () => {
  const summary = (counts: object) =>
    JSON.stringify({ type: 'test_summary', test_summary: { passed: 0, failed: 0, errored: 0, skipped: 0, ...counts } });

  it('counts runs, and shows the diagnostics of bad ones', () => {
    const diagnostic = {
      '@level': 'error',
      '@message': 'Error: Test assertion failed',
      diagnostic: { detail: 'wrong queue' },
    };
    const output = `${JSON.stringify(diagnostic)}\n${summary({ passed: 7, failed: 1, errored: 1 })}\n`;
    expect(terraformTestOutcome(1, output)).toEqual({
      passed: 7,
      failed: 2,
      details: 'Error: Test assertion failed\nwrong queue',
    });
  });

  it('is a failure without a summary, without a run, and with a bad end', () => {
    expect(terraformTestOutcome(0, 'Success!')).toMatchObject({ passed: 0, failed: 1 });
    expect(terraformTestOutcome(0, summary({}))).toMatchObject({ passed: 0, failed: 1 });
    expect(terraformTestOutcome(1, summary({ passed: 2 }))).toMatchObject({ passed: 2, failed: 1 });
  });

  it('counts a skipped run as a failure: it is what follows an error', () => {
    expect(terraformTestOutcome(0, summary({ passed: 2, skipped: 3 }))).toMatchObject({ passed: 2, failed: 3 });
  });
});

describe('a check', () => {
  it('passes or fails as a whole', () => {
    expect(checkOutcome(0, 'noise')).toEqual({ passed: 1, failed: 0, details: '' });
    expect(checkOutcome(3, 'line 7 is too long')).toEqual({ passed: 0, failed: 1, details: 'line 7 is too long' });
  });
});
