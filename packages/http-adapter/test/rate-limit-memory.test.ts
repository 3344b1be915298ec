import { fixedClock } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { countInMemory } from '../src/rate-limits/memory-store.ts';

const MINUTE = 60_000;

/** Counts in memory, at a time that stands still. */
function aMemory() {
  const clock = fixedClock();
  const memory = countInMemory(() => clock.now());
  const count = (key: string, windowMs: number) => memory.count(key, windowMs);
  const many = async (from: number, to: number) => {
    for (let n = from; n < to; n += 1) await count(`${n}`, MINUTE);
  };
  /** How many of the last windows before `to` are remembered, beginning with the youngest. */
  const remembered = async (to: number) => {
    let n = to;
    while (n > 0 && (await count(`${n - 1}`, MINUTE)).count === 2) n -= 1;
    return to - n;
  };
  return { clock, count, many, remembered };
}

describe('windows in memory', () => {
  it('begin with the first request, each with its own, and end after their length', async () => {
    const { clock, count } = aMemory();
    expect(await count('a', MINUTE)).toEqual({ count: 1, resetMs: 60_000 });
    clock.advance(1);
    expect(await count('b', MINUTE)).toEqual({ count: 1, resetMs: 60_000 });
    clock.advance(59_998);
    expect(await count('a', MINUTE)).toEqual({ count: 2, resetMs: 1 });
    clock.advance(1);
    expect(await count('a', MINUTE)).toEqual({ count: 1, resetMs: 60_000 });
    expect(await count('b', MINUTE)).toEqual({ count: 2, resetMs: 1 });
  });

  it('may be of different lengths', async () => {
    const { clock, count } = aMemory();
    await count('hour', 60 * MINUTE);
    for (let minute = 1; minute < 60; minute += 1) {
      clock.advance(MINUTE);
      expect(await count('minute', MINUTE)).toEqual({ count: 1, resetMs: MINUTE });
    }
    expect(await count('hour', 60 * MINUTE)).toEqual({ count: 2, resetMs: MINUTE });
  });

  it('begin anew when the clock was set back, and last no longer for that', async () => {
    const { clock, count } = aMemory();
    await count('a', MINUTE);
    clock.advance(-60 * MINUTE);
    expect(await count('a', MINUTE)).toEqual({ count: 1, resetMs: MINUTE });
  });

  it('are at most 100,000, of which the youngest are remembered', async () => {
    const { many, remembered } = aMemory();
    await many(0, 250_000);
    const count = await remembered(250_000);
    expect(count).toBeGreaterThanOrEqual(50_000);
    expect(count).toBeLessThanOrEqual(100_000);
  });

  it('are not forgotten early when one of before is over and begins anew', async () => {
    const { clock, count, many, remembered } = aMemory();
    await many(0, 60_000);
    clock.advance(MINUTE);
    expect(await count('0', MINUTE)).toEqual({ count: 1, resetMs: MINUTE });
    expect(await count('59999', MINUTE)).toEqual({ count: 1, resetMs: MINUTE });
    await many(60_000, 109_999);
    expect(await count('59999', MINUTE)).toEqual({ count: 2, resetMs: MINUTE });
    expect(await remembered(109_999)).toBe(49_999);
  });

  it('begin as quickly when there are as many as there may be', async () => {
    const { many } = aMemory();
    await many(0, 100_000);
    const before = process.threadCpuUsage().user;
    await many(100_000, 400_000);
    // It takes a quarter of a second; looking through those that are over takes more than ten.
    expect(process.threadCpuUsage().user - before).toBeLessThan(3_000_000);
  });
});
