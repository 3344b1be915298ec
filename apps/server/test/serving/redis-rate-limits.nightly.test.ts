import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { redisRateLimits } from '../../src/serving/redis-rate-limits.ts';
import { startServer } from '../programs/running-server.ts';
import { aSilentRedis } from '../programs/silent-redis.ts';

const MINUTE = 60_000;

/** Counts in the Redis at `url` until the test ends. */
async function counting(url: string) {
  const limits = await redisRateLimits(url);
  onTestFinished(() => limits.close());
  return { close: () => limits.close(), count: async () => await limits.count('a', MINUTE) };
}

describe('a server whose Redis accepts connections and never responds', () => {
  it('starts, responds to every request, logs the failure once, and stops', async () => {
    const redis = await aSilentRedis();
    const server = await startServer({ REDIS_URL: redis.url, RATE_LIMIT_READ: '20' });
    const responses: Response[] = [];
    const send = async () => void responses.push(await server.request('/v1/orders'));
    await Promise.all(Array.from({ length: 10 }, send));
    await vi.waitFor(() => expect(redis.connections()).toBeGreaterThanOrEqual(3));
    await Promise.all(Array.from({ length: 15 }, send));
    const statuses = responses.map(({ status }) => `${status}`).toSorted();
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => '200'), ...Array.from({ length: 5 }, () => '429')]);
    expect(redis.connectionsAtOnce()).toBeLessThanOrEqual(2);
    const { code, stdout } = await server.stop();
    expect(code).toBe(0);
    expect(stdout.match(/the shared rate-limit store fails/g)).toHaveLength(1);
    expect(stdout).toMatch(/"message":"no connection to Redis"/);
  });
});

describe('a connection to Redis', () => {
  it('sends no more when Redis is silent, and is renewed after some seconds', async () => {
    const redis = await aSilentRedis();
    redis.responses = true;
    const { count } = await counting(redis.url);
    expect(await count()).toEqual({ count: 1, resetMs: 30_000 });
    redis.responses = false;
    const refusals: unknown[] = [];
    const send = () => void count().catch((error: unknown) => refusals.push(error));
    await vi.waitFor(() => {
      send();
      expect(refusals).toContainEqual(new Error('Redis does not respond'));
    });
    const sent = redis.received('EVALSHA');
    await vi.waitFor(() => {
      send();
      expect(redis.connections()).toBe(2);
    });
    expect(redis.received('EVALSHA')).toBe(sent);
    redis.responses = true;
    await vi.waitFor(async () => expect(await count()).toEqual({ count: 1, resetMs: 30_000 }));
  });

  it('stays open when it is silent because it is idle', async () => {
    const redis = await aSilentRedis();
    redis.responses = true;
    const { count } = await counting(redis.url);
    // One ping a second, for longer than the maximum silence.
    await vi.waitFor(() => expect(redis.received('PING')).toBeGreaterThanOrEqual(3));
    expect(await count()).toEqual({ count: 1, resetMs: 30_000 });
    expect(redis.connections()).toBe(1);
  });

  it('rejects every request while it cannot be established', async () => {
    const { count } = await counting('redis://127.0.0.1:1');
    await expect(count()).rejects.toThrow('no connection to Redis');
    await expect(count()).rejects.toHaveProperty('cause.message', expect.stringContaining('ECONNREFUSED'));
  });

  it('is closed while Redis is silent, which rejects waiting requests', async () => {
    const redis = await aSilentRedis();
    redis.responses = true;
    const limits = await counting(redis.url);
    redis.responses = false;
    const pending = limits.count();
    limits.close();
    await expect(pending).rejects.toThrow('Disconnects client');
    await expect(limits.count()).rejects.toThrow('no connection to Redis');
  });
});
