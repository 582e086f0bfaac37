import { setTimeout as sleep } from 'node:timers/promises';

/** Whether anything that speaks HTTP answers there, whatever its answer says. */
export async function answers(url: string, timeoutMs = 2000): Promise<boolean> {
  try {
    await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    return true;
  } catch {
    return false;
  }
}

/** Whether the emulator says that it is ready. */
export async function isHealthy(url: string, timeoutMs = 2000): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })).ok;
  } catch {
    return false;
  }
}

/** Waits for the condition, not for a time: resolves to false when it did not come true, or cannot any more. */
export async function becomesHealthy(url: string, timeoutMs: number, stillThere: () => boolean): Promise<boolean> {
  for (const end = Date.now() + timeoutMs; Date.now() < end && stillThere(); await sleep(100)) {
    if (await isHealthy(url)) return true;
  }
  return false;
}
