import { expect, it } from 'vitest';
import { ownerLoads } from '../../src/admission/owner-loads.ts';

it('what an owner uses counts for a minute, and addresses are no owners', () => {
  let at = 0;
  const loads = ownerLoads(() => at);
  loads.responded('shop', 200);
  loads.responded('shop', 429);
  loads.responded('shop', 503);
  loads.charge('shop', 5);
  at = 30_000;
  loads.responded('shop', 404);
  for (const [payer, ms] of [
    ['shop', 1],
    ['other', 7],
    ['\u0000127.0.0.1', 99],
    ['', 99],
  ] as const)
    loads.charge(payer, ms);
  expect(loads.of('shop')).toEqual({ requests: 4, rate_limited: 1, unavailable: 1, busy_ms: 6 });
  expect([loads.busiest(9), loads.busiest(1)]).toEqual([['other', 'shop'], ['other']]);
  at = 60_000;
  expect(loads.of('shop')).toEqual({ requests: 1, rate_limited: 0, unavailable: 0, busy_ms: 1 });
  at = 90_000;
  expect([loads.of('shop').requests, loads.busiest(9)]).toEqual([0, []]);
});

it('a flood of owners is left out, and those that are known count on', () => {
  const loads = ownerLoads(() => 0);
  for (let number = 0; number < 6000; number += 1) loads.responded(`owner ${number}`, 200);
  loads.responded('owner 0', 200);
  expect([loads.of('owner 0').requests, loads.of('owner 5999').requests]).toEqual([2, 0]);
});
