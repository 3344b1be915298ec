import { ATTEMPT_GAPS_MS, ATTEMPTS_MAX, settleAttempt } from '@orders/domain/webhooks';
import { describe, expect, it } from 'vitest';

const HOUR_MS = 60 * 60_000;

describe('a delivery that was not accepted', () => {
  const retryIn = (attempt: number, random: number, retryAfterMs: number | null = null) =>
    settleAttempt({ error: 'status_not_accepted', retryAfterMs }, attempt, random);

  it('is attempted again after the gap of its attempts, of which up to a fifth more or less is random', () => {
    for (const [index, gap] of ATTEMPT_GAPS_MS.entries()) {
      const waits = [0, 0.5, 0.75].map((random) => retryIn(index + 1, random).retryInMs);
      expect(waits).toEqual([8, 10, 11].map((tenths) => (gap / 10) * tenths));
    }
    expect(retryIn(ATTEMPTS_MAX, 0.5)).toEqual({ status: 'failed', retryInMs: null });
  });

  it('waits longer when its receiver says so, up to an hour', () => {
    const [gap = 0] = ATTEMPT_GAPS_MS;
    const waits = [gap - 1, gap + 1, 2 * HOUR_MS].map((retryAfterMs) => retryIn(1, 0.5, retryAfterMs).retryInMs);
    expect(waits).toEqual([gap, gap + 1, HOUR_MS]);
  });
});
