import { MUTANTS } from './mutants.ts';
import { runSeeds } from './pool.ts';
const only = process.argv[2];
for (const { name } of MUTANTS) {
  if (only && !name.includes(only)) continue;
  const t0 = Date.now();
  try {
    const t = await runSeeds({ from: 10001, to: 11001, mutant: name, stopAfter: 1 });
    const first = t.broken[0];
    console.log(first ? `seed ${first.seed - 10000}` : `SURVIVED ${t.runs}`, `${Date.now() - t0} ms`, name, '|', first?.promise, first?.message);
  } catch (e) { console.log('ERROR', name, String(e)); }
}
