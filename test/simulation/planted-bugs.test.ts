import { describe, expect, it } from '@jest/globals';
import { MUTANTS } from './mutants.ts';
import { runSeeds } from './pool.ts';

/** Seeds of their own, which no regression made. Nothing may be needed beyond the first thousand. */
const FROM = 1_000_000;
const WITHIN = 1_000;
/** Most bugs are found at once: one worker is started for these, and two only for the rest. */
const FIRST = 60;

describe('a simulation that finds nothing proves nothing: each planted bug of the core is found', () => {
  it.each(MUTANTS.map(({ name }) => [name]))(
    '%s',
    async (mutant) => {
      const job = { from: FROM, to: FROM + FIRST, mutant, stopAfter: 1 };
      const first = await runSeeds(job, 1);
      const tally = first.broken.length > 0 ? first : await runSeeds({ ...job, from: FROM + FIRST, to: FROM + WITHIN });
      expect(tally.broken.length).toBeGreaterThan(0);
    },
    300_000,
  );
});
