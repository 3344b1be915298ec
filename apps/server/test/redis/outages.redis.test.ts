import { describe, expect, it, vi } from 'vitest';
import { aFreePort } from '../programs/ports.ts';
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
function load(servers: readonly LimitedServer[], key: string, until: () => boolean) {
  const clients = [...servers, ...servers, ...servers].map((server) => ({ server, outcomes: [] as Counted[] }));
  const ended = clients.map(async ({ server, outcomes }) => {
    while (!until()) outcomes.push(await server.send(key));
  });
  return {
    /** Waits until each client has the response to a request that it sent after this call. */
    goesOn: async (): Promise<void> => {
      const goals = clients.map(({ outcomes }) => outcomes.length + 2);
      const isBehind = (_: unknown, n: number) => (clients[n]?.outcomes.length ?? 0) < (goals[n] ?? 0);
      await vi.waitFor(() => expect(clients.filter(isBehind)).toEqual([]));
    },
    outcomes: async (): Promise<readonly Counted[]> => {
      await Promise.all(ended);
      return clients.flatMap(({ outcomes }) => outcomes);
    },
  };
}

/** Waits until both servers count requests together: each sees the count of the other. */
async function areShared([first, second]: readonly [LimitedServer, LimitedServer], key: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const [one, two, three] = [await first.send(key), await second.send(key), await first.send(key)];
      expect([two.left, three.left]).toEqual([one.left - 1, one.left - 2]);
    },
    { interval: 100 },
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
    // No request waits for its return.
    await loaded.goesOn();
    await startRedis([], redis.port);
    const outcomes = await loaded.outcomes();
    expect(outcomes.filter(({ status }) => status !== 200)).toEqual([]);
    await areShared(servers, key);
  });

  it('respond while it accepts connections and never responds, and stop on request', async () => {
    const [redis, { apiKey: key, serve }] = [await startRedis(), await aDatabase()];
    // A stop that waits for Redis lasts longer than the test.
    const env = { REDIS_URL: redis.url, SHUTDOWN_GRACE_MS: `${24 * 60 * 60 * 1000}`, ...HIGH };
    const servers = [await serve(env), await serve(env)] as const;
    const [first, second] = servers;
    await areShared(servers, key);
    const [alone, shared] = [saidOnce(servers, ALONE), saidOnce([first], SHARED)];
    redis.signal('SIGSTOP');
    // The time to close the connection, and to try another.
    const over = performance.now() + 7000;
    const loaded = load(servers, key, () => alone() && performance.now() > over);
    await loaded.goesOn();
    const outcomes = await loaded.outcomes();
    expect(outcomes.filter(({ status }) => status !== 200)).toEqual([]);
    expect((await second.stop()).code).toBe(0);
    redis.signal('SIGCONT');
    await vi.waitFor(
      async () => {
        await first.send(key);
        expect(shared()).toBe(true);
      },
      { interval: 100 },
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
