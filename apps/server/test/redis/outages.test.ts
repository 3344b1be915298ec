import { describe, expect, it, vi } from 'vitest';
import { aFreePort } from '../ports.ts';
import { aDatabase, type Counted, type LimitedServer } from './limited-servers.ts';
import { startRedis } from './running-redis.ts';

const ALONE = /the shared rate-limit store fails/g;
const SHARED = /"passedOver":\d+,"msg":"the shared rate-limit store has recovered"/g;
const HIGH = { RATE_LIMIT_READ: '1000000' };

/** Counts log lines of a server. */
const times = (server: LimitedServer, pattern: RegExp): number => server.output().match(pattern)?.length ?? 0;

/** Returns whether every server has logged a line exactly once since the call. */
function saidOnce(servers: readonly LimitedServer[], pattern: RegExp): () => boolean {
  const before = servers.map((server) => times(server, pattern));
  return () => servers.every((server, n) => times(server, pattern) === (before[n] ?? 0) + 1);
}

/** Sends three requests at a time to each server, and collects their outcomes. */
async function load(servers: readonly LimitedServer[], key: string, until: () => boolean): Promise<readonly Counted[]> {
  const outcomes: Counted[] = [];
  const sendTo = async (server: LimitedServer) => {
    while (!until()) outcomes.push(await server.send(key));
  };
  await Promise.all([...servers, ...servers, ...servers].map(sendTo));
  return outcomes;
}

/** Waits until both servers count requests together: each sees the count of the other. */
async function areShared([first, second]: readonly [LimitedServer, LimitedServer], key: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const [one, two, three] = [await first.send(key), await second.send(key), await first.send(key)];
      expect([two.left, three.left]).toEqual([one.left - 1, one.left - 2]);
    },
    { timeout: 20_000, interval: 100 },
  );
}

describe('servers that lose the Redis they share', () => {
  it('fail no request when it is killed under load, and share it again when it returns', async () => {
    const [redis, { apiKey: key, serve }] = [await startRedis(), await aDatabase()];
    const env = { REDIS_URL: redis.url, ...HIGH };
    const servers = [await serve(env), await serve(env)] as const;
    await areShared(servers, key);
    const [alone, shared] = [saidOnce(servers, ALONE), saidOnce(servers, SHARED)];
    const loaded = load(servers, key, shared);
    await redis.kill();
    await vi.waitFor(() => expect(alone()).toBe(true));
    await startRedis([], redis.port);
    const outcomes = await loaded;
    expect(outcomes.length).toBeGreaterThan(10);
    expect(outcomes.filter(({ status }) => status !== 200)).toEqual([]);
    expect(Math.max(...outcomes.map(({ tookMs }) => tookMs))).toBeLessThan(5000);
    await areShared(servers, key);
  });

  it('respond at once when it accepts connections and never responds, and stop on request', async () => {
    const [redis, { apiKey: key, serve }] = [await startRedis(), await aDatabase()];
    const env = { REDIS_URL: redis.url, ...HIGH };
    const servers = [await serve(env), await serve(env)] as const;
    const [first, second] = servers;
    await areShared(servers, key);
    const [alone, shared] = [saidOnce(servers, ALONE), saidOnce([first], SHARED)];
    redis.signal('SIGSTOP');
    // The time to close the connection, and to try another.
    const over = performance.now() + 7000;
    const outcomes = await load(servers, key, () => performance.now() > over);
    expect(outcomes.filter(({ status }) => status !== 200)).toEqual([]);
    const took = outcomes.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
    // Each request waits at most a tenth of a second for its count, and almost all do not wait.
    expect(took.at(-1)).toBeLessThan(1000);
    expect(took[Math.floor(took.length * 0.9)]).toBeLessThan(100);
    expect(alone()).toBe(true);

    const stopping = performance.now();
    expect((await second.stop()).code).toBe(0);
    expect(performance.now() - stopping).toBeLessThan(5000);
    redis.signal('SIGCONT');
    await vi.waitFor(
      async () => {
        await first.send(key);
        expect(shared()).toBe(true);
      },
      { timeout: 20_000, interval: 100 },
    );
  });

  it('start without it, and share it when it is available', async () => {
    const port = await aFreePort();
    const { apiKey: key, serve } = await aDatabase();
    const env = { REDIS_URL: `redis://127.0.0.1:${port}`, ...HIGH };
    const servers = [await serve(env), await serve(env)] as const;
    for (const server of servers) expect(await server.send(key)).toMatchObject({ status: 200, left: 999_999 });
    // A response can arrive before the line of the log that was written for it.
    await vi.waitFor(() => expect(servers.map((server) => times(server, ALONE))).toEqual([1, 1]));
    await startRedis([], port);
    await areShared(servers, key);
    for (const server of servers) expect((await server.stop()).code).toBe(0);
  });
});
