import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** The folders of the npm packages that ended up in the bundle, relative to the root, sorted. */
export function bundledPackages(metafile: Metafile): readonly string[] {
  const used = new Set<string>();
  for (const output of Object.values(metafile.outputs)) {
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
      if (folder !== undefined && bytesInOutput > 0) used.add(folder);
    }
  }
  return [...used].sort();
}

/**
 * The licences of everything bundled, each text once. They ask to travel with every copy, and minifying drops the
 * comments that carried them.
 */
export function thirdPartyLicenses(root: string, metafile: Metafile): string {
  const packagesByText = new Map<string, string[]>();
  for (const folder of bundledPackages(metafile)) {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder))
      .sort()
      .find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
    const text = file === undefined ? `Licence: ${license}` : readFileSync(join(root, folder, file), 'utf8');
    const normalised = text.replaceAll('\r\n', '\n').trim();
    packagesByText.set(normalised, [...(packagesByText.get(normalised) ?? []), `${name} ${version} (${license})`]);
  }
  return [...packagesByText].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`).join(`\n${'-'.repeat(80)}\n\n`);
}
