import type { Clock } from '../shared/clock.ts';

/** A clock that stands still until it is told otherwise. */
export interface FixedClock extends Clock {
  /** Moves the clock, backwards too. */
  advance(milliseconds: number): void;
}

/** A clock that stands at `start`. */
export function fixedClock(start = '2026-01-02T03:04:05.678Z'): FixedClock {
  let now = Date.parse(start);
  return {
    now: () => new Date(now),
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}
