import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/local/checkout.ts';
import { runNames, testTitles } from './titles.ts';

/** Faults that people met in production: consumer, Terraform, operations, local AWS. Each is a test with its id. */
const CASES: Readonly<Record<string, string>> = {
  C: '01 02 03 04 06 07 08 09 11 12 13 14 15 17 18 19 21 22 23 25 26 27 28 29 30 31 33 35 37 38 39 41 42 44 45 48 49 50 52 53 55 56 58 60 62 64 65 66 68 70',
  T: '01 03 04 05 06 09 10 11 12 14 15 16 17 18 19 20 21 22 23 25 26 27 28 30 31 32 33 34 36 38 39 40 41',
  O: '01 02 03 04 05 07 08 09 10',
  L: '01 03 04 05 06 07 08 09 10 11',
};

const ids = Object.entries(CASES).flatMap(([area, numbers]) => numbers.split(' ').map((number) => `${area}-${number}`));

/** The ids in titles: of jest tests, with what their tables put into them, and of the runs of Terraform tests. */
function tested(): ReadonlySet<string> {
  const files = execFileSync('git', ['ls-files', '-z', '--', 'test/*.ts', 'functions/test/*.ts', '*.tftest.hcl'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\0')
    .filter((file) => file !== '' && !file.endsWith('cases.test.ts') && existsSync(join(root, file)));
  const titles = files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    if (file.endsWith('.hcl')) return runNames(source);
    // Without an id anywhere it has none in a title, and parsing takes longest.
    return idsIn(source).length === 0 ? [] : testTitles(source);
  });
  return new Set(titles.flatMap(idsIn));
}

function idsIn(title: string): string[] {
  return [...title.matchAll(/(?<![A-Za-z0-9])([CTOL])[-_](\d\d)(?!\d)/g)].map(
    ([, area, number]) => `${area}-${number}`,
  );
}

describe('the handed cases', () => {
  it('are 102', () => {
    expect(new Set(ids).size).toBe(102);
  });

  it('each have a test with their id', () => {
    const found = tested();
    expect(ids.filter((id) => !found.has(id))).toEqual([]);
  }, 30_000);
});

describe('a case counts as tested', () => {
  const idsOf = (source: string) => testTitles(source).flatMap(idsIn);

  it.each([
    ['in the title of a test', "it('C-01: works', () => {});", ['C-01']],
    ['in a template', 'it(`C-01: it works`, () => {});', ['C-01']],
    ['in the title of a group', "describe('C-01', () => { it('works', () => {}); });", ['C-01']],
    ['in the title of a table', "it.each(rows)('C-01: %s', () => {});", ['C-01']],
    ['in a cell that the title shows', "it.each([['C-01', 'C-02']] as const)('%s', () => {});", ['C-01']],
    ['in a row that the title shows', "const rows = ['C-01']; it.each(rows)('%s', () => {});", ['C-01']],
    ['in a cell that the title names', "it.each([{ id: 'C-01', other: 'C-02' }])('$id', () => {});", ['C-01']],
    ['through a helper', "const t = (id, f) => { it(id + ': works', f); }; t('C-01', () => {});", ['C-01']],
  ])('%s', (_where, source, found) => {
    expect(idsOf(source)).toEqual(found);
  });

  it.each([
    ['in a comment', "// C-01\nit('works', () => { /* C-02 */ });"],
    ['in a body', "it('works', () => { expect(order('C-01')).toBe(`C-02`); });"],
    ['in a cell that no title shows', "it.each([['name', 'C-01']])('%s', () => {});"],
    ['in a table without a place for it', "it.each(['C-01'])('works', () => {});"],
    [
      'in a test that is skipped',
      "it.skip('C-01', () => {}); it.todo('C-02'); describe.skip('x', () => { it('C-03', f); });",
    ],
    ['as a part of something else', "it('ABC-01 and C-011', () => {});"],
  ])('not %s', (_where, source) => {
    expect(idsOf(source)).toEqual([]);
  });

  it('in the name of a run of a Terraform test, and not in its comments and conditions', () => {
    const source = '# O-02: why\nrun "T_05_O_01_advice" {\n  # O-03\n  name = "O_04"\n}\n';
    expect(runNames(source).flatMap(idsIn)).toEqual(['T-05', 'O-01']);
  });
});
