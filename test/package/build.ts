import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';
import { bundle } from '../../scripts/package/bundle.ts';
import { bundledPackages } from '../../scripts/package/licenses.ts';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** A new folder in the project's scratch; remove it with `rmSync`. */
export function scratch(name: string): string {
  mkdirSync(join(root, '.scratch'), { recursive: true });
  return mkdtempSync(join(root, '.scratch', `${name}-`));
}

/**
 * Copies to `to` what the zip is made of: the sources and the npm packages that end up in it. Copied, not linked, since
 * esbuild follows links back to one place, which would hide a path that leaks into the output.
 */
export async function copySources(to: string): Promise<void> {
  const { metafile } = await bundle(root);
  const files = ['package.json', 'tsconfig.json', 'functions/package.json', 'functions/src'];
  for (const path of [...files, ...bundledPackages(metafile), ...unbundledPackages(metafile.inputs)]) {
    cpSync(join(root, path), join(to, path), { recursive: true });
  }
}

/** Packages that were read but left no byte: they decide what is side-effect free, so they belong to the sources too. */
function unbundledPackages(inputs: Record<string, unknown>): readonly string[] {
  const folders = Object.keys(inputs).map((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]);
  return [...new Set(folders)].filter((folder) => folder !== undefined);
}

/** Gives every file below `folder` the modification time `at`. */
export function setTimes(folder: string, at: Date): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    utimesSync(join(entry.parentPath, entry.name), at, at);
  }
}

/** Runs the real build script on the checkout at `from`, under the given umask and environment. */
export function buildZip(from: string, umask: string, env: Record<string, string>): Buffer {
  const out = join(from, 'functions', 'dist');
  execFileSync(
    '/bin/sh',
    ['-c', `umask ${umask}; exec "$0" "$@"`, process.execPath, join(root, 'scripts/package.ts'), '--root', from],
    { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  return readFileSync(join(out, 'pipeline.zip'));
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The zip that the module ships, unpacked into an empty folder far from any node_modules. */
export function unpack(zip: Uint8Array, to: string): void {
  for (const [name, contents] of Object.entries(unzipSync(zip))) writeFileSync(join(to, name), contents);
}

export function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
