import type { Judgement } from './judge.ts';

/** The table at the end of the demo, as lines of text. */
export function table(judgement: Judgement): string {
  const dead = [...judgement.deadByReason].sort(([a], [b]) => (a < b ? -1 : 1));
  const rows: readonly (readonly [string, string])[] = [
    ['messages sent', String(judgement.sent)],
    ['distinct events', String(judgement.distinctEvents)],
    ['rows in processed_events', String(judgement.rows)],
    ['rows that should exist and don’t', String(judgement.missing.length)],
    ['notifications received', `${judgement.distinctDeliveries} distinct, ${judgement.deliveries} in all`],
    ['in the dead-letter queue', String(dead.reduce((sum, [, count]) => sum + count, 0))],
    ...dead.map(([reason, count]) => [`  ${reason}`, String(count)] as const),
  ];
  const promises = judgement.verdicts.map(
    ({ promise, meaning, against }) => [`${promise} ${meaning}`, against.length === 0 ? '✓' : '✗'] as const,
  );
  const width = Math.max(...[...rows, ...promises].map(([name]) => name.length));
  const line = ([name, value]: readonly [string, string]) => `  ${name.padEnd(width)}  ${value}`;
  const rule = `  ${'─'.repeat(width + 22)}`;
  const against = judgement.verdicts.flatMap((verdict) =>
    verdict.against.slice(0, 10).map((reason) => `  ${verdict.promise}: ${reason}`),
  );
  return [rule, ...rows.map(line), rule, ...promises.map(line), rule, ...against].join('\n');
}
