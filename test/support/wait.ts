import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks until the answer is neither false nor undefined, and resolves to it. Watches a condition instead of sleeping for
 * a time that is too short on a busy machine and too long on any other.
 *
 * @throws When it does not come within `timeoutMs`; `what` says in words what was waited for.
 */
export async function waitUntil<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { timeoutMs = 60_000, everyMs = 200 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() >= end) throw new Error(`waited ${timeoutMs / 1000} s in vain for: ${what}`);
    await sleep(everyMs);
  }
}
