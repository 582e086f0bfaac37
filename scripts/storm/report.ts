import { broken, describe } from '../reliability/run.ts';
import type { StormAccount } from './weather.ts';

/** The results as a table for docs/reliability.md. */
export function markdown(accounts: readonly StormAccount[]): string {
  const head = [
    'fault',
    'rate',
    'messages',
    'events',
    'calls, of them hit',
    'rows',
    'announced, of them again',
    'dead after the storm',
    'owed',
    'seconds',
    'promises',
  ];
  const lines = accounts.map((account) => {
    const { weather, judgement, calls, hit, deadAfterTrouble, owed, stormSeconds, recoverySeconds } = account;
    const against = broken(account);
    return [
      weather.name,
      `${Math.round(weather.rate * 100)} %`,
      judgement.sent,
      judgement.distinctEvents,
      `${calls}, ${hit}`,
      judgement.rows,
      `${judgement.deliveries}, ${judgement.deliveries - judgement.distinctDeliveries}`,
      describe(deadAfterTrouble),
      owed,
      (stormSeconds + recoverySeconds).toFixed(0),
      against.length === 0 ? 'kept' : `**broken** (${against.length})`,
    ];
  });
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
