import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/local/checkout.ts';
import { fill, temporaryFolder } from './folder.ts';

/** Stands in for MiniStack: healthy after a while on the port that it is told, and deaf to nothing. */
const emulator = `
import { createServer } from 'node:http';
setTimeout(() => createServer((request, response) => {
  response.writeHead(request.url === '/_ministack/health' ? 200 : 404).end();
}).listen(Number(process.env.GATEWAY_PORT), process.env.BIND_HOST), 200);
`;

interface Checkout {
  readonly folder: string;
  local(command: string, env?: Record<string, string>): { readonly status: number | null; readonly text: string };
}

const checkouts: Checkout[] = [];
afterEach(() => {
  for (const { local } of checkouts.splice(0)) local('down');
});

/** A checkout with the real scripts and, unless told otherwise, an emulator in its virtual environment. */
function checkout({ withEmulator = true } = {}): Checkout {
  const folder = temporaryFolder({ 'package.json': '{ "type": "module" }', 'bin/': '' });
  cpSync(join(root, 'scripts/local'), join(folder, 'scripts/local'), { recursive: true });
  cpSync(join(root, 'scripts/local-aws.ts'), join(folder, 'scripts/local-aws.ts'));
  if (withEmulator) {
    fill(folder, {
      'emulator.mjs': emulator,
      '.venv/bin/ministack': '',
      '.venv/bin/python': `#!/bin/sh\nexec "${process.execPath}" "${folder}/emulator.mjs"\n`,
    });
  }
  const local: Checkout['local'] = (command, env = {}) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'scripts/local-aws.ts'), command], {
      // No docker on this PATH, whatever the machine has.
      env: { PATH: `${dirname(process.execPath)}:${join(folder, 'bin')}:/bin`, ...env },
      encoding: 'utf8',
    });
    return { status, text: stdout + stderr };
  };
  const made = { folder, local };
  checkouts.push(made);
  return made;
}

const portIn = (text: string) => /127\.0\.0\.1:(\d+)/.exec(text)?.[1];

describe('local AWS', () => {
  it('says in one line what runs, uses what already runs, and stops it', () => {
    const { local } = checkout();
    const up = local('up');
    expect(up.text).toMatch(/^Local AWS: MiniStack at http:\/\/127\.0\.0\.1:\d+ \(process \d+\)\n$/);
    expect(local('up').text).toBe(up.text);
    expect(local('status').text).toBe(up.text);
    expect(local('down').text).toBe('Local AWS: stopped ministack\n');
    expect(local('status').text).toBe('Local AWS: not running\n');
    expect(local('down')).toEqual({ status: 0, text: 'Local AWS: nothing to stop here\n' });
  }, 60_000);

  it('keeps its port over a restart', () => {
    const { local } = checkout();
    const before = portIn(local('up').text);
    local('down');
    expect(portIn(local('up').text)).toBe(before);
  }, 60_000);

  it('runs twice on one machine, and the end of one is not the end of the other', () => {
    const [one, other] = [checkout(), checkout()];
    const [first, second] = [one.local('up').text, other.local('up').text];
    expect(portIn(first)).not.toBe(portIn(second));
    one.local('down');
    expect(other.local('status').text).toBe(second);
  }, 60_000);

  it('finds another port when its own was taken in between', async () => {
    const { local } = checkout();
    const port = Number(portIn(local('up').text));
    local('down');
    const stranger = createServer().listen(port, '127.0.0.1');
    await once(stranger, 'listening');
    try {
      const up = local('up');
      expect(up.status).toBe(0);
      expect(portIn(up.text)).not.toBe(String(port));
    } finally {
      stranger.close();
    }
  }, 60_000);

  it('starts again what was killed', () => {
    const { local, folder } = checkout();
    local('up');
    const { process: known } = JSON.parse(readFileSync(join(folder, '.scratch/local-aws/state.json'), 'utf8'));
    process.kill(known.pid, 'SIGKILL');
    expect(local('up').status).toBe(0);
    expect(local('status').text).not.toContain(String(known.pid));
  }, 60_000);

  it('uses AWS_ENDPOINT_URL as it is, and neither starts nor stops anything', async () => {
    const { local, folder } = checkout({ withEmulator: false });
    const { endpoint, stop } = await startGiven();
    try {
      expect(local('up', { AWS_ENDPOINT_URL: endpoint })).toEqual({
        status: 0,
        text: `Local AWS: ${endpoint}, as AWS_ENDPOINT_URL says\n`,
      });
      expect(local('down', { AWS_ENDPOINT_URL: endpoint }).text).toBe('Local AWS: nothing to stop here\n');
      expect(existsSync(join(folder, '.scratch/local-aws/state.json'))).toBe(false);
    } finally {
      stop();
    }
  }, 60_000);

  it('says so when nothing answers at AWS_ENDPOINT_URL, instead of choosing another one', () => {
    const { local } = checkout();
    const up = local('up', { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' });
    expect(up).toEqual({ status: 1, text: expect.stringContaining('Nothing answers at http://127.0.0.1:1') });
  });

  it('says what to install when there is none to be had', () => {
    const { status, text } = checkout({ withEmulator: false }).local('up');
    expect(status).toBe(1);
    expect(text).toContain('make install');
    expect(text).toContain('Docker');
    expect(text).toContain('AWS_ENDPOINT_URL');
  });
});

/** An endpoint in a process of its own, since this one is blocked while it waits for the script. */
async function startGiven(): Promise<{ readonly endpoint: string; stop(): void }> {
  const script = `
    const server = require('node:http').createServer((request, response) => response.writeHead(404).end());
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));
  `;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  return { endpoint: `http://127.0.0.1:${String(port).trim()}`, stop: () => child.kill('SIGKILL') };
}
