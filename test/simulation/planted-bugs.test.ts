import { describe, expect, it } from '@jest/globals';
import { MUTANTS } from './mutants.ts';
import { runSeeds } from './pool.ts';

/** Seeds of their own, which no regression made. Nothing may be needed beyond the first thousand. */
const FROM = 1_000_000;
const WITHIN = 1_000;

describe('a simulation that finds nothing proves nothing: each planted bug of the core is found', () => {
  it.each(MUTANTS.map(({ name }) => [name]))(
    '%s',
    async (mutant) => {
      const tally = await runSeeds({ from: FROM, to: FROM + WITHIN, mutant, stopAfter: 1 });
      expect(tally.broken.length).toBeGreaterThan(0);
    },
    120_000,
  );
});
