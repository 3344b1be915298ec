import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { redisRateLimits } from '../../src/serving/redis-rate-limits.ts';
import { startServer } from '../programs/running-server.ts';
import { aSilentRedis } from '../programs/silent-redis.ts';

const COUNTED = { count: 1, resetMs: 30_000 };

/** Counts in the Redis at `url` until the test ends. */
async function counting(url: string) {
  const limits = await redisRateLimits(url);
  onTestFinished(() => limits.close());
  return { close: () => limits.close(), count: async () => await limits.count('a', 60_000, { cost: 1, quota: 3 }) };
}

it('a server whose Redis never responds serves every request, logs the failure once, and stops', async () => {
  const redis = await aSilentRedis();
  const server = await startServer({ REDIS_URL: redis.url, RATE_LIMIT_READ: '20' });
  const statuses: number[] = [];
  const send = async () => void statuses.push((await server.request('/v1/orders')).status);
  await Promise.all(Array.from({ length: 10 }, send));
  await vi.waitFor(() => expect(redis.state.connections).toBeGreaterThanOrEqual(3));
  await Promise.all(Array.from({ length: 15 }, send));
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  expect(redis.state.connectionsAtOnce).toBeLessThanOrEqual(2);
  const { code, stdout } = await server.stop();
  expect(code).toBe(0);
  expect(stdout.match(/the shared rate-limit store fails/g)).toHaveLength(1);
  expect(stdout).toMatch(/"message":"no connection to Redis"/);
});

describe('a connection to Redis', () => {
  it('sends no more when Redis is silent, and is renewed after some seconds', async () => {
    const redis = await aSilentRedis();
    redis.state.responds = true;
    const { count } = await counting(redis.url);
    expect(await count()).toEqual(COUNTED);
    redis.state.responds = false;
    const refusals: unknown[] = [];
    const send = () => void count().catch((error: unknown) => refusals.push(error));
    await vi.waitFor(() => {
      send();
      expect(refusals).toContainEqual(new Error('Redis does not respond'));
    });
    const sent = redis.received('EVALSHA');
    await vi.waitFor(() => {
      send();
      expect(redis.state.connections).toBe(2);
    });
    expect(redis.received('EVALSHA')).toBe(sent);
    redis.state.responds = true;
    await vi.waitFor(async () => expect(await count()).toEqual(COUNTED));
  });

  it('stays open when it is silent because it is idle', async () => {
    const redis = await aSilentRedis();
    redis.state.responds = true;
    const { count } = await counting(redis.url);
    // One ping a second, for longer than the maximum silence.
    await vi.waitFor(() => expect(redis.received('PING')).toBeGreaterThanOrEqual(3));
    expect(await count()).toEqual(COUNTED);
    expect(redis.state.connections).toBe(1);
  });

  it('rejects every request while it cannot be established', async () => {
    const { count } = await counting('redis://127.0.0.1:1');
    await expect(count()).rejects.toThrow('no connection to Redis');
    await expect(count()).rejects.toHaveProperty('cause.message', expect.stringContaining('ECONNREFUSED'));
  });

  it('is closed while Redis is silent, which rejects waiting requests', async () => {
    const redis = await aSilentRedis();
    redis.state.responds = true;
    const limits = await counting(redis.url);
    redis.state.responds = false;
    const pending = limits.count();
    limits.close();
    await expect(pending).rejects.toThrow('Disconnects client');
    await expect(limits.count()).rejects.toThrow('no connection to Redis');
  });
});
