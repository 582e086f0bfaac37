import { describe, expect, it } from '@jest/globals';
import { type Account, accountOf, emptyAccount, isUsable, type Peer } from './peers/account.ts';

/** A short part of `make peers`. */
const RUNS = 60;

async function sumOf(peer: Peer): Promise<Account> {
  const sum = emptyAccount();
  for (let seed = 1, runs = 0; runs < RUNS; seed += 1) {
    if (!isUsable(seed)) continue;
    runs += 1;
    const account = await accountOf(seed, peer);
    for (const key of Object.keys(sum) as (keyof Account)[]) sum[key] += account[key];
  }
  return sum;
}

describe('the same storm over other ways to do this work', () => {
  it('costs this pipeline no double write, no notification and no message', async () => {
    expect(await sumOf('ours')).toMatchObject({
      doubleWrites: 0,
      lostNotifications: 0,
      lostMessages: 0,
      droppedRivals: 0,
      stuck: 0,
    });
  }, 60_000);

  it('is strong enough to show what the published pattern drops', async () => {
    expect((await sumOf('naive')).droppedRivals).toBeGreaterThan(0);
  }, 60_000);

  it('is strong enough to show double writes around a record that is no part of the transaction', async () => {
    expect((await sumOf('powertools, unconditional write')).doubleWrites).toBeGreaterThan(0);
  }, 60_000);
});
