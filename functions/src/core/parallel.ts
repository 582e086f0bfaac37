/**
 * Runs `task` for every item, at most `limit` at a time, and returns the results in the order of the items. It resolves
 * only when every task has settled; a task that throws makes it throw then, after the others have ended.
 */
export async function inParallel<T, R>(
  limit: number,
  items: readonly T[],
  task: (item: T) => Promise<R>,
): Promise<R[]> {
  const run: Run<T, R> = { items, task, results: [], errors: [], next: 0 };
  const workers: Promise<void>[] = [];
  while (workers.length < limit) workers.push(drain(run));
  await Promise.all(workers);
  if (run.errors.length > 0) throw run.errors[0];
  return run.results;
}

interface Run<T, R> {
  readonly items: readonly T[];
  readonly task: (item: T) => Promise<R>;
  readonly results: R[];
  readonly errors: unknown[];
  next: number;
}

async function drain<T, R>(run: Run<T, R>): Promise<void> {
  while (run.next < run.items.length) {
    const index = run.next;
    run.next += 1;
    try {
      run.results[index] = await run.task(run.items[index] as T);
    } catch (error) {
      run.errors.push(error);
    }
  }
}

/** Cuts a list into pieces of at most `size`. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  const pieces: T[][] = [];
  for (let start = 0; start < items.length; start += size) pieces.push(items.slice(start, start + size));
  return pieces;
}
