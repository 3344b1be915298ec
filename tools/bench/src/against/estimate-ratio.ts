import { quantile } from '@orders/system-under-test';

/** A ratio and its 95 % confidence interval. */
interface Estimate {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

const SAMPLES = 2000;

/**
 * Returns the median of all rounds, because other processes disturb some of them. `starts` has the ratios of the rounds
 * of each start. The interval is bootstrapped: starts are drawn first, then rounds of each, because the rounds of one
 * start share its compiled code.
 */
export function estimateRatio(starts: readonly (readonly number[])[]): Estimate {
  const drawn = Array.from({ length: SAMPLES }, () =>
    quantile(
      draw(starts).flatMap((rounds) => draw(rounds)),
      0.5,
    ),
  );
  return { ratio: quantile(starts.flat(), 0.5), low: quantile(drawn, 0.025), high: quantile(drawn, 0.975) };
}

/** Draws the same number of values with replacement. */
function draw<T>(values: readonly T[]): readonly T[] {
  return values.map((value) => values[Math.floor(Math.random() * values.length)] ?? value);
}
