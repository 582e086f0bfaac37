import type { Variant } from './build.ts';

export const LABELS: Readonly<Record<Variant, string>> = {
  sequential: '(a) pattern, one by one',
  parallel: '(b) pattern, in parallel',
  powertools: '(c) Powertools, no transaction',
  pipeline: '(d) this pipeline',
};
