import { expect, it } from 'vitest';
import { SlowProbes } from '../../src/events/slow-probes.ts';

it('notes ten thousand owners with slow probes, of whom the first makes room', () => {
  const slow = new SlowProbes(() => Promise.resolve(false));
  for (let owner = 0; owner < 10_000; owner += 1) slow.took(`owner ${owner}`, 20);
  expect(slow.has('owner 0')).toBe(true);
  slow.took('one more', 20);
  expect([slow.has('owner 0'), slow.has('owner 1'), slow.has('one more')]).toEqual([false, true, true]);
});
