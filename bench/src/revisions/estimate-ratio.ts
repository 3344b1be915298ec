import { quantile } from '../comparison/statistics.ts';

/** A ratio and the interval that 95 % of the drawn samples fall into. */
export interface Estimate {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

/** A ratio that was measured in one round, and which start of the servers the round is of. */
interface Measured {
  readonly start: number;
  readonly ratio: number;
}

const SAMPLES = 2000;

/**
 * Returns the median of all rounds: something else on the machine falls into some of them. For the interval whole starts
 * are drawn, then rounds of each, because rounds of one start have its compiled code in common.
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

/** As many of `values`, drawn with replacement. */
function draw<T>(values: readonly T[]): readonly T[] {
  return values.map((value) => values[Math.floor(Math.random() * values.length)] ?? value);
}
