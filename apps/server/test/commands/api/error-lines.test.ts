import { expect, it } from 'vitest';
import { linesOf } from '../../../src/commands/api/error-lines.ts';

const SERVER = { url: 'http://127.0.0.1:3000', setting: 'the default', failure: () => 'connect ECONNREFUSED' };

it('an error names the key to repeat a write with only where its outcome is unknown', () => {
  const idempotencyKey = 'k1';
  const limited = { type: 'rate_limited', retry_after_ms: 61_000, detail: 'Retry in 61 s.', idempotencyKey } as const;
  expect(linesOf(limited, SERVER)).toEqual(['rate_limited: Retry in 61 s.']);
  const open = { type: 'unreachable', reason: 'unavailable', status: 503, outcome: 'unknown', idempotencyKey } as const;
  expect(linesOf(open, SERVER)).toEqual([
    'unreachable: no usable response from http://127.0.0.1:3000, which is the default (unavailable, status 503)',
    'it is unknown whether it took effect; run the same command with --key k1 until it succeeds',
  ]);
  const lost = { type: 'unreachable', reason: 'network', status: null } as const;
  expect(linesOf(lost, SERVER)[0]).toContain('which is the default (connect ECONNREFUSED)');
});
