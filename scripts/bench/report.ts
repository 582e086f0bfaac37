import { cpus } from 'node:os';
import { VARIANTS, type Variant } from './build.ts';
import type { Figures, ScenarioFigures, Spread } from './figures.ts';
import { LABELS } from './labels.ts';
import { SETTLE_CALLS, WARM_UP_CALLS } from './measure-batch-size.ts';

export function performanceJson(figures: Figures): string {
  return `${JSON.stringify({ node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, ...figures }, null, 2)}\n`;
}

/** A sentence about one ratio that issue "Fast" asks for. */
interface Goal {
  readonly what: string;
  readonly asked: string;
  readonly measured: string;
  readonly reached: boolean;
}

export function goals(figures: Figures): Goal[] {
  const at = (variant: Variant, batchSize: number, duplicates: number): ScenarioFigures => {
    const found = figures.scenarios.find(
      (one) => one.variant === variant && one.batchSize === batchSize && one.duplicates === duplicates,
    );
    if (found === undefined) throw new Error(`${variant} was not measured at ${batchSize} and ${duplicates}`);
    return found;
  };
  const ours = at('pipeline', 100, 0);
  const goal = (what: string, asked: string, value: number, bound: number, unit: string): Goal => ({
    what,
    asked,
    measured: unit === '' ? value.toFixed(3) : unit.replace('#', value.toFixed(2)),
    reached: value <= bound,
  });
  const times = (what: string, measured: number, asked: number): Goal => ({
    what,
    asked: `at most 1/${asked}`,
    measured: `1/${(1 / measured).toFixed(1)}`,
    reached: measured <= 1 / asked,
  });
  const cpu = (variant: Variant): number => ours.cpuMs.median / at(variant, 100, 0).cpuMs.median;
  const capacity = [10, 100, 1000].flatMap((batchSize) =>
    [0, 0.01, 0.05, 0.2].map((share) => ({
      batchSize,
      share,
      ratio: at('pipeline', batchSize, share).capacityPerMessage / at('parallel', batchSize, share).capacityPerMessage,
    })),
  );
  const at100 = capacity.filter((one) => one.batchSize === 100);
  const { heap, coldStart } = figures;
  return [
    goal('AWS calls a message', 'at most 0.3', ours.callsPerMessage, 0.3, ''),
    times('CPU a message, of (a)', cpu('sequential'), 12),
    times('CPU a message, of (b)', cpu('parallel'), 5),
    times('CPU a message, of (c)', cpu('powertools'), 8),
    times('wall time a message, of (a)', ours.wallMs.median / at('sequential', 100, 0).wallMs.median, 20),
    goal(
      'capacity, of (b), worst share of duplicates',
      'at most 1.06',
      Math.max(...at100.map((one) => one.ratio)),
      1.06,
      '# times',
    ),
    goal('capacity at 20 % duplicates, of (b)', 'below 1', at100.at(-1)?.ratio ?? Number.NaN, 0.9999, '# times'),
    goal(
      'the same, worst of all batch sizes',
      'at most 1.06',
      Math.max(...capacity.map((one) => one.ratio)),
      1.06,
      '# times',
    ),
    ...(coldStart === undefined
      ? []
      : [
          goal(
            'cold start, of an SDK-only function',
            'at most 1.15',
            (coldStart.pipeline?.wallMs.median ?? Number.NaN) / (coldStart['sdk-only']?.wallMs.median ?? Number.NaN),
            1.15,
            '# times',
          ),
        ]),
    ...(heap === undefined
      ? []
      : [
          goal(
            'heap after 200 batches, of that after 20',
            'at most 1.05',
            heap.after200Bytes / heap.after20Bytes,
            1.05,
            '# times',
          ),
        ]),
  ];
}

