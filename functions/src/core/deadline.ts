import type { Clock } from '../ports.ts';

/**
 * The time that an invocation has left. A function that times out sends its finished messages back too, so nothing new
 * is begun within the margin, and calls under way are aborted while there is still time to answer.
 */
export interface Deadline {
  readonly atMs: number;
  /** Passed to every call; aborts at a third of the margin. The outcome of an aborted call is unknown. */
  readonly signal: AbortSignal;
  /** The same for publishes, which end at two thirds of the margin: what is out by then can still be marked. */
  readonly publishSignal: AbortSignal;
  /** False within the margin: start nothing. */
  hasTime(): boolean;
  /** The middle of the time that is left before the margin, epoch milliseconds. */
  halfwayMs(): number;
  /** Cancels the timers. */
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
  const publishes = new AbortController();
  const cancel = clock.alarm(deadlineMs - marginMs / 3, () => controller.abort());
  const cancelPublishes = clock.alarm(deadlineMs - (marginMs * 2) / 3, () => publishes.abort());
  return {
    atMs: deadlineMs,
    signal: controller.signal,
    publishSignal: publishes.signal,
    halfwayMs: () => (clock.now() + deadlineMs - marginMs) / 2,
    hasTime: () => !controller.signal.aborted && clock.now() < deadlineMs - marginMs,
    close: () => {
      cancel();
      cancelPublishes();
    },
  };
}
