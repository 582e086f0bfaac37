import { basename, join, resolve } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

export interface Bundle {
  /** What goes into the zip: `consumer.mjs`, `relay.mjs` and what they share. */
  readonly code: ReadonlyMap<string, Uint8Array>;
  /** Source maps by file name. They stay outside of the zip (T-40): they would double it, and cost memory at a crash. */
  readonly maps: ReadonlyMap<string, Uint8Array>;
  readonly metafile: Metafile;
}

/** The Lambda entry points; each becomes `<name>.mjs` with a `handler` export. */
export const entryPoints = ['consumer', 'relay'] as const;

/**
 * Puts a handler where `handler-consumer.ts` imports one, and lets it import the pipeline by name wherever it lies. What
 * else it imports is found in its own node_modules.
 */
function withHandler(root: string, handler: string): Plugin {
  return {
    name: 'handler',
    setup: ({ onResolve }) => {
      onResolve({ filter: /^#handler$/ }, () => ({ path: resolve(handler) }));
      onResolve({ filter: /^idempotent-pipeline$/ }, () => ({ path: join(root, 'functions/src/handler-api.ts') }));
    },
  };
}

/**
 * Bundles the functions of the checkout at `root`; with `handler`, the path of a module whose default export is a handler,
 * the consumer runs that instead of the mapping of the module's variables.
 *
 * `mainFields: module,main` picks the SDK's ESM build. With esbuild's default for node, its CommonJS build would be
 * wrapped and calls to `require` would be left in an ESM file, where there is none (T-38). It is also a third smaller.
 */
export async function bundle(root: string, handler?: string): Promise<Bundle> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: entryPoints.map((name) => ({
      in: `functions/src/${name === 'consumer' && handler !== undefined ? 'handler-consumer' : name}.ts`,
      out: name,
    })),
    plugins: handler === undefined ? [] : [withHandler(root, handler)],
    outdir: 'functions/dist',
    outExtension: { '.js': '.mjs' },
    chunkNames: 'shared-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    mainFields: ['module', 'main'],
    // What the SDK brings along for other places than Lambda; the files say why.
    alias: {
      '@aws-sdk/credential-provider-node': './functions/src/aws/lambda-credentials.ts',
      bowser: './functions/src/aws/no-browser.ts',
    },
    minify: true,
    legalComments: 'none',
    charset: 'utf8',
    sourcemap: 'external',
    sourcesContent: false,
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const code = new Map<string, Uint8Array>();
  const maps = new Map<string, Uint8Array>();
  for (const file of result.outputFiles) {
    (file.path.endsWith('.map') ? maps : code).set(basename(file.path), file.contents);
  }
  return { code, maps, metafile: result.metafile };
}
