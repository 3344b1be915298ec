import { getEventListeners } from 'node:events';
import { systemTimer } from '@orders/domain/events';
import { describe, expect, it, vi } from 'vitest';

describe('the timer of the runtime', () => {
  it('pauses for a time', async () => {
    const since = systemTimer.now();
    await systemTimer.pause(30);
    expect(systemTimer.now() - since).toBeGreaterThan(25);
  });

  it('ends a pause at once when its signal is aborted, before or during it', async () => {
    const since = systemTimer.now();
    await systemTimer.pause(600_000, AbortSignal.abort());
    const stop = new AbortController();
    const pausing = systemTimer.pause(600_000, stop.signal);
    stop.abort();
    await pausing;
    expect(systemTimer.now() - since).toBeLessThan(60_000);
  });

  it('leaves no timeout behind, which would keep a process alive', async () => {
    vi.useFakeTimers();
    try {
      const stop = new AbortController();
      const pausing = systemTimer.pause(600_000, stop.signal);
      expect(vi.getTimerCount()).toBe(1);
      stop.abort();
      await pausing;
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('leaves no listener behind on a signal that lives longer', async () => {
    const { signal } = new AbortController();
    const pausing = systemTimer.pause(1, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await pausing;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('pauses for a time that is too long for the timers of the runtime', async () => {
    const stop = new AbortController();
    let isOver = false;
    const pausing = systemTimer.pause(2 ** 40, stop.signal).then(() => (isOver = true));
    await systemTimer.pause(5);
    expect(isOver).toBe(false);
    stop.abort();
    await pausing;
  });

  it('returns random numbers from 0 to less than 1', () => {
    const numbers = Array.from({ length: 200 }, () => systemTimer.random());
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    expect(new Set(numbers).size).toBeGreaterThan(10);
  });
});