export function performanceMarkdown(figures: Figures, note = ''): string {
  const ours = figures.scenarios.filter((one) => one.batchSize === 100 && one.duplicates === 0);
  return [
    '# Performance',
    '',
    'Written by `make bench`. The figures compare four ways to handle the same events on one machine; they are ratios,',
    'not promises about Lambda. The same figures as data: [performance.json](performance.json).',
    '',
    '![CPU, throughput, calls and capacity of the four variants](performance.svg)',
    '',
    table(
      [
        'batch of 100, no duplicates',
        'messages/s',
        'CPU ms/message',
        'wall ms/message',
        'calls/message',
        'write units/message',
        'peak memory',
      ],
      ours.map((one) => [
        LABELS[one.variant],
        one.messagesPerSecond.toFixed(0),
        range(one.cpuMs),
        range(one.wallMs),
        one.callsPerMessage.toFixed(2),
        one.writeUnitsPerMessage.toFixed(2),
        megabytes(one.peakRssBytes),
      ]),
    ),
    '',
    'Median, first and third quartile of the batches in brackets. (c) writes its item without a transaction: it is cheaper',
    'in write units, and a crash between its write and its record of it writes, or publishes, twice.',
    '',
    'What this does not say: one message alone is not faster. A batch of 10 takes about as long as with (b), since a transaction',
    'of many actions takes longer than one of two, and longer than (b) while rows are looked up first because of duplicates. The',
    'gain is CPU, calls, and batches that are large; and the exactness that (a) to (c) do not have.',
    '',
    '## What was to be reached',
    '',
    table(
      ['at batch 100 without duplicates, if not said otherwise', 'to reach', 'measured', ''],
      goals(figures).map((goal) => [
        goal.what,
        goal.asked,
        goal.measured,
        goal.reached ? 'reached' : '**not reached**',
      ]),
    ),
    '',
    ...startAndSize(figures),
    ...memory(figures),
    ...conflicts(figures),
    ...PROFILE,
    '## All figures',
    '',
    'Capacity counts a strongly consistent read unit as a fifth of a write unit, which is their price.',
    '',
    ...[10, 100, 1000].flatMap((batchSize) => [
      `### Batch of ${count(batchSize)}`,
      '',
      table(
        [
          'duplicates',
          'variant',
          'messages/s',
          'CPU ms',
          'wall ms',
          'calls',
          'write units',
          'read units',
          'capacity',
          'peak memory',
        ],
        figures.scenarios
          .filter((one) => one.batchSize === batchSize)
          .map((one) => [
            `${one.duplicates * 100} %`,
            LABELS[one.variant],
            one.messagesPerSecond.toFixed(0),
            range(one.cpuMs),
            range(one.wallMs),
            one.callsPerMessage.toFixed(3),
            one.writeUnitsPerMessage.toFixed(2),
            one.readUnitsPerMessage.toFixed(2),
            one.capacityPerMessage.toFixed(2),
            megabytes(one.peakRssBytes),
          ]),
      ),
      '',
    ]),
    ...METHOD,
    '',
    `Measured on Node.js ${process.version}, ${cpus().length} cores of ${cpus()[0]?.model ?? 'an unknown processor'}.${note === '' ? '' : ` ${note}`}`,
    '',
  ].join('\n');
}

function startAndSize({ coldStart, bundleBytes }: Figures): string[] {
  if (coldStart === undefined) return [];
  return [
    '## Cold start and size',
    '',
    table(
      ['function', 'process start to first answer', 'CPU until then', 'code'],
      ['sdk-only', ...VARIANTS].map((name) => [
        name === 'sdk-only' ? 'the SDK alone, the same calls' : LABELS[name as Variant],
        `${range(coldStart[name]?.wallMs, 0)} ms`,
        `${range(coldStart[name]?.cpuMs, 0)} ms`,
        `${((bundleBytes[name] ?? 0) / 1000).toFixed(0)} kB`,
      ]),
    ),
    '',
  ];
}

/** Lambda gives one virtual processor at this size, and less in proportion. */
const MB_OF_ONE_PROCESSOR = 1769;

function memory({ scenarios, heap }: Figures): string[] {
  const ours = (batchSize: number): ScenarioFigures | undefined =>
    scenarios.find((one) => one.variant === 'pipeline' && one.batchSize === batchSize && one.duplicates === 0);
  const rows = [10, 100, 1000].flatMap((batchSize) => {
    const one = ours(batchSize);
    if (one === undefined) return [];
    const cpuMs = one.cpuMs.median * batchSize;
    const waitMs = Math.max(0, (one.wallMs.median - one.cpuMs.median) * batchSize);
    const at = (mb: number): string => `${((cpuMs * MB_OF_ONE_PROCESSOR) / mb + waitMs).toFixed(0)} ms`;
    return [[count(batchSize), `${cpuMs.toFixed(0)} ms`, megabytes(one.peakRssBytes), at(256), at(512), at(1024)]];
  });
  return [
    '## Memory',
    '',
    'Lambda gives CPU in proportion to memory. What a batch takes here, and what follows for three sizes of the function (CPU',
    'stretched, waiting for AWS as it is):',
    '',
    table(['batch', 'CPU', 'peak memory', 'a batch at 256 MB', 'at 512 MB', 'at 1,024 MB'], rows),
    '',
    '**512 MB is the default.** Twice of it buys little, since most of a batch is waiting; half of it saves less than it looks,',
    'since the batch takes longer, and leaves less than twice the peak of a batch of 1,000 for larger events.',
    '',
    ...(heap === undefined
      ? []
      : [
          `Nothing is kept between batches: the heap is ${megabytes(heap.after20Bytes, 1)} after 20 batches of 100 and ${megabytes(heap.after200Bytes, 1)} after 200.`,
          '',
        ]),
  ];
}

