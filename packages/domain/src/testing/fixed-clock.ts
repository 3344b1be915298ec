import type { Clock } from '../shared/clock.ts';

/** A clock that changes only by {@link FixedClock.advance}. */
export interface FixedClock extends Clock {
  /** Moves the clock forwards, or backwards if `milliseconds` is negative. */
  advance(milliseconds: number): void;
}

/** Creates a clock that shows `start`, a timestamp. */
export function fixedClock(start = '2026-01-02T03:04:05.678Z'): FixedClock {
  let now = Date.parse(start);
  return {
    now: () => new Date(now),
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}
