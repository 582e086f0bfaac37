import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/local/checkout.ts';

/** Faults that people met in production: consumer, Terraform, operations, local AWS. Each is a test with its id. */
const CASES: Readonly<Record<string, string>> = {
  C: '01 02 03 04 06 07 08 09 11 12 13 14 15 17 18 19 21 22 23 25 26 27 28 29 30 31 33 35 37 38 39 41 42 44 45 48 49 50 52 53 55 56 58 60 62 64 65 66 68 70',
  T: '01 03 04 05 06 09 10 11 12 14 15 16 17 18 19 20 21 22 23 25 26 27 28 30 31 32 33 34 36 38 39 40 41',
  O: '01 02 03 04 05 07 08 09 10',
  L: '01 03 04 05 06 07 08 09 10 11',
};

const ids = Object.entries(CASES).flatMap(([area, numbers]) => numbers.split(' ').map((number) => `${area}-${number}`));

/** The ids in the titles of jest tests, in tables of cases beside them, and in the names of runs of Terraform tests, where `-` is not allowed. */
function tested(): ReadonlySet<string> {
  const files = execFileSync('git', ['ls-files', '-z', '--', 'test/*.ts', 'functions/test/*.ts', '*.tftest.hcl'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\0')
    .filter((file) => file !== '' && !file.endsWith('cases.test.ts') && existsSync(join(root, file)));
  const found = files.flatMap((file) => readFileSync(join(root, file), 'utf8').match(/\b[CTOL][-_]\d\d(?!\d)/g) ?? []);
  return new Set(found.map((id) => id.replace('_', '-')));
}

describe('the handed cases', () => {
  it('are 102', () => {
    expect(new Set(ids).size).toBe(102);
  });

  it('each have a test with their id', () => {
    const found = tested();
    expect(ids.filter((id) => !found.has(id))).toEqual([]);
  });
});