/** Where grouping costs. */
function conflicts({ conflicts: all }: Figures): string[] {
  if (all.length === 0) return [];
  return [
    '## Where grouping costs',
    '',
    'A transaction holds all of its events or none. When another writer touches one of its items at the same moment, DynamoDB',
    'cancels the whole group and charges it: the guilty event is tried again alone, the others together, and the container makes',
    'its groups smaller for a while. Batch of 100; the share is of single writes to the business table that meet another writer:',
    '',
    table(
      ['writes in conflict', 'grouping', 'CPU ms', 'wall ms', 'calls', 'write units', 'returned'],
      all.map((one) => [
        `${one.share * 100} %`,
        one.grouping ? 'on' : 'off',
        range(one.cpuMs),
        range(one.wallMs),
        one.callsPerMessage.toFixed(3),
        one.writeUnitsPerMessage.toFixed(2),
        `${(one.comeBack * 100).toFixed(1)} %`,
      ]),
    ),
    '',
    'Grouping pays as long as conflicts are rare. Where many events, or other programs, write to the same few items (a counter,',
    'a stock), set `grouping = false`: each event then has its own transaction, and a conflict costs its own event only.',
    '',
  ];
}

const PROFILE = [
  '## What the profile says',
  '',
  'CPU of a warm batch of 100 by `node --cpu-prof`, idle time left out, in December 2026: three quarters are the SDK and Node.js',
  '(15 % writing to sockets), a tenth is garbage collection, and a sixth the pipeline itself (reading and hashing the event 5 %,',
  'JSON of the transactions 3 %, sizes 2 %, the rest below 2 % each). What a profile of JavaScript does not show is the compiler:',
  'V8 drops the machine code of a function at a full collection when no closure of it is alive, and a function that was written',
  'inside of another, to run for every event, was compiled anew every thirty batches. Those that the compiler was found busy with',
  'are functions of their module now. What was cut after the first profile:',
  '',
  '| cut | before | after |',
  '| --- | ---: | ---: |',
  '| transactions are written by `JSON.stringify`, not value by value along a schema: CPU a message at batch 100 | 0.151 ms | 0.141 ms |',
  '| objects without a prototype that V8 does not make hash tables of, marks written like transactions, each item sized once: the same (400 batches of each, side by side) | 0.137 ms | 0.127 ms |',
  '| the closures of a batch that were compiled again and again are functions of their module: the same | 0.127 ms | 0.115 ms |',
  '| the JSON Schema validator is loaded only where a schema is set: CPU of a cold start, of the SDK-only function | 1.19 times | 1.11 times |',
  '| the client of SQS is loaded at the first failure: the same | 1.12 times | 1.10 times |',
  '| the credential chain of laptops and the detection of browsers are left out: code | 116 kB and 35 kB more | 540 kB |',
  '| the logger of the SDK, which copies the request of every failed call for nobody, is taken out | 100 actions a cancelled group | none |',
  '',
];

const METHOD = [
  '## How it is measured',
  '',
  '- (a) is the pattern as first published: one message after the other, three calls each (transaction, publish, update),',
  '  a fourth for a duplicate. (b) is the same with all messages of a batch at once. (c) is',
  '  [Powertools batch with idempotency as its documentation joins them](https://docs.aws.amazon.com/powertools/typescript/latest/features/idempotency/#integration-with-batch-processor),',
  '  the key taken from the event, around a put and a publish. (d) is the zip that this module ships, unpacked.',
  '- Each is a process of its own under the same Node.js; (a) to (c) are bundled and minified like (d). They take turns of a few batches',
  `  on the same events, after ${count(WARM_UP_CALLS)} calls to AWS of each and, but for (a), ${count(SETTLE_CALLS)} more for each share of duplicates: machine`,
  '  code is made by calls. CPU and wall time are read around the handler alone.',
  '- A cold start is a new process for each function, 100 times, the functions taking turns; `make bench ARGS=--cold-start`',
  '  measures these alone and leaves the other figures as they are.',
  '- AWS is a stub over HTTP in another process. Its answers take longer the more is asked: a transaction 4 ms and 0.3 ms an',
  '  action, a batch statement or get 4 ms and 0.1 ms an entry, a publish 10 ms. It models neither contention nor throttling.',
  '- The stub charges what DynamoDB charges: by item size, twice for transactions, cancelled ones and failed conditions',
  '  included, the index of rows in trouble too. Items of all variants are below 1 KB.',
  '- Duplicates are events of the batch before: half come with receive count 2 under their message id (redelivered), half',
  '  with receive count 1 under another (sent twice).',
];

function count(value: number): string {
  return value.toLocaleString('en');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

function range(spread: Spread | undefined, digits = 3): string {
  if (spread === undefined) return '';
  return `${spread.median.toFixed(digits)} (${spread.low.toFixed(digits)} to ${spread.high.toFixed(digits)})`;
}

function megabytes(bytes: number, digits = 0): string {
  return `${(bytes / 2 ** 20).toFixed(digits)} MB`;
}
