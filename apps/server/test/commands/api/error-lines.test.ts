import { expect, it } from 'vitest';
import { linesOf } from '../../../src/commands/api/error-lines.ts';

it('an error names the key to repeat a write with only where its outcome is unknown', () => {
  const idempotencyKey = 'k1';
  const limited = { type: 'rate_limited', retry_after_ms: 61_000, detail: 'Retry in 61 s.', idempotencyKey } as const;
  expect(linesOf(limited)).toEqual(['rate_limited: Retry in 61 s.']);
  const open = { type: 'unreachable', reason: 'unavailable', status: 503, outcome: 'unknown', idempotencyKey } as const;
  expect(linesOf(open)).toEqual([
    'unreachable: no usable response (unavailable, status 503)',
    'it is unknown whether it took effect; run the same command with --key k1 until it succeeds',
  ]);
});
