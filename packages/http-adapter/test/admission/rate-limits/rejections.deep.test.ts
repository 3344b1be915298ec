import { afterEach, expect, it, vi } from 'vitest';
import { anApi } from '../../fixtures/an-api.ts';

afterEach(() => vi.useRealTimers());

it('rejects a flood after a second, which takes no place and delays no other owner', async () => {
  const { acme, client, keys, clock } = await anApi({ concurrencyMax: 4, rateLimits: { read: 2 } });
  const read = async () => (await acme.get('/v1/orders')).status;
  for (let time = 0; time < 1002; time += 1) await read();
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const settled: number[] = [];
  const delayed = Array.from({ length: 4 }, async () => settled.push(await read()));
  const other = client(keys.issue({ owner: 'other' }));
  const [first, second] = await Promise.all([other.get('/v1/orders'), other.get('/v1/orders')]);
  expect([first.status, second.status]).toEqual([200, 200]);
  // No more are delayed than may be under way.
  expect(await read()).toBe(429);
  vi.advanceTimersByTime(499);
  expect(settled).toEqual([]);
  vi.advanceTimersByTime(1001);
  await Promise.all(delayed);
  expect(settled).toEqual([429, 429, 429, 429]);
  clock.advance(60_000);
  expect([await read(), await read(), await read()]).toEqual([200, 200, 429]);
});
