import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { endGroup, identify, isRunning } from '../../scripts/local/process.ts';

describe('a process that the project started', () => {
  const started: ChildProcess[] = [];
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
  });

  async function start(script: string): Promise<ChildProcess & { pid: number }> {
    const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    started.push(child);
    await once(child.stdout, 'data');
    return child as ChildProcess & { pid: number };
  }

  it('is known again by its id and its start, and not after it ended', async () => {
    const child = await start('echo up; exec sleep 60');
    const known = identify(child.pid);
    if (known === undefined) throw new Error('not identified');
    expect(isRunning(known)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(isRunning(known)).toBe(false);
  });

  it('is ended together with its children', async () => {
    const child = await start('sleep 60 & echo $!; wait');
    const known = identify(child.pid);
    if (known === undefined) throw new Error('not identified');
    await endGroup(known);
    expect(identify(child.pid)).toBeUndefined();
  });

  it('is ended even when it does not listen', async () => {
    const child = await start('trap "" TERM; echo up; while :; do sleep 1; done');
    const known = identify(child.pid);
    if (known === undefined) throw new Error('not identified');
    await endGroup(known, 300);
    expect(isRunning(known)).toBe(false);
  });

  it('is left alone when its id belongs to somebody else by now', async () => {
    const stranger = await start('echo up; exec sleep 60');
    const known = identify(stranger.pid);
    if (known === undefined) throw new Error('not identified');
    await endGroup({ pid: stranger.pid, startedAt: 'some other time' });
    // A signal takes a moment to end anything.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isRunning(known)).toBe(true);
  });
});
