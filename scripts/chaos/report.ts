import { table } from '../promises/table.ts';
import { describe, type StressAccount } from '../reliability/run.ts';
import type { Step } from './plan.ts';

/** The account of a run, as lines of text. */
export function chaosAccount(account: StressAccount, plan: readonly Step[], killed: number): string {
  const { judgement, deadAfterTrouble, owed, redrives, stormSeconds, recoverySeconds } = account;
  const counts = new Map<string, number>();
  for (const { name } of plan) counts.set(name, (counts.get(name) ?? 0) + 1);
  const rows: readonly (readonly [string, string])[] = [
    ['disturbances', `${describe(counts)}; ${killed} processes of the function ended by SIGKILL`],
    ['duplicates of notifications', String(judgement.deliveries - judgement.distinctDeliveries)],
    ['dead when the disturbances ended', describe(deadAfterTrouble)],
    ['announcements owed then, published by the relay', String(owed)],
    ['redriven', redrives.map(({ moved, how }) => `${moved} ${how}`).join('; ')],
    ['disturbed for', `${stormSeconds.toFixed(0)} s`],
    ['recovery, from the last disturbance to an empty queue', `${recoverySeconds.toFixed(0)} s`],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [table(judgement), ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)].join('\n');
}
