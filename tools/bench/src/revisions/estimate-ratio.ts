import { quantile } from '../statistics.ts';

/** A ratio and its 95 % confidence interval. */
export interface Estimate {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

/** The ratio of one round, and the index of the start of the servers. */
interface Measured {
  readonly start: number;
  readonly ratio: number;
}

const SAMPLES = 2000;

/**
 * Returns the median of all rounds, because other processes disturb some of them. The interval is bootstrapped: starts
 * are drawn first, then rounds of each, because the rounds of one start share its compiled code.
 */
export function estimateRatio(measured: readonly Measured[]): Estimate {
  const starts = [...Map.groupBy(measured, ({ start }) => start).values()];
  const drawn = Array.from({ length: SAMPLES }, () => medianRatio(draw(starts).flatMap((rounds) => draw(rounds))));
  return { ratio: medianRatio(measured), low: quantile(drawn, 0.025), high: quantile(drawn, 0.975) };
}

function medianRatio(measured: readonly Measured[]): number {
  return quantile(
    measured.map(({ ratio }) => ratio),
    0.5,
  );
}

/** Draws the same number of values with replacement. */
function draw<T>(values: readonly T[]): readonly T[] {
  return values.map((value) => values[Math.floor(Math.random() * values.length)] ?? value);
}
