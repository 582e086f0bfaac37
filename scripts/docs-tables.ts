/**
 * Writes what the docs repeat of the code: docs/reference.md (inputs and outputs of the module, from the HCL) and the
 * texts of the reasons in docs/operations.md. With `--check` it writes nothing and fails when something would change.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NOT_OURS_REASONS, PERMANENT_REASONS, reasonText, TRANSIENT_REASONS } from '../functions/src/core/reasons.ts';
import { readBlocks, readSections } from './docs/hcl.ts';
import { root } from './local/checkout.ts';

const REFERENCE = 'docs/reference.md';
const OPERATIONS = 'docs/operations.md';

const read = (path: string) => {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return '';
  }
};

/** A table cell: one line, with the pipe that would end it escaped. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').trim();

function reference(): string {
  const sections = readSections(read('variables.tf')).map(({ title, text }) => {
    const rows = readBlocks(text, 'variable').map(({ name, description, type, defaultValue }) => {
      const required = defaultValue === undefined ? 'required' : `\`${cell(defaultValue)}\``;
      return `| \`${name}\` | ${cell(description)} | \`${cell(type)}\` | ${required} |`;
    });
    return `### ${title}\n\n| name | meaning | type | default |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  const outputs = readBlocks(read('outputs.tf'), 'output').map(
    ({ name, description }) => `| \`${name}\` | ${cell(description)} |`,
  );
  return [
    '# Reference\n',
    'Written by `scripts/docs-tables.ts` from the HCL; change it there.\n',
    '## Inputs\n',
    ...sections,
    '## Outputs\n',
    `| name | meaning |\n|---|---|\n${outputs.join('\n')}\n`,
  ].join('\n');
}

/** The quoted line below a reason's heading is its fixed text, as the dead-letter queue carries it. */
function operations(): string {
  const reasons = { ...PERMANENT_REASONS, ...TRANSIENT_REASONS, ...NOT_OURS_REASONS };
  let text = read(OPERATIONS);
  for (const reason of Object.keys(reasons) as (keyof typeof reasons)[]) {
    if (!text.includes(`### ${reason}\n`)) throw new Error(`${OPERATIONS} has no section "### ${reason}"`);
    text = text.replace(new RegExp(`(### ${reason}\\n\\n> ).*`), (_, heading) => `${heading}${reasonText(reason)}`);
  }
  return text;
}

const stale = (
  [
    [REFERENCE, reference()],
    [OPERATIONS, operations()],
  ] as const
).filter(([path, text]) => read(path) !== text);

if (!process.argv.includes('--check')) {
  for (const [path, text] of stale) writeFileSync(join(root, path), text);
} else if (stale.length > 0) {
  console.error(
    `${stale.map(([path]) => path).join(' and ')} repeat the code as it was; run: scripts/node scripts/docs-tables.ts`,
  );
  process.exitCode = 1;
}
