import type { Clock, Random } from '../ports.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) {
        resolve();
        return;
      }
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done, { once: true });
    }),
  alarm: (atMs, callback) => {
    const timer = setTimeout(callback, Math.max(0, atMs - Date.now()));
    return () => clearTimeout(timer);
  },
};

export const systemRandom: Random = { next: () => Math.random() };
