import { describe, expect, it } from 'vitest';
import { AttemptSlots } from '../../src/worker/attempt-slots.ts';

/** Takes every slot that the owner may have. */
function fill(slots: AttemptSlots, owner: string): number {
  let taken = 0;
  for (let free = slots.freeFor(owner); free > 0; free = slots.freeFor(owner)) {
    slots.take(owner, 1);
    taken += 1;
  }
  return taken;
}

describe('the slots of attempts', () => {
  it('are given to one owner up to a sixteenth of those that are free, and up to its maximum', () => {
    expect(fill(new AttemptSlots(512, 20), 'a')).toBe(20);
    const slots = new AttemptSlots(512, 32);
    expect(fill(slots, 'a')).toBeGreaterThan(25);
    expect(fill(slots, 'b')).toBeLessThanOrEqual(512 / 16);
  });

  it('are never all taken by owners that are few beside the slots', () => {
    const slots = new AttemptSlots(512, 32);
    for (let owner = 0; owner < 20; owner += 1) fill(slots, `owner ${owner}`);
    expect(slots.taken).toBeLessThan(0.75 * 512);
    expect(fill(slots, 'late')).toBeGreaterThan(5);
  });

  it('are all given if there are as many owners', () => {
    const slots = new AttemptSlots(10, 5);
    for (let owner = 0; owner < 10; owner += 1) fill(slots, `owner ${owner}`);
    expect(slots.hasFree).toBe(false);
    expect(slots.freeFor('late')).toBe(0);
  });

  it('are free again once they are released', () => {
    const slots = new AttemptSlots(64, 2);
    slots.take('a', 2);
    expect(slots.freeFor('a')).toBe(0);
    slots.release('a', 1);
    expect([slots.freeFor('a'), slots.taken]).toEqual([1, 1]);
    slots.release('a', 1);
    expect([slots.freeFor('a'), slots.taken]).toEqual([2, 0]);
  });
});
