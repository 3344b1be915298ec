import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WriteListener } from '../../src/database-parts.ts';
import { ProbeRange } from '../../src/events/probe-range.ts';

const LAST = '2026-01-01 12:00:00+00';
const SHORT = '2026-01-01T11:55:00.000Z';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the range of a probe', () => {
  it('has all changes while probes are fast', () => {
    const range = new ProbeRange(new Set());
    expect(range.since('owner')).toBe('-infinity');
    range.completed('owner', '-infinity', 19.9, LAST);
    expect(range.since('owner')).toBe('-infinity');
  });

  it('is short after a slow probe, and has all changes again after twenty times its duration', () => {
    const range = new ProbeRange(new Set());
    range.completed('owner', '-infinity', 50, LAST);
    expect([range.since('owner'), range.since('other')]).toEqual([SHORT, '-infinity']);
    vi.advanceTimersByTime(999);
    expect(range.since('owner')).toBe(SHORT);
    vi.advanceTimersByTime(1);
    expect([range.since('owner'), range.since('owner')]).toEqual(['-infinity', SHORT]);
    range.completed('owner', '-infinity', 1, LAST);
    expect(range.since('owner')).toBe('-infinity');
  });

  it('has all changes once more after a probe of all has found changes, and not after a short one', () => {
    const range = new ProbeRange(new Set());
    range.found('owner', '-infinity');
    range.completed('owner', '-infinity', 50, LAST);
    range.found('owner', SHORT);
    expect(range.since('owner')).toBe(SHORT);
    range.found('owner', '-infinity');
    expect([range.since('owner'), range.since('owner')]).toEqual(['-infinity', SHORT]);
  });

  it('has all changes after a write of the same process', () => {
    const listeners = new Set<WriteListener>();
    const range = new ProbeRange(listeners);
    range.completed('owner', '-infinity', 50, LAST);
    for (const listener of listeners) listener.written('owner');
    expect(range.since('owner')).toBe('-infinity');
    expect(listeners.size).toBe(0);
  });

  it('follows the last event that has a position', () => {
    const range = new ProbeRange(new Set());
    range.completed('owner', '-infinity', 50, null);
    expect(range.since('owner')).toBe('-infinity');
    range.completed('owner', '-infinity', 50, LAST);
    range.completed('owner', SHORT, 1, '2026-01-01 12:30:00+00');
    expect(range.since('owner')).toBe('2026-01-01T12:25:00.000Z');
  });

  it('evicts the first of more than 10,000 owners', () => {
    const range = new ProbeRange(new Set());
    for (let count = 0; count <= 10_000; count += 1) range.completed(`owner ${count}`, '-infinity', 50, LAST);
    expect([range.since('owner 0'), range.since('owner 1')]).toEqual(['-infinity', SHORT]);
  });
});
