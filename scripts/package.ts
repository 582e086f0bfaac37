/**
 * Builds the zip that the module ships: `scripts/node scripts/package.ts [--verify] [--root DIR] [--out DIR]`, or one
 * around a handler of one's own: `... --handler FILE --out DIR`.
 *
 * The zip is committed, since a module that is consumed from git has to work with nothing but Terraform on the
 * machine; `--verify` proves that the committed bytes are those of the source beside them.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from './package/bundle.ts';
import { thirdPartyLicenses } from './package/licenses.ts';
import { reproducibleZip } from './package/zip.ts';

const { values: options } = parseArgs({
  options: {
    verify: { type: 'boolean', default: false },
    root: { type: 'string' },
    out: { type: 'string' },
    handler: { type: 'string' },
  },
});
const root = options.root === undefined ? dirname(dirname(fileURLToPath(import.meta.url))) : resolve(options.root);
const out = options.out === undefined ? join(root, 'functions', 'dist') : resolve(options.out);

if (options.handler !== undefined && (options.out === undefined || !existsSync(options.handler))) {
  console.error('--handler takes the file of a handler, and --out the folder that its pipeline.zip goes into.');
  process.exit(2);
}

const { code, maps, metafile } = await bundle(root, options.handler);
const licenses = new TextEncoder().encode(thirdPartyLicenses(root, metafile));
const zip = reproducibleZip(new Map([...code, ['THIRD-PARTY-LICENSES.txt', licenses]]));
const sha256 = createHash('sha256').update(zip).digest('hex');

for (const [name, contents] of [...code].sort(([a], [b]) => (a < b ? -1 : 1))) {
  if (contents.length > 10_000 || !name.startsWith('shared-')) console.log(`${kilobytes(contents)}  ${name}`);
}
const size = [...code.values()].reduce((sum, contents) => sum + contents.length, 0);
console.log(`${(size / 1000).toFixed(1).padStart(7)} kB  code in ${code.size} files`);
console.log(`${kilobytes(zip)}  pipeline.zip, SHA-256 ${sha256}`);

if (options.verify) {
  const committed = join(out, 'pipeline.zip');
  if (!existsSync(committed) || !readFileSync(committed).equals(zip)) {
    console.error('functions/dist/pipeline.zip is not what its source builds. Run: make package, and commit the zip.');
    process.exit(1);
  }
  console.log('functions/dist/pipeline.zip is what its source builds.');
} else {
  rmSync(join(out, 'maps'), { recursive: true, force: true });
  mkdirSync(join(out, 'maps'), { recursive: true });
  writeFileSync(join(out, 'pipeline.zip'), zip);
  for (const [name, contents] of maps) writeFileSync(join(out, 'maps', name), contents);
}

function kilobytes(contents: Uint8Array): string {
  return `${(contents.length / 1000).toFixed(1).padStart(7)} kB`;
}
