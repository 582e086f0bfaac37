import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import { root } from './build.ts';
import { zipEntries } from './entries.ts';

const zip = readFileSync(join(root, 'functions/dist/pipeline.zip'));
const files = Object.entries(unzipSync(zip)).map(([name, contents]) => ({ name, contents, text: text(contents) }));
const code = files.filter(({ name }) => name.endsWith('.mjs'));

function text(contents: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(contents);
}

describe('the shipped zip', () => {
  it('holds both entry points at its top', () => {
    expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['consumer.mjs', 'relay.mjs']));
    expect(files.filter(({ name }) => name.includes('/'))).toEqual([]);
  });

  it('T-19: lets every user read every entry', () => {
    expect(zipEntries(zip).map(({ name, mode }) => [name, mode])).toEqual(files.map(({ name }) => [name, 0o644]));
  });

  it('T-18: stores its entries sorted, uncompressed and under one time stamp', () => {
    const entries = zipEntries(zip);
    expect(entries.map(({ name }) => name)).toEqual(entries.map(({ name }) => name).sort());
    expect(new Set(entries.map(({ method }) => method))).toEqual(new Set([0]));
    expect(new Set(entries.map(({ modified }) => modified)).size).toBe(1);
  });

  it('T-40: is under 600 kB of code, and holds no source map nor a pointer to one', () => {
    const size = code.reduce((sum, { contents }) => sum + contents.length, 0);
    expect(size).toBeLessThan(600_000);
    expect(files.filter(({ name }) => name.endsWith('.map'))).toEqual([]);
    expect(code.filter((file) => file.text.includes('sourceMappingURL='))).toEqual([]);
  });

  it('T-40: names no folder of the machine that built it', () => {
    for (const file of files) {
      expect([file.name, file.text.includes(root)]).toEqual([file.name, false]);
      expect([file.name, /(?:\/home\/|\/Users\/|\/work\/|[A-Z]:\\\\)/.exec(file.text)?.[0]]).toEqual([
        file.name,
        undefined,
      ]);
    }
  });

  it('T-38: leaves no stub of require behind', () => {
    for (const file of code) {
      expect([file.name, /Dynamic require of|__require/.exec(file.text)?.[0]]).toEqual([file.name, undefined]);
    }
  });

  it('T-39: imports nothing but itself and what Node.js has built in', () => {
    const specifiers = code.flatMap((file) =>
      [...file.text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([^"\n]+)"/g)].map((match) => match[1] as string),
    );
    expect(specifiers.length).toBeGreaterThan(5);
    expect(specifiers.filter((name) => !name.startsWith('./') && !isBuiltIn(name))).toEqual([]);
  });

  it('carries the licences of what it bundles', () => {
    const licenses = files.find(({ name }) => name === 'THIRD-PARTY-LICENSES.txt')?.text;
    expect(licenses).toContain('@aws-sdk/client-dynamodb');
    expect(licenses).toContain('Apache License');
  });
});

function isBuiltIn(name: string): boolean {
  return process.getBuiltinModule(name.replace(/^node:/, '') as 'fs') !== undefined;
}
