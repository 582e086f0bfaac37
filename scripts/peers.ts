/**
 * Other ways to do this work under the same storm: `scripts/node scripts/peers.ts [RUNS]`. The same seeds, the same
 * services, the same faults; each peer is used as its documentation says (test/simulation/peers, where it is cited). Exits
 * non-zero when ours is not all zeros.
 */
import { type Account, accountOf, emptyAccount, isUsable, type Peer } from '../test/simulation/peers/account.ts';

const PEERS: readonly (readonly [Peer, string])[] = [
  ['naive', 'the pattern as first published'],
  ['powertools', 'Powertools batch + idempotency'],
  ['powertools, unconditional write', '  the same, unconditional write'],
  ['ours', 'this pipeline'],
];
const runs = Number(process.argv[2] ?? 1_000);
const seeds: number[] = [];
for (let seed = 1; seeds.length < runs; seed += 1) if (isUsable(seed)) seeds.push(seed);

const columns = [
  'events',
  'double writes',
  'lost notifications',
  'lost messages',
  'dropped rivals',
  'left to a person',
  'duplicates',
];
console.log(`${runs} runs each, per 10,000 events:\n`);
console.log(`${''.padEnd(34)}${columns.map((column) => column.padStart(20)).join('')}`);
for (const [peer, name] of PEERS) {
  const sum = emptyAccount();
  for (const seed of seeds) add(sum, await accountOf(seed, peer));
  const per = (count: number): string => ((count * 10_000) / sum.events).toFixed(1);
  const cells = [
    String(sum.events),
    per(sum.doubleWrites),
    per(sum.lostNotifications),
    per(sum.lostMessages),
    per(sum.droppedRivals),
    per(sum.stuck),
    per(sum.duplicateNotifications),
  ];
  console.log(`${name.padEnd(34)}${cells.map((cell) => cell.padStart(20)).join('')}`);
  if (peer === 'ours' && sum.doubleWrites + sum.lostNotifications + sum.lostMessages + sum.droppedRivals > 0)
    process.exitCode = 1;
}

function add(sum: Account, more: Account): void {
  for (const key of Object.keys(sum) as (keyof Account)[]) sum[key] += more[key];
}
