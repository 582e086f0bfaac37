/**
 * The parameters of every property test. The seed is fixed, so that a red build is the doing of its change and of no
 * draw; `make properties` looks further, with another seed each time and more runs.
 */
const SEED = Number(process.env.PROPERTY_SEED ?? 1);
const TIMES = Number(process.env.PROPERTY_TIMES ?? 1);

if (!Number.isInteger(SEED) || !Number.isInteger(TIMES) || TIMES < 1) {
  throw new Error('PROPERTY_SEED and PROPERTY_TIMES are whole numbers, PROPERTY_TIMES at least 1');
}

export function runs(numRuns: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: numRuns * TIMES, seed: SEED };
}
