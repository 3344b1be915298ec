import { deepFreeze } from '../shared/frozen.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Time between two attempts of a delivery, in milliseconds: the first element after the first attempt. Each varies by
 * {@link GAP_JITTER}. A delivery whose last attempt fails has failed finally.
 */
export const ATTEMPT_GAPS_MS: readonly number[] = deepFreeze([
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]);

/** Number of attempts of a delivery. */
export const ATTEMPTS_MAX: number = ATTEMPT_GAPS_MS.length + 1;

/** Part by which a gap varies in both directions. */
export const GAP_JITTER = 0.2;

/** Maximum wait that an endpoint can request, in milliseconds: one hour. */
export const RETRY_AFTER_MAX_MS: number = HOUR_MS;

/**
 * Time between the first attempts of two deliveries while an endpoint rejects everything, in milliseconds: the first
 * element after the first rejected delivery, the last one for all further ones.
 */
export const FRESH_GAPS_MS: readonly number[] = deepFreeze([5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS]);
