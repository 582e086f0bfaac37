import { describe, expect, it } from '@jest/globals';
import { systemClock } from '../../src/aws/clock.ts';

describe('the system clock', () => {
  it('sleeps, and wakes at once when the signal aborts', async () => {
    const started = Date.now();
    await systemClock.sleep(30);
    expect(Date.now() - started).toBeGreaterThanOrEqual(28);
    const controller = new AbortController();
    const sleeping = systemClock.sleep(60_000, controller.signal);
    controller.abort();
    await sleeping;
    await systemClock.sleep(60_000, controller.signal);
    expect(Date.now() - started).toBeLessThan(5_000);
  });

  it('rings once at its time, and not after it was cancelled', async () => {
    const rung: string[] = [];
    systemClock.alarm(Date.now() + 10, () => rung.push('a'));
    systemClock.alarm(Date.now() - 10, () => rung.push('past'));
    const cancel = systemClock.alarm(Date.now() + 5, () => rung.push('cancelled'));
    cancel();
    await systemClock.sleep(40);
    expect(rung).toEqual(['past', 'a']);
  });
});
