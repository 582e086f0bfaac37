import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { unzipSync } from 'fflate';

/** In the order of the table: as first published, in parallel, Powertools, ours. */
export const VARIANTS = ['sequential', 'parallel', 'powertools', 'pipeline'] as const;
export type Variant = (typeof VARIANTS)[number];

export interface Built {
  readonly file: string;
  readonly bytes: number;
}

/** What runs the variants, as plain JavaScript: stripping types in the measured processes would cost them time and memory. */
const HARNESS = ['worker', 'cold-start'] as const;

export interface Benchmark {
  readonly functions: Record<Variant | 'sdk-only', Built>;
  readonly harness: Record<(typeof HARNESS)[number], string>;
}

/** Bundles the others as ours is bundled, minified ESM for Node.js 22, and unpacks the zip that the module ships. */
export async function buildAll(root: string, out: string, zip: string): Promise<Benchmark> {
  rmSync(out, { recursive: true, force: true });
  const bundled = ['sequential', 'parallel', 'powertools', 'sdk-only'] as const;
  const functions: Partial<Record<Variant | 'sdk-only', Built>> = {};
  for (const name of bundled) {
    const { metafile } = await build({
      entryPoints: [{ in: join(root, 'scripts/bench/variants', `${name}.ts`), out: 'index' }],
      outdir: join(out, name),
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node22',
      mainFields: ['module', 'main'],
      alias: {
        '@aws-sdk/credential-provider-node': join(root, 'functions/src/aws/lambda-credentials.ts'),
        bowser: join(root, 'functions/src/aws/no-browser.ts'),
      },
      minify: true,
      legalComments: 'none',
      metafile: true,
      logLevel: 'warning',
      // Powertools' CommonJS dependencies ask for it.
      banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    });
    const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
    functions[name] = { file: join(out, name, 'index.mjs'), bytes };
  }
  functions.pipeline = unpack(zip, join(out, 'pipeline'));
  await build({
    entryPoints: HARNESS.map((name) => join(root, 'scripts/bench', `${name}.ts`)),
    outdir: join(out, 'harness'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  });
  return {
    functions: functions as Benchmark['functions'],
    harness: { worker: join(out, 'harness/worker.mjs'), 'cold-start': join(out, 'harness/cold-start.mjs') },
  };
}

function unpack(zip: string, folder: string): Built {
  mkdirSync(folder, { recursive: true });
  let bytes = 0;
  for (const [name, contents] of Object.entries(unzipSync(readFileSync(zip)))) {
    writeFileSync(join(folder, name), contents);
    if (name.endsWith('.mjs')) bytes += contents.length;
  }
  return { file: join(folder, 'consumer.mjs'), bytes };
}
