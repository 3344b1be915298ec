import { fixedClock } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { windows } from '../../../src/admission/rate-limits/local-counters.ts';

const MINUTE = 60_000;

/** Creates windows of a minute, with a fixed clock. */
function aMemory(max = 1000) {
  const clock = fixedClock();
  const memory = windows(max, MINUTE, () => clock.now());
  /** Counts one request under each of the numbers, and returns how many were counted. */
  const countEach = (from: number, to: number): number => {
    let counted = 0;
    for (let n = from; n < to; n += 1) if (memory.count(`${n}`)) counted += 1;
    return counted;
  };
  return { clock, countEach, ...memory };
}

describe('windows in memory', () => {
  it('begin with their first request, and end 60 seconds later', () => {
    const { clock, count } = aMemory();
    expect(count('a')).toEqual({ count: 1, resetMs: 60_000 });
    clock.advance(1);
    expect(count('b')).toEqual({ count: 1, resetMs: 60_000 });
    clock.advance(59_998);
    expect(count('a')).toEqual({ count: 2, resetMs: 1 });
    clock.advance(1);
    expect(count('a')).toEqual({ count: 1, resetMs: 60_000 });
    expect(count('b')).toEqual({ count: 2, resetMs: 1 });
  });

  it('begin again when the clock was set back, and do not last longer', () => {
    const { clock, count, countEach } = aMemory();
    countEach(0, 999);
    count('a');
    clock.advance(-60 * MINUTE);
    expect(count('a')).toEqual({ count: 1, resetMs: MINUTE });
    expect(countEach(0, 1000)).toBe(999);
  });

  it('return their current count without counting requests', () => {
    const { clock, count, current } = aMemory();
    expect(current('a')).toBe(0);
    count('a');
    count('a');
    expect([current('a'), current('a'), current('b')]).toEqual([2, 2, 0]);
    clock.advance(MINUTE);
    expect(current('a')).toBe(0);
  });

  it('adopt the count of another store until its window ends', () => {
    const { clock, count, current, record } = aMemory();
    count('a');
    record('a', { count: 7, resetMs: 500 });
    record('b', { count: 8, resetMs: 90_000 });
    clock.advance(499);
    expect([count('a'), count('b')]).toEqual([
      { count: 8, resetMs: 1 },
      { count: 9, resetMs: 59_501 },
    ]);
    clock.advance(1);
    expect([current('a'), current('b')]).toEqual([0, 9]);
    expect(count('a')).toEqual({ count: 1, resetMs: MINUTE });
  });

  it('are never evicted before they end, so a further one does not fit', () => {
    const { clock, count, countEach, current, record } = aMemory();
    expect(countEach(0, 600)).toBe(600);
    clock.advance(30_000);
    expect(countEach(600, 2000)).toBe(400);
    record('2000', { count: 7, resetMs: 500 });
    expect([count('2000'), current('2000')]).toEqual([undefined, undefined]);
    expect([count('0'), count('999')]).toEqual([
      { count: 2, resetMs: 30_000 },
      { count: 2, resetMs: 60_000 },
    ]);
  });

  it('free their memory when they end, including renewed and recorded ones', () => {
    const { clock, count, countEach, record } = aMemory();
    for (let minute = 0; minute < 5; minute += 1) {
      expect(countEach(0, 500)).toBe(500);
      for (let n = 500; n < 1000; n += 1) record(`${n}`, { count: 7, resetMs: 500 });
      clock.advance(30_000);
      expect(count('1000')).toBeUndefined();
      clock.advance(30_000);
    }
    expect(countEach(2000, 3000)).toBe(1000);
  });
});
