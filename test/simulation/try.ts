import { simulate } from './world.ts';
const [from, to, trace] = process.argv.slice(2);
const t0 = Date.now(); let bad = 0; const kinds: Record<string, number> = {}; const shown: Record<string, number> = {};
const recs: number[] = [], faults: number[] = [];
for (let seed = Number(from); seed < Number(to); seed += 1) {
  const result = await simulate(seed, { trace: trace === 'trace' });
  recs.push(result.records); faults.push(result.faults.length);
  if (result.broken !== undefined) {
    bad += 1; const k = result.broken.promise; kinds[k] = (kinds[k] ?? 0) + 1;
    if ((shown[k] = (shown[k] ?? 0) + 1) < 6) console.log(seed, result.broken.promise, result.broken.message);
  }
  if (trace === 'trace') console.log(result.timeline.join('\n'));
}
recs.sort((a,b)=>a-b); faults.sort((a,b)=>a-b);
console.log(bad, kinds, 'median records', recs[recs.length >> 1], 'faults', faults[faults.length >> 1], (Date.now() - t0) / (Number(to) - Number(from)), 'ms a seed');
