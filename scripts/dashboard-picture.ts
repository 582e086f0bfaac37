/**
 * Draws the dashboard of a plan, so that a person can look at it without an account: `scripts/node
 * scripts/dashboard-picture.ts plan.json > docs/dashboard.svg`. Grid, titles, legends and axes are the dashboard's own
 * JSON; the lines are made up, since there is no traffic to show.
 */
import { readFileSync } from 'node:fs';

interface Widget {
  readonly type: 'text' | 'metric';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: {
    readonly markdown?: string;
    readonly title?: string;
    readonly metrics?: readonly (readonly unknown[])[];
  };
}

const COLUMN = 50;
const ROW = 34;
const COLOURS = ['#1f77b4', '#ff7f0e', '#2ca02c', '#d62728', '#9467bd', '#8c564b'];

const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The name that CloudWatch shows for a metric: its label, else its name; a search shows what it finds by reason. */
function legend(metric: readonly unknown[]): string {
  const options = metric.find((part) => typeof part === 'object' && part !== null) as
    | { readonly label?: string; readonly expression?: string }
    | undefined;
  if (options?.expression !== undefined) return 'one line for each reason';
  return options?.label ?? String(metric[1]);
}

/** A quiet line that differs from its neighbours and is the same on every run. */
function line(seed: number, left: number, top: number, width: number, height: number): string {
  const points = Array.from({ length: 40 }, (_, i) => {
    const wave = Math.sin(i / (3 + seed)) * 0.2 + Math.sin(i * (0.7 + seed / 5)) * 0.06;
    return `${(left + (i * width) / 39).toFixed(1)},${(top + height * (0.8 - 0.18 * (seed % 4) + wave * 0.5)).toFixed(1)}`;
  });
  return `<polyline fill="none" stroke="${COLOURS[seed % COLOURS.length]}" stroke-width="1.5" points="${points.join(' ')}"/>`;
}

function draw({ type, x, y, width, height, properties }: Widget): string {
  const [left, top, w, h] = [x * COLUMN, y * ROW, width * COLUMN, height * ROW];
  if (type === 'text') {
    return `<text x="${left + 8}" y="${top + 24}" font-size="18" font-weight="bold">${xml(properties.markdown?.replace(/^#+ /, '') ?? '')}</text>`;
  }
  const metrics = properties.metrics ?? [];
  const legendTop = top + h - 14 * Math.ceil(metrics.length / 2) - 8;
  const parts = [
    `<rect x="${left + 4}" y="${top + 4}" width="${w - 8}" height="${h - 8}" rx="4" fill="#fff" stroke="#d5dbdb"/>`,
    `<text x="${left + 14}" y="${top + 24}" font-size="13">${xml(properties.title ?? '')}</text>`,
    `<path d="M${left + 20} ${top + 36}V${legendTop - 10}H${left + w - 20}" fill="none" stroke="#aab7b8"/>`,
  ];
  metrics.forEach((metric, i) => {
    parts.push(line(i, left + 22, top + 40, w - 46, legendTop - top - 56));
    const [column, row] = [left + 16 + (i % 2) * (w / 2 - 12), legendTop + 6 + 14 * Math.floor(i / 2)];
    parts.push(`<rect x="${column}" y="${row - 7}" width="8" height="8" fill="${COLOURS[i % COLOURS.length]}"/>`);
    parts.push(`<text x="${column + 12}" y="${row}" font-size="10">${xml(legend(metric))}</text>`);
  });
  return parts.join('\n');
}

/** Every dashboard of the plan that is known; the first one is drawn. */
function dashboardOf(path: string): readonly Widget[] {
  const { resource_changes: changes } = JSON.parse(readFileSync(path, 'utf8'));
  for (const { type, change } of changes) {
    const body = type === 'aws_cloudwatch_dashboard' ? change.after?.dashboard_body : undefined;
    if (typeof body === 'string') return JSON.parse(body).widgets;
  }
  throw new Error(`${path} plans no dashboard whose body is known`);
}

const [path] = process.argv.slice(2);
if (path === undefined) {
  console.error('usage: scripts/node scripts/dashboard-picture.ts PLAN.json > docs/dashboard.svg');
  process.exit(2);
}
const widgets = dashboardOf(path);
const bottom = Math.max(...widgets.map(({ y, height }) => y + height)) * ROW;
console.log(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${24 * COLUMN} ${bottom}" font-family="sans-serif" fill="#16191f">\n` +
    `<rect width="100%" height="100%" fill="#f2f3f3"/>\n${widgets.map(draw).join('\n')}\n</svg>`,
);
