import type { Clock } from '../ports.ts';

/**
 * The time that an invocation has left. A function that times out sends its finished messages back too, so nothing new
 * is begun within the margin, and calls under way are aborted while there is still time to answer.
 */
export interface Deadline {
  readonly atMs: number;
  /** Passed to every call; aborts at a third of the margin. The outcome of an aborted call is unknown. */
  readonly signal: AbortSignal;
  /** False within the margin: start nothing. */
  hasTime(): boolean;
  /** Cancels the timer. */
  close(): void;
}

/** What the call answers; undefined when it failed since the deadline aborted it. Every other failure is thrown on. */
export async function unlessAborted<T>({ signal }: Deadline, call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

export function startDeadline(clock: Clock, deadlineMs: number, marginMs: number): Deadline {
  const controller = new AbortController();
  const cancel = clock.alarm(deadlineMs - marginMs / 3, () => controller.abort());
  return {
    atMs: deadlineMs,
    signal: controller.signal,
    hasTime: () => !controller.signal.aborted && clock.now() < deadlineMs - marginMs,
    close: cancel,
  };
}
