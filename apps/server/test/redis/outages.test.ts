import { describe, expect, it, vi } from 'vitest';
import { aFreePort } from '../ports.ts';
import { aDatabase, type Asked, type LimitedServer } from './limited-servers.ts';
import { startRedis } from './running-redis.ts';

const ALONE = /the shared rate-limit store fails/g;
const SHARED = /"passedOver":\d+,"msg":"the shared rate-limit store has recovered"/g;
const HIGH = { RATE_LIMIT_READ: '1000000' };

/** How often a server said something in its log. */
const times = (server: LimitedServer, pattern: RegExp): number => server.output().match(pattern)?.length ?? 0;

/** Tells whether every server has said something since this was called, and once. */
function saidOnce(servers: readonly LimitedServer[], pattern: RegExp): () => boolean {
  const before = servers.map((server) => times(server, pattern));
  return () => servers.every((server, n) => times(server, pattern) === (before[n] ?? 0) + 1);
}

/** Asks each server over and over, three requests at a time, and tells what came of it. */
async function load(servers: readonly LimitedServer[], key: string, until: () => boolean): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  const askOn = async (server: LimitedServer) => {
    while (!until()) asked.push(await server.ask(key));
  };
  await Promise.all([...servers, ...servers, ...servers].map(askOn));
  return asked;
}

/** Waits until requests to both servers are counted together: what one counts, the other knows. */
async function areShared([first, second]: readonly [LimitedServer, LimitedServer], key: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const [one, two, three] = [await first.ask(key), await second.ask(key), await first.ask(key)];
      expect([two.left, three.left]).toEqual([one.left - 1, one.left - 2]);
    },
    { timeout: 20_000, interval: 100 },
  );
}

describe('servers that lose the Redis they share', () => {
  it('fail no request when it is killed under load, and share it again when it is back', async () => {
    const [redis, { apiKey: key, serve }] = [await startRedis(), await aDatabase()];
    const env = { REDIS_URL: redis.url, ...HIGH };
    const servers = [await serve(env), await serve(env)] as const;
    await areShared(servers, key);
    const [alone, shared] = [saidOnce(servers, ALONE), saidOnce(servers, SHARED)];
    const loaded = load(servers, key, shared);
    await redis.kill();
    await vi.waitFor(() => expect(alone()).toBe(true), 20_000);
    await startRedis([], redis.port);
    const asked = await loaded;
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter(({ status }) => status !== 200)).toEqual([]);
    expect(Math.max(...asked.map(({ tookMs }) => tookMs))).toBeLessThan(5000);
    await areShared(servers, key);
  });

  it('answer every request at once when it takes connections and never answers, and end when told to', async () => {
    const [redis, { apiKey: key, serve }] = [await startRedis(), await aDatabase()];
    const env = { REDIS_URL: redis.url, ...HIGH };
    const servers = [await serve(env), await serve(env)] as const;
    const [first, second] = servers;
    await areShared(servers, key);
    const [alone, shared] = [saidOnce(servers, ALONE), saidOnce([first], SHARED)];
    redis.signal('SIGSTOP');
    // For as long as it takes to give the connection up, and to try another.
    const over = performance.now() + 7000;
    const asked = await load(servers, key, () => performance.now() > over);
    expect(asked.filter(({ status }) => status !== 200)).toEqual([]);
    const took = asked.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
    // Each waits for its answer a tenth of a second at most, and nearly all not at all.
    expect(took.at(-1)).toBeLessThan(1000);
    expect(took[Math.floor(took.length * 0.9)]).toBeLessThan(100);
    expect(alone()).toBe(true);

    const stopping = performance.now();
    expect((await second.stop()).code).toBe(0);
    expect(performance.now() - stopping).toBeLessThan(5000);
    redis.signal('SIGCONT');
    await vi.waitFor(
      async () => {
        await first.ask(key);
        expect(shared()).toBe(true);
      },
      { timeout: 20_000, interval: 100 },
    );
  });

  it('start without it, and share it when it is there', async () => {
    const port = await aFreePort();
    const { apiKey: key, serve } = await aDatabase();
    const env = { REDIS_URL: `redis://127.0.0.1:${port}`, ...HIGH };
    const servers = [await serve(env), await serve(env)] as const;
    for (const server of servers) expect(await server.ask(key)).toMatchObject({ status: 200, left: 999_999 });
    for (const server of servers) expect(times(server, ALONE)).toBe(1);
    await startRedis([], port);
    await areShared(servers, key);
    for (const server of servers) expect((await server.stop()).code).toBe(0);
  });
});
