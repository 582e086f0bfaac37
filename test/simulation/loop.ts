interface Entry {
  readonly atMs: number;
  readonly order: number;
  fn: (() => void) | undefined;
}

const ready = Promise.resolve();

/**
 * Virtual time. An entry runs only when every promise that is ready has run: `process.nextTick`, called from a microtask,
 * fires when the microtask queue is empty. So a run needs no macro task, and is the same every time.
 */
export class Loop {
  now: number;
  #heap: Entry[] = [];
  #order = 0;

  constructor(startMs: number) {
    this.now = startMs;
  }

  get idle(): boolean {
    return this.#heap.length === 0;
  }

  at(atMs: number, fn: () => void): () => void {
    const entry: Entry = { atMs: Math.max(atMs, this.now), order: this.#order, fn };
    this.#order += 1;
    this.#push(entry);
    return () => {
      entry.fn = undefined;
    };
  }

  after(ms: number, fn: () => void): () => void {
    return this.at(this.now + ms, fn);
  }

  /** Resolves when `done` says so or nothing is left to do. */
  run(done: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = (): void => {
        try {
          if (done()) return resolve();
          let entry = this.#pop();
          while (entry !== undefined && entry.fn === undefined) entry = this.#pop();
          if (entry === undefined) return resolve();
          this.now = entry.atMs;
          entry.fn?.();
        } catch (error) {
          return reject(error);
        }
        ready.then(next);
      };
      const next = (): void => {
        process.nextTick(step);
      };
      ready.then(next);
    });
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Entry;
      if (!before(entry, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      const right = child + 1;
      if (right < heap.length && before(heap[right] as Entry, heap[child] as Entry)) child = right;
      const below = heap[child] as Entry;
      if (!before(below, last)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return top;
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
