import { describe, expect, it } from '@jest/globals';
import { createAdaptive } from '../../src/core/adaptive.ts';

/** A container that has seen one unseen duplicate in so many first deliveries, for a long time. */
function seen(oneIn: number) {
  const adaptive = createAdaptive(true);
  for (let round = 0; round < 200; round += 1) adaptive.observed(oneIn, 1);
  return adaptive;
}

describe('reading all rows first', () => {
  it('pays where an unseen duplicate would cancel a large group, and not where groups are small', () => {
    expect(seen(100).looksUpAll(100)).toBe(true);
    expect(seen(100).looksUpAll(4)).toBe(false);
    expect(seen(10_000).looksUpAll(100)).toBe(false);
  });

  it('starts without, and ends when the duplicates end', () => {
    expect(createAdaptive(true).looksUpAll(100)).toBe(false);
    const adaptive = seen(20);
    expect(adaptive.looksUpAll(100)).toBe(true);
    for (let round = 0; round < 100; round += 1) adaptive.observed(100, 0);
    expect(adaptive.looksUpAll(100)).toBe(false);
  });

  it('one duplicate alone weighs a five hundredth', () => {
    const adaptive = createAdaptive(true);
    adaptive.observed(1, 1);
    expect([24, 26].map(adaptive.looksUpAll)).toEqual([false, true]);
  });

  it('a batch of redeliveries says nothing about first deliveries', () => {
    const adaptive = seen(20);
    adaptive.observed(0, 0);
    expect(adaptive.looksUpAll(100)).toBe(true);
  });
});

describe('the size of a group', () => {
  it('is 50 events, or 1 without grouping', () => {
    expect(createAdaptive(true).groupSize()).toBe(50);
    expect(createAdaptive(false).groupSize()).toBe(1);
  });

  it('halves with a conflict, not with a duplicate, and grows back to where it was', () => {
    const adaptive = createAdaptive(true);
    adaptive.groupCancelled(50, false);
    expect(adaptive.groupSize()).toBe(50);
    adaptive.groupCancelled(50, true);
    expect(adaptive.groupSize()).toBe(25);
    adaptive.groupCancelled(10, true);
    expect(adaptive.groupSize()).toBe(5);
    adaptive.groupCommitted(4);
    expect(adaptive.groupSize()).toBe(5);
    for (let n = 0; n < 40; n += 1) adaptive.groupCommitted(adaptive.groupSize());
    expect(adaptive.groupSize()).toBe(50);
  });

  it('says nothing about groups when an event is cancelled alone', () => {
    const adaptive = createAdaptive(true);
    adaptive.groupCancelled(1, true);
    expect(adaptive.groupSize()).toBe(50);
  });

  it('never falls below one', () => {
    const adaptive = createAdaptive(true);
    for (let n = 0; n < 20; n += 1) adaptive.groupCancelled(2, true);
    expect(adaptive.groupSize()).toBe(1);
    adaptive.groupCommitted(1);
    adaptive.groupCommitted(1);
    expect(adaptive.groupSize()).toBeGreaterThan(1);
  });
});
