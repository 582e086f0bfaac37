import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

/** Bundles the others as ours is bundled, minified ESM for Node.js 22, and unpacks the zip that the module ships. */
export async function buildAll(root: string, out: string): Promise<Record<Variant | 'sdk-only', Built>> {
  rmSync(out, { recursive: true, force: true });
  const bundled = ['sequential', 'parallel', 'powertools', 'sdk-only'] as const;
  const entries: [string, Built][] = [];
  for (const name of bundled) {
    const file = join(out, name, 'index.mjs');
    await build({
      entryPoints: [join(root, 'scripts/bench/variants', `${name}.ts`)],
      outfile: file,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node22',
      mainFields: ['module', 'main'],
      alias: { '@aws-sdk/credential-provider-node': join(root, 'functions/src/aws/lambda-credentials.ts') },
      minify: true,
      legalComments: 'none',
      logLevel: 'warning',
      // Powertools' CommonJS dependencies ask for it.
      banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    });
    entries.push([name, { file, bytes: statSync(file).size }]);
  }
  entries.push(['pipeline', unpack(join(root, 'functions/dist/pipeline.zip'), join(out, 'pipeline'))]);
  return Object.fromEntries(entries) as Record<Variant | 'sdk-only', Built>;
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
