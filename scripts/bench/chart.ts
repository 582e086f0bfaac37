import { VARIANTS, type Variant } from './build.ts';
import type { Figures, ScenarioFigures } from './figures.ts';
import { LABELS } from './labels.ts';

const COLOURS: Readonly<Record<Variant, string>> = {
  sequential: '#8c8c8c',
  parallel: '#5b8ff9',
  powertools: '#f6a04d',
  pipeline: '#1f9d62',
};

const PANEL = { width: 400, height: 240 };
const MARGIN = { left: 24, top: 96, gap: 40 };

/** Four panels, every bar with its figure: nobody has to guess from the length. */
export function performanceSvg(figures: Figures): string {
  const at = (batchSize: number, duplicates: number): ScenarioFigures[] =>
    VARIANTS.flatMap((variant) =>
      figures.scenarios.filter(
        (one) => one.variant === variant && one.batchSize === batchSize && one.duplicates === duplicates,
      ),
    );
  const plain = at(100, 0);
  const panels = [
    bars('CPU, ms a message', 'batch of 100, no duplicates: shorter is better', [
      { name: '', values: plain.map((one) => [one.variant, one.cpuMs.median]) },
    ]),
    bars('Messages a second, one function', 'batch of 100, no duplicates: longer is better', [
      { name: '', values: plain.map((one) => [one.variant, one.messagesPerSecond]) },
    ]),
    bars('AWS calls a message', 'no duplicates: shorter is better', [
      ...[10, 100, 1000].map((batchSize) => ({
        name: `batch ${batchSize.toLocaleString('en')}`,
        values: at(batchSize, 0).map((one) => [one.variant, one.callsPerMessage] as const),
      })),
    ]),
    bars('DynamoDB write units a message', 'batch of 100; a read unit counts as a fifth: shorter is better', [
      ...[0, 0.01, 0.05, 0.2].map((share) => ({
        name: `${share * 100} % dup.`,
        values: at(100, share).map((one) => [one.variant, one.capacityPerMessage] as const),
      })),
    ]),
  ];
  const width = 2 * MARGIN.left + 2 * PANEL.width + MARGIN.gap;
  const height = MARGIN.top + 2 * PANEL.height + MARGIN.gap + 8;
  const placed = panels.map((panel, index) => {
    const x = MARGIN.left + (index % 2) * (PANEL.width + MARGIN.gap);
    const y = MARGIN.top + Math.floor(index / 2) * (PANEL.height + MARGIN.gap);
    return `<g transform="translate(${x} ${y})">${panel}</g>`;
  });
  const legend = VARIANTS.map(
    (variant, index) =>
      `<g transform="translate(${MARGIN.left + index * 210} 52)"><rect width="12" height="12" rx="2" fill="${COLOURS[variant]}"/>` +
      `${text(18, 10, LABELS[variant], 12)}</g>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" role="img" aria-labelledby="title">`,
    '<title id="title">The pipeline beside three other ways to do the same work</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(MARGIN.left, 30, 'The same events, four ways to handle them', 18, 'font-weight="600"'),
    ...legend,
    ...placed,
    '</svg>',
    '',
  ].join('\n');
}

interface Group {
  readonly name: string;
  readonly values: readonly (readonly [Variant, number])[];
}

/** Horizontal bars from one zero line, in groups. */
function bars(title: string, note: string, groups: readonly Group[]): string {
  const count = groups.reduce((sum, group) => sum + group.values.length, 0);
  const named = groups.some((group) => group.name !== '');
  const left = named ? 74 : 0;
  const space = PANEL.height - 44;
  const groupGap = groups.length > 1 ? 8 : 0;
  const step = (space - groupGap * (groups.length - 1)) / count;
  const thickness = Math.min(26, step - 2);
  const longest = Math.max(...groups.flatMap((group) => group.values.map(([, value]) => value)));
  const scale = (PANEL.width - left - 64) / longest;
  const parts = [text(0, 12, title, 14, 'font-weight="600"'), text(0, 28, note, 11, 'fill="#666"')];
  let y = 44;
  for (const group of groups) {
    const middle = y + (step * group.values.length) / 2;
    if (group.name !== '') parts.push(text(0, middle + 4, group.name, 11, 'fill="#444"'));
    for (const [variant, value] of group.values) {
      const width = Math.max(1, value * scale);
      parts.push(
        `<rect x="${left}" y="${round(y)}" width="${round(width)}" height="${round(thickness)}" rx="2" fill="${COLOURS[variant]}"/>`,
        text(
          left + width + 6,
          y + thickness / 2 + 4,
          figure(value),
          Math.min(12, Math.max(9, thickness)),
          'fill="#222"',
        ),
      );
      y += step;
    }
    y += groupGap;
  }
  return parts.join('');
}

function figure(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function text(x: number, y: number, content: string, size: number, attributes = ''): string {
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}" ${attributes}>${content}</text>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
