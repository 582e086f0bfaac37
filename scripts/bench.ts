/**
 * `make bench`: the pipeline beside three other ways to do the same work, in one run, interleaved, against one stub of
 * AWS in another process. Writes docs/performance.md, .json and .svg. No test: nothing fails on a figure.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildAll, VARIANTS } from './bench/build.ts';
import { performanceSvg } from './bench/chart.ts';
import { Child } from './bench/child.ts';
import type { Figures, ScenarioFigures } from './bench/figures.ts';
import { measureBatchSize } from './bench/measure-batch-size.ts';
import { measureColdStarts } from './bench/measure-cold-start.ts';
import { measureConflicts } from './bench/measure-conflicts.ts';
import { measureHeap } from './bench/measure-heap.ts';
import { performanceJson, performanceMarkdown } from './bench/report.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    out: { type: 'string' },
    zip: { type: 'string' },
    note: { type: 'string' },
    // The start alone, which takes minutes instead of half an hour; the rest stays as the last run left it.
    'cold-start': { type: 'boolean', default: false },
  },
});
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const scratch = join(root, '.scratch', 'bench');
const out = options.out ?? join(root, 'docs');
mkdirSync(scratch, { recursive: true });
mkdirSync(out, { recursive: true });

const built = await buildAll(root, scratch, options.zip ?? join(root, 'functions/dist/pipeline.zip'));
const stub = new Child(join(root, 'scripts/bench/stub.ts'), [], process.env);
const { port } = (await stub.first) as { port: number };

const figures: Figures = options['cold-start']
  ? JSON.parse(readFileSync(join(out, 'performance.json'), 'utf8'))
  : { scenarios: [], conflicts: [], heap: undefined, coldStart: undefined, bundleBytes: {} };
for (const variant of VARIANTS) figures.bundleBytes[variant] = built.functions[variant].bytes;
figures.bundleBytes['sdk-only'] = built.functions['sdk-only'].bytes;

if (!options['cold-start']) await measureBatches();
figures.coldStart = await measureColdStarts(built, port, options.quick ? 5 : 100);
console.log('cold start', figures.coldStart);
stub.stop();

writeFileSync(join(out, 'performance.json'), performanceJson(figures));
writeFileSync(join(out, 'performance.svg'), performanceSvg(figures));
writeFileSync(join(out, 'performance.md'), performanceMarkdown(figures, options.note));
console.log(`written: ${out}/performance.md, performance.json, performance.svg`);

async function measureBatches(): Promise<void> {
  for (const batchSize of [10, 100, 1000]) {
    const measured = await measureBatchSize(batchSize, [0, 0.01, 0.05, 0.2], built, port, options.quick);
    figures.scenarios.push(...measured);
    for (const one of measured) console.log(progressLine(one));
    // A run takes its time: what is measured so far outlives whatever ends it.
    writeFileSync(join(scratch, 'figures.json'), performanceJson(figures));
  }
  figures.conflicts = await measureConflicts(built, port, options.quick);
  console.log('conflicts', figures.conflicts);
  figures.heap = await measureHeap(built, port, options.quick);
  console.log('heap', figures.heap);
}

function progressLine(one: ScenarioFigures): string {
  return [
    one.variant.padEnd(10),
    `batch ${String(one.batchSize).padStart(4)}`,
    `duplicates ${String(one.duplicates * 100).padStart(2)} %`,
    `${one.messagesPerSecond.toFixed(0).padStart(5)}/s`,
    `CPU ${one.cpuMs.median.toFixed(3)} ms`,
    `wall ${one.wallMs.median.toFixed(3)} ms`,
    `calls ${one.callsPerMessage.toFixed(3)}`,
    `capacity ${one.capacityPerMessage.toFixed(3)}`,
    `${(one.peakRssBytes / 2 ** 20).toFixed(0)} MB`,
  ].join('  ');
}
