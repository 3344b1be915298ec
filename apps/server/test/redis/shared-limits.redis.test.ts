import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase, postgresOwnerSettings } from '@orders/persistence';
import { createClient } from '@redis/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { aFreePort } from '../programs/ports.ts';
import { aFolder } from '../programs/running-server.ts';
import { aDatabase, type Counted } from './limited-servers.ts';
import { startRedis } from './running-redis.ts';

const ALONE = /the shared rate-limit store fails/;
/** Errors of Redis about a client or its script, unlike those about late responses. */
const REJECTED = /WRONGPASS|NO[A-Z]+ /;

type RedisClient = Awaited<ReturnType<typeof connected>>;

/** Connects to Redis until the test ends. */
async function connected(url: string, authority?: Buffer) {
  const client = createClient(authority ? { url, socket: { tls: true, ca: authority } } : { url });
  await client.connect();
  onTestFinished(() => client.destroy());
  return client;
}

/** Sends requests until Redis has counted one. On a busy machine it responds too late for some of them. */
async function untilCounted(client: RedisClient, send: () => Promise<Counted>): Promise<void> {
  const count = async () => Number(await client.get('orders:rate:read:shop'));
  const before = await count();
  await vi.waitFor(async () => {
    expect(await send()).toMatchObject({ status: 200 });
    expect(await count()).toBeGreaterThan(before);
  });
}

/** The permissions of an account that counts requests, as command categories and keys. */
const ACCOUNT = 'orders on >hunter2/ ~orders:rate:* +hello +ping +eval +evalsha +get +set +pttl'.split(' ');
const READER = 'reader on >reader ~* +@all'.split(' ');

describe('servers that share a Redis', () => {
  it.each([
    ['the limit', '10', null],
    ['its own limit', '1000', { read: 10, write: null, batch: null }],
  ])('accept together as many requests of an owner as %s allows', async (_, RATE_LIMIT_READ, rate_limits) => {
    const { url, apiKey: key, serve } = await aDatabase();
    const database = openDatabase({ url });
    onTestFinished(() => database.close());
    const by = { actor: 'command:test', reason: null };
    const changed = postgresOwnerSettings(database).change('shop', { rate_limits }, new Date().toISOString(), by);
    (await changed)._unsafeUnwrap();
    const statusesOfForty = async (): Promise<readonly number[]> => {
      const redis = await startRedis();
      const env = { REDIS_URL: redis.url, RATE_LIMIT_READ };
      const [first, second] = [await serve(env), await serve(env)];
      const outcomes = await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 ? first : second).send(key)));
      expect(first.output() + second.output()).not.toMatch(ALONE);
      return outcomes.map(({ status }) => status);
    };
    // On a busy machine Redis may respond late. Then each server counts for itself and logs it.
    const statuses = await vi.waitFor(statusesOfForty);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
  });

  it('store only counters there, which expire within a minute', async () => {
    const [redis, { apiKey: key, serve }] = [await startRedis(), await aDatabase()];
    const server = await serve({ REDIS_URL: redis.url });
    const client = await connected(redis.url);
    await untilCounted(client, () => server.send(key));
    const kept = await vi.waitFor(async () => {
      await server.send('ord_0123456789_unknown');
      const names = await client.keys('*');
      expect(names.toSorted()).toEqual(['orders:rate:anonymous:127.0.0.1', 'orders:rate:read:shop']);
      return names;
    });
    for (const name of kept) {
      expect(await client.pTTL(name)).toBeGreaterThan(0);
      expect(await client.pTTL(name)).toBeLessThanOrEqual(60_000);
    }
    // A counter that lost its expiry gets a new one.
    await client.persist('orders:rate:read:shop');
    await untilCounted(client, () => server.send(key));
    expect(await client.pTTL('orders:rate:read:shop')).toBeGreaterThan(0);
  });

  it('continue when Redis has discarded their script', async () => {
    const [redis, { apiKey: key, serve }] = [await startRedis(), await aDatabase()];
    const server = await serve({ REDIS_URL: redis.url });
    const client = await connected(redis.url);
    await untilCounted(client, () => server.send(key));
    await client.scriptFlush();
    await untilCounted(client, () => server.send(key));
    expect(server.output()).not.toMatch(REJECTED);
  });

  it('are authenticated with a user and a password, and need only the permission to count', async () => {
    const redis = await startRedis(['--user', 'default', 'off', '--user', ...ACCOUNT, '--user', ...READER]);
    const { apiKey: key, serve } = await aDatabase();
    const server = await serve({ REDIS_URL: `redis://orders:hunter2%2F@127.0.0.1:${redis.port}` });
    const client = await connected(`redis://reader:reader@127.0.0.1:${redis.port}`);
    await untilCounted(client, () => server.send(key));
    expect(server.output()).not.toMatch(REJECTED);
  });

  it('count for themselves when the password is wrong, and log it without the password', async () => {
    const redis = await startRedis(['--requirepass', 'another']);
    const { apiKey: key, serve } = await aDatabase();
    const server = await serve({ REDIS_URL: `redis://:hunter2@127.0.0.1:${redis.port}` });
    expect(await server.send(key)).toMatchObject({ status: 200, left: 599 });
    await vi.waitFor(() => expect(server.output()).toMatch(ALONE));
    expect(server.output()).toMatch(/WRONGPASS/);
    expect(server.output()).not.toMatch(/hunter2/);
  });

  it('connect by TLS', async () => {
    const folder = await aFolder();
    const made = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -keyout key.pem -out cert.pem';
    const name = ['-subj', '/CN=redis', '-addext', 'subjectAltName=IP:127.0.0.1'];
    await promisify(execFile)('openssl', ['req', ...made.split(' '), ...name], { cwd: folder });
    const [cert, tlsKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const port = await aFreePort();
    const certificate = ['--tls-cert-file', cert, '--tls-key-file', tlsKey, '--tls-auth-clients', 'no'];
    await startRedis(['--port', '0', '--tls-port', `${port}`, ...certificate]);
    const { apiKey: key, serve } = await aDatabase();
    const REDIS_URL = `rediss://127.0.0.1:${port}`;
    const trusting = await serve({ REDIS_URL, NODE_EXTRA_CA_CERTS: cert });
    const client = await connected(REDIS_URL, await readFile(cert));
    await untilCounted(client, () => trusting.send(key));
    expect(trusting.output()).not.toMatch(/CERT/);
    const wary = await serve({ REDIS_URL });
    expect(await wary.send(key)).toMatchObject({ status: 200, left: 599 });
    // A request does not wait for a slow handshake, so its failure may be logged after the response.
    await vi.waitFor(() => expect(wary.output()).toMatch(/DEPTH_ZERO_SELF_SIGNED_CERT/));
  });

  it('start without it, count alone, and share it when it is available', async () => {
    const port = await aFreePort();
    const { apiKey: key, serve } = await aDatabase();
    const env = { REDIS_URL: `redis://127.0.0.1:${port}`, RATE_LIMIT_READ: '1000000' };
    const [first, second] = [await serve(env), await serve(env)];
    for (const server of [first, second]) expect(await server.send(key)).toMatchObject({ status: 200, left: 999_999 });
    // A response can arrive before the line of the log that was written for it.
    await vi.waitFor(() => {
      for (const server of [first, second]) expect(server.output()).toMatch(ALONE);
    });
    await startRedis([], port);
    // Each sees the count of the other.
    await vi.waitFor(
      async () => {
        const [one, two, three] = [await first.send(key), await second.send(key), await first.send(key)];
        expect([two.left, three.left]).toEqual([one.left - 1, one.left - 2]);
      },
      { interval: 100 },
    );
  });
});
