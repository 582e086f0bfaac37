import { type RunOptions, type RunResult, simulate } from './world.ts';

export interface Shrunk {
  readonly run: RunResult;
  readonly faults: number;
  readonly messages: number;
}

/** Runs that shrinking may take; a smaller timeline is worth seconds, not minutes. */
const TRIES = 400;

/**
 * Makes a failing run easier to read: messages and faults are left out, in halves and then one by one, as long as the same
 * promise breaks. What remains is traced.
 */
export async function shrink(seed: number, options: RunOptions = {}): Promise<Shrunk> {
  const first = await simulate(seed, options);
  const promise = first.broken?.promise;
  let tries = 0;
  const breaks = async (without: RunOptions): Promise<boolean> => {
    tries += 1;
    return tries <= TRIES && (await simulate(seed, { ...options, ...without })).broken?.promise === promise;
  };
  const origins = Array.from({ length: first.sent }, (_, origin) => origin);
  const dropped = await leaveOut(origins, (out) => breaks({ dropped: out }));
  const left = await simulate(seed, { ...options, dropped });
  const muted = await leaveOut(left.faults, (out) => breaks({ dropped, muted: out }));
  const run = await simulate(seed, { ...options, dropped, muted, trace: true });
  return { run, faults: run.faults.length, messages: first.sent - dropped.size };
}

/** The largest set of entries found that can be left out, in ever smaller pieces. */
async function leaveOut<T>(all: readonly T[], stillBreaks: (out: ReadonlySet<T>) => Promise<boolean>): Promise<Set<T>> {
  let out = new Set<T>();
  for (let size = Math.ceil(all.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < all.length; start += size) {
      const piece = all.slice(start, start + size).filter((entry) => !out.has(entry));
      if (piece.length === 0) continue;
      const more = new Set([...out, ...piece]);
      if (await stillBreaks(more)) out = more;
    }
  }
  return out;
}

export function printable({ run, faults, messages }: Shrunk): string {
  const { broken, seed, timeline } = run;
  return [
    `seed ${seed} breaks ${broken?.promise}: ${broken?.message}`,
    `run it again: SIM_SEED=${seed} make simulation`,
    `shrunk to ${messages} messages and ${faults} faults; seconds of virtual time:`,
    ...timeline,
  ].join('\n');
}
