import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process as it can be known again: ids are used again, ids together with a start time are not. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

/** Who runs under `pid` now; undefined when nobody does (a zombie is nobody). */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isRunning(known: ProcessIdentity): boolean {
  return identify(known.pid)?.startedAt === known.startedAt;
}

/**
 * Ends a process that this project started as the leader of its own group, with its children, and waits until it is
 * gone. Does nothing when another process has taken its id since: that one is not ours.
 */
export async function endGroup(known: ProcessIdentity, patienceMs = 10_000): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isRunning(known)) return;
    try {
      process.kill(-known.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    const end = Date.now() + patienceMs;
    while (isRunning(known) && Date.now() < end) await sleep(50);
  }
  if (isRunning(known)) throw new Error(`process ${known.pid} does not end`);
}

/** Field 22 of /proc/PID/stat counts ticks since boot; the boot id makes it last over a restart of the machine. */
function startOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may hold spaces and parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

function startByPs(pid: number): string | undefined {
  try {
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const [state, ...start] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { env, encoding: 'utf8' })
      .trim()
      .split(/\s+/);
    return state === undefined || state.startsWith('Z') ? undefined : start.join(' ');
  } catch {
    return undefined;
  }
}
