import { Coverage } from './coverage.ts';
import { median, runSeeds } from './pool.ts';
const [from, to, mutant] = process.argv.slice(2);
const t0 = Date.now();
const t = await runSeeds({ from: Number(from), to: Number(to), stopAfter: mutant ? 1 : 1e9, ...(mutant && { mutant }) });
const kinds: Record<string, number[]> = {};
for (const b of t.broken) (kinds[b.promise] ??= []).push(b.seed);
for (const [k, s] of Object.entries(kinds)) { console.log(k, s.length, s.slice(0, 8).join(' ')); const m = new Map<string, number>(); for (const b of t.broken.filter((x) => x.promise === k)) { const g = b.message.replace(/[em]\d+(\.\d)?/g, '#'); m.set(g, (m.get(g) ?? 0) + 1); if (m.get(g) === 1) console.log('   ', b.seed, b.message); } }
const c = new Coverage(); c.add(t.coverage);
console.log(t.runs, 'runs', t.broken.length, 'broken; median records', median(t.records), 'faults', median(t.faults), 'dups', t.duplicateNotifications, 'of', t.published, Date.now() - t0, 'ms');
if (!mutant) console.log('never:', c.missed().join(', '));
