import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { redisRateLimits } from '../src/redis-rate-limits.ts';
import { startServer } from './running-server.ts';
import { aSilentRedis } from './silent-redis.ts';

const MINUTE = 60_000;

/** Counts in the Redis at `url` until the test is finished. */
async function counting(url: string) {
  const limits = await redisRateLimits(url);
  onTestFinished(() => limits.close());
  return { close: () => limits.close(), count: async () => await limits.count('a', MINUTE) };
}

describe('a server whose Redis takes connections and never answers', () => {
  it('starts, answers every request, says so once in its log, and stops', async () => {
    const redis = await aSilentRedis();
    const server = await startServer({ REDIS_URL: redis.url, RATE_LIMIT_READ: '20' });
    const answers: Response[] = [];
    const ask = async () => void answers.push(await server.request('/v1/orders'));
    await Promise.all(Array.from({ length: 10 }, ask));
    await vi.waitFor(() => expect(redis.connections()).toBeGreaterThanOrEqual(3), 20_000);
    await Promise.all(Array.from({ length: 15 }, ask));
    const statuses = answers.map(({ status }) => `${status}`).toSorted();
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => '200'), ...Array.from({ length: 5 }, () => '429')]);
    expect(redis.connectionsAtOnce()).toBeLessThanOrEqual(2);
    const { code, stdout } = await server.stop();
    expect(code).toBe(0);
    expect(stdout.match(/the shared rate-limit store fails/g)).toHaveLength(1);
    expect(stdout).toMatch(/there is no connection to Redis/);
  });
});

describe('a connection to Redis', () => {
  it('that falls silent is sent no more, given up after some seconds, and renewed', async () => {
    const redis = await aSilentRedis();
    redis.answers = true;
    const { count } = await counting(redis.url);
    expect(await count()).toEqual({ count: 1, resetMs: 30_000 });
    redis.answers = false;
    const refusals: unknown[] = [];
    const ask = () => void count().catch((error: unknown) => refusals.push(error));
    await vi.waitFor(() => {
      ask();
      expect(refusals).toContainEqual(new Error('Redis does not answer'));
    }, 5000);
    const sent = redis.received('EVALSHA');
    await vi.waitFor(() => {
      ask();
      expect(redis.connections()).toBe(2);
    }, 20_000);
    expect(redis.received('EVALSHA')).toBe(sent);
    redis.answers = true;
    await vi.waitFor(async () => expect(await count()).toEqual({ count: 1, resetMs: 30_000 }), 20_000);
  });

  it('that is silent because nobody asks is kept', async () => {
    const redis = await aSilentRedis();
    redis.answers = true;
    const { count } = await counting(redis.url);
    // One a second, for longer than silence is borne.
    await vi.waitFor(() => expect(redis.received('PING')).toBe(3), 20_000);
    expect(await count()).toEqual({ count: 1, resetMs: 30_000 });
    expect(redis.connections()).toBe(1);
  });

  it('that never came about is told with every request that it should have counted', async () => {
    const { count } = await counting('redis://127.0.0.1:1');
    await expect(count()).rejects.toThrow('there is no connection to Redis');
    await expect(count()).rejects.toHaveProperty('cause.message', expect.stringContaining('ECONNREFUSED'));
  });

  it('may be closed while it is silent, and takes what waits for it along', async () => {
    const redis = await aSilentRedis();
    redis.answers = true;
    const limits = await counting(redis.url);
    redis.answers = false;
    const unanswered = limits.count();
    limits.close();
    await expect(unanswered).rejects.toThrow('Disconnects client');
    await expect(limits.count()).rejects.toThrow('there is no connection to Redis');
  });
});
