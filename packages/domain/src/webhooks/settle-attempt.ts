import { deepFreeze } from '../shared/frozen.ts';
import { ATTEMPT_GAPS_MS, FRESH_GAPS_MS, GAP_JITTER, RETRY_AFTER_MAX_MS } from './attempt-delays.ts';
import type { DeliveryStatus } from './webhook-delivery.ts';
import type { Attempt } from './webhook-sender.ts';

/** The status of a delivery after an attempt, and when the next attempt is due. */
export interface Settlement {
  readonly status: DeliveryStatus;
  /** Time until the next attempt in milliseconds; `null` when none is left. */
  readonly retryInMs: number | null;
  /**
   * Whether the attempt counts. One that its worker ended says nothing of the endpoint, which does not fail by it. Its
   * delivery stays pending and has as many attempts left as before the claim. Default: true.
   */
  readonly counts?: boolean | undefined;
  /**
   * Whether nothing is recorded if it would show that the endpoint is dead, and the claim stays. The endpoint is disabled
   * first. If that is lost, the delivery is attempted again after the lease. Default: false.
   */
  readonly unlessDead?: boolean | undefined;
}

/**
 * The settlement of an attempt that does not count, whose delivery is due at once. Its worker stopped, or it was not accepted
 * and the delivery was requested again meanwhile.
 */
export const RELEASED: Settlement = deepFreeze({ status: 'pending', retryInMs: 0, counts: false });

/**
 * Decides what becomes of a delivery after attempt number `attempt`, counted from 1. A requested wait that is longer than
 * the gap replaces it, up to {@link RETRY_AFTER_MAX_MS}.
 *
 * @param random from 0 to less than 1, which varies the gap
 */
export function settleAttempt(
  { error, retryAfterMs }: Pick<Attempt, 'error' | 'retryAfterMs'>,
  attempt: number,
  random: number,
): Settlement {
  if (error === null) return { status: 'delivered', retryInMs: null };
  const gap = ATTEMPT_GAPS_MS[attempt - 1];
  if (gap === undefined) return { status: 'failed', retryInMs: null };
  const varied = Math.round(gap * (1 - GAP_JITTER + 2 * GAP_JITTER * random));
  return { status: 'pending', retryInMs: Math.max(varied, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS)) };
}

/**
 * Decides how long an endpoint waits for the next first attempt after one that it did not accept, in milliseconds; `null` if
 * the attempt says nothing of that. The store records it, and one gap more if the attempt counts. It does so only if the
 * endpoint has as many gaps as at the claim: of attempts that fail together, the first one begins the gap for all.
 *
 * @param gaps those of the claim
 */
export function freshGapAfter(gaps: number | null, { status, counts = true }: Settlement): number | null {
  if (gaps === null || status === 'delivered') return null;
  return counts ? (FRESH_GAPS_MS[gaps] ?? FRESH_GAPS_MS.at(-1) ?? 0) : 0;
}
