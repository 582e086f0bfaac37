import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readBlocks } from '../../scripts/docs/hcl.ts';
import { root } from '../../scripts/local/checkout.ts';
import { planned } from './planned.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const modules = ['.', ...readdirSync(join(root, 'modules')).map((name) => join('modules', name))];

describe('what the docs repeat of the code', () => {
  it('is as scripts/docs-tables.ts writes it', () => {
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/docs-tables.ts'), '--check'], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('the runbook links only sections that it has', () => {
    const runbook = read('docs/operations.md');
    const anchors = new Set(
      [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-')),
    );
    for (const [, anchor = ''] of runbook.matchAll(/\]\(#([^)]+)\)/g)) expect(anchors).toContain(anchor);
  });
});

describe('what the docs say about a plan', () => {
  it('docs/costs.md lists every resource of the minimal example, and how many', async () => {
    const counts = new Map<string, number>();
    for (const { type } of (await planned()).in('example_minimal').resources.values()) {
      counts.set(type, (counts.get(type) ?? 0) + 1);
    }
    const listed = [...read('docs/costs.md').matchAll(/^\| `(aws_\w+)` \| (\d+) \|/gm)].map(([, type, count]) => [
      type,
      Number(count),
    ]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(counts));
  }, 300_000);
});

describe('what a person who redrives must know', () => {
  const redrive = () => read('docs/operations.md').split('## Redrive')[1]?.split('\n## ')[0] ?? '';

  it('O-05: neither the message id nor the de-duplication id survives the dead-letter queue', () => {
    expect(redrive()).toMatch(/new `messageId`[^.]*another de-duplication id[^.]*\. Match messages by the event id/s);
  });

  it('O-07: a message that was quarantined has no source on record, so its destination must be named', () => {
    expect(redrive()).toContain('CouldNotDetermineMessageSource');
    expect(redrive()).toContain('--destination-arn');
  });

  it('O-09: an answer of 200 may hold deletes that failed', () => {
    expect(redrive()).toContain('must look at `Failed` in the answer');
  });

  it('O-01: throttles without errors mean that nothing was processed', () => {
    expect(read('docs/operations.md')).toMatch(/`Throttles` above 0 and `Errors` 0[^.]*never tried/);
  });

  it('O-10: keys that were replaced stay named until the retention is over', () => {
    expect(read('docs/operations.md')).toContain('retired_kms_key_arns');
  });
});

describe('variables and outputs', () => {
  it.each(modules)('of %s are all described in a sentence', (module) => {
    const files = readdirSync(join(root, module)).filter((name) => name.endsWith('.tf'));
    const text = files.map((name) => read(join(module, name))).join('\n');
    for (const block of [...readBlocks(text, 'variable'), ...readBlocks(text, 'output')]) {
      expect([block.name, block.description]).toEqual([block.name, expect.stringMatching(/^[A-Z].{10,}[.`]$/s)]);
      expect(block.type).not.toBe('any');
    }
  });

  it('every variable of the root is set by a test', () => {
    const tests = [
      'test/plan/fixture/main.tf',
      ...readdirSync(join(root, 'test'))
        .filter((name) => name.endsWith('.tftest.hcl'))
        .map((name) => join('test', name)),
    ].map(read);
    const names = readBlocks(read('variables.tf'), 'variable').map(({ name }) => name);
    expect(names.length).toBeGreaterThan(60);
    const unset = names.filter((name) => !tests.some((text) => new RegExp(`^\\s+${name} +=`, 'm').test(text)));
    expect(unset).toEqual([]);
  });
});
