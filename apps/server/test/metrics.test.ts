import { RATE_LIMIT_POLICIES } from '@orders/http-adapter';
import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { AN_ORDER, placeOrder, type RunningServer, startServer } from './running-server.ts';
import { scrape } from './scraped-metrics.ts';
import { aDatabase, startServerOn, WAITS_FOR_LOCKS } from './server-on-database.ts';
import { aSilentRedis } from './silent-redis.ts';

const METRICS = { METRICS_PORT: '0' };
const NOBODY = '00000000-0000-7000-8000-000000000000';
const REQUESTS = 'orders_http_request_duration_seconds_count';
const USE_CASES = 'orders_use_case_duration_seconds_count';
const EMAIL = 'ada@example.com';

/** Requests that come out in every way that a client can bring about. */
async function sendAllSorts(server: RunningServer): Promise<string> {
  const post = { method: 'POST', headers: { 'idempotency-key': 'a-key-of-a-client' } };
  const customer = { method: 'POST', body: JSON.stringify({ name: 'Ada', email: EMAIL }) };
  const id = String(await placeOrder(server));
  const requests: readonly (readonly [number, string, RequestInit?])[] = [
    [201, '/v1/orders', { ...post, body: AN_ORDER }],
    [201, '/v1/orders', { ...post, body: AN_ORDER }],
    [422, '/v1/orders', { method: 'POST', body: '{}' }],
    [200, '/v1/orders?reference=somebody'],
    [200, `/v1/orders/${id}`, { method: 'HEAD' }],
    [404, `/v1/orders/${NOBODY}`],
    [401, '/v1/orders', { headers: { 'x-api-key': 'unknown' } }],
    [404, `/v1/nothing/${id}`],
    [405, '/v1/orders', { method: 'PUT', body: AN_ORDER }],
    [201, '/customers', customer],
  ];
  for (const [status, path, init] of requests) expect((await server.request(path, init)).status).toBe(status);
  return id;
}

describe('the metrics of a server', () => {
  it('say how many requests came to what, by route', async () => {
    const server = await startServer(METRICS);
    await sendAllSorts(server);
    const { value, samples, types } = await scrape(server);
    const counted = samples.filter(({ name }) => name === REQUESTS);
    expect(counted.map(({ labels, value: count }) => ({ ...labels, count }))).toEqual(
      expect.arrayContaining([
        { method: 'POST', route: '/v1/orders', status: '201', count: 3 },
        { method: 'POST', route: '/v1/orders', status: '422', count: 1 },
        { method: 'GET', route: '/v1/orders', status: '200', count: 1 },
        { method: 'HEAD', route: '/v1/orders/:id', status: '200', count: 1 },
        { method: 'GET', route: '/v1/orders/:id', status: '404', count: 1 },
        { method: 'GET', route: '/v1/orders', status: '401', count: 1 },
        { method: 'GET', route: 'unknown', status: '404', count: 1 },
        { method: 'other', route: 'unknown', status: '405', count: 1 },
        { method: 'POST', route: '/customers', status: '201', count: 1 },
      ]),
    );
    expect(counted).toHaveLength(9);
    expect(types.get('orders_http_request_duration_seconds')).toBe('histogram');
    expect(value('orders_http_requests_in_flight')).toBe(0);
    const placed = { method: 'POST', route: '/v1/orders', status: '201' };
    const seconds = value('orders_http_request_duration_seconds_sum', placed) ?? 0;
    expect(seconds).toBeGreaterThan(0.0005);
    expect(seconds).toBeLessThan(30);
  });

  it('say what use cases came to', async () => {
    const server = await startServer(METRICS);
    await sendAllSorts(server);
    const { samples, value } = await scrape(server);
    const counted = samples.filter(({ name }) => name === USE_CASES);
    expect(counted.map(({ labels, value: count }) => ({ ...labels, count }))).toEqual(
      expect.arrayContaining([
        { use_case: 'placeOrder', outcome: 'ok', count: 2 },
        { use_case: 'placeOrder', outcome: 'replayed', count: 1 },
        { use_case: 'placeOrder', outcome: 'validation_failed', count: 1 },
        { use_case: 'getOrder', outcome: 'ok', count: 1 },
        { use_case: 'listOrders', outcome: 'ok', count: 1 },
        { use_case: 'getOrder', outcome: 'order_not_found', count: 1 },
        { use_case: 'createCustomer', outcome: 'ok', count: 1 },
      ]),
    );
    expect(counted).toHaveLength(7);
    const placed = { use_case: 'placeOrder', outcome: 'ok' };
    const seconds = value('orders_use_case_duration_seconds_sum', placed) ?? 0;
    expect(seconds).toBeGreaterThan(0.0002);
    expect(seconds).toBeLessThan(30);
  });

  it('hold nothing that a client sent, and do not grow by what clients make up', async () => {
    const server = await startServer(METRICS);
    const key = await server.demoKey();
    const id = await sendAllSorts(server);
    const before = await scrape(server);
    for (let n = 0; n < 100; n += 1) {
      expect((await server.request(`/v1/made-up-${n}`)).status).toBe(404);
      expect((await server.request(`/v1/orders/${NOBODY.slice(0, -3)}${n + 100}`)).status).toBe(404);
      expect((await server.request('/v1/orders', { method: n % 2 === 0 ? 'PUT' : 'PROPFIND' })).status).toBe(405);
    }
    const { text, samples, value } = await scrape(server);
    expect(value(REQUESTS, { method: 'GET', route: 'unknown', status: '404' })).toBe(101);
    expect(value(REQUESTS, { method: 'other' })).toBe(101);
    const orders = ({ name }: { readonly name: string }) => name.startsWith('orders_');
    expect(samples.filter(orders)).toHaveLength(before.samples.filter(orders).length);
    for (const secret of [id, NOBODY, key, 'a-key-of-a-client', EMAIL, 'demo', 'somebody', 'made-up', 'PROPFIND']) {
      expect(text).not.toContain(secret);
    }
  });

  it('say how the pool is used and what is under way, also after a client has left', async () => {
    const database = await aDatabase();
    const server = await startServerOn(database, { ...METRICS, ...WAITS_FOR_LOCKS, DATABASE_POOL_MAX: '3' });
    expect((await server.ask('/v1/orders')).status).toBe(200);
    const unlock = await database.lockOrders();
    const patient = [1, 2, 3].map(async () => (await server.ask('/v1/orders')).status);
    const leaving = new AbortController();
    const left = server.ask('/v1/orders', { signal: leaving.signal }).catch(() => 'left');
    const use = (state: string) => ['orders_pool_connections', { state }] as const;
    await vi.waitFor(async () => {
      const { value } = await scrape(server);
      expect(value('orders_http_requests_in_flight')).toBe(4);
      // Of three connections one owner uses two.
      expect(['active', 'waiting', 'max'].map((state) => value(...use(state)))).toEqual([2, 2, 3]);
    }, 4000);
    leaving.abort();
    expect(await left).toBe('left');
    await unlock();
    expect(await Promise.all(patient)).toEqual([200, 200, 200]);
    await vi.waitFor(async () => {
      const { value } = await scrape(server);
      expect(value('orders_http_requests_in_flight')).toBe(0);
      expect(value(REQUESTS, { route: '/v1/orders', status: 'aborted' })).toBe(1);
      expect(['active', 'waiting', 'max'].map((state) => value(...use(state)))).toEqual([0, 0, 3]);
      expect(value(...use('idle'))).toBeGreaterThanOrEqual(2);
    }, 4000);
  });

  it('say how often rate limits refused', async () => {
    const limits = { RATE_LIMIT_READ: '2', RATE_LIMIT_WRITE: '1', RATE_LIMIT_ANONYMOUS: '3', RATE_LIMIT_PUBLIC: '4' };
    const server = await startServer({ ...METRICS, ...limits });
    const refused = async () => {
      const { value } = await scrape(server);
      return RATE_LIMIT_POLICIES.map((policy) => value('orders_rate_limited_total', { policy }));
    };
    // The server was waited for at /readyz, which is not limited.
    expect(await refused()).toEqual([0, 0, 0, 0, 0]);
    for (let n = 0; n < 5; n += 1) {
      await server.request('/v1/orders');
      await server.request('/v1/orders', { method: 'POST', body: AN_ORDER });
      await fetch(`${server.url}/v1/orders`);
      await fetch(`${server.url}/docs`);
      await fetch(`${server.url}/v1/orders`, { method: 'OPTIONS' });
    }
    expect(await refused()).toEqual([3, 4, 2, 1, 1]);
  });

  it('say how many requests the store of rate limits did not count', async () => {
    const redis = await aSilentRedis();
    const server = await startServer({ ...METRICS, REDIS_URL: redis.url });
    for (let n = 0; n < 5; n += 1) expect((await server.request('/v1/orders')).status).toBe(200);
    const { value } = await scrape(server);
    expect(value('orders_rate_limit_store_passed_over_total')).toBe(5);
  });

  it('say how many rows were purged', async () => {
    const database = await aDatabase();
    for (const n of [1, 2, 3]) {
      await database.execute(`insert into outbox values ('o', gen_random_uuid(), 'order.placed',
        '00000000-0000-7000-8000-00000000000${n}', 1, '[]', now() - interval '90 days')`);
    }
    for (const key of ['one', 'two']) {
      await database.execute(`insert into once values ('o', '${key}', 'f', gen_random_uuid(),
        '{"format":1,"aggregate":null}', now(), now() - interval '1 hour')`);
    }
    const server = await startServerOn(database, METRICS);
    await vi.waitFor(async () => {
      const { value } = await scrape(server);
      expect(value('orders_purged_rows_total', { kind: 'events' })).toBe(3);
      expect(value('orders_purged_rows_total', { kind: 'idempotency_keys' })).toBe(2);
    }, 10_000);
  });

  it('say how many requests were refused because there was too much to do', async () => {
    const database = await aDatabase();
    const server = await startServerOn(database, { ...METRICS, ...WAITS_FOR_LOCKS, RATE_LIMIT_READ: '0' });
    const unlock = await database.lockOrders();
    // A connection has eight requests under way at most, and a server a thousand.
    const sockets = Array.from({ length: 126 }, () => connect(Number(new URL(server.url).port), '127.0.0.1').resume());
    const request = `GET /v1/orders HTTP/1.1\r\nHost: x\r\nX-API-Key: ${database.apiKey}\r\n\r\n`;
    for (const socket of sockets) socket.write(request.repeat(8));
    await vi.waitFor(async () => {
      const { value } = await scrape(server);
      expect(value('orders_load_shed_total')).toBe(8);
      expect(value('orders_http_requests_in_flight')).toBe(1000);
    }, 4000);
    await unlock();
    await vi.waitFor(async () => {
      const { value } = await scrape(server);
      expect(value('orders_http_requests_in_flight')).toBe(0);
    }, 20_000);
    for (const socket of sockets) socket.destroy();
  });

  it('count connections of clients that do not read, and what they sent behind the end of theirs', async () => {
    const server = await startServer({ ...METRICS, RESPONSE_READ_TIMEOUT_MS: '100', UNREAD_BYTES_MAX: '1' });
    const port = Number(new URL(server.url).port);
    const unread = connect(port, '127.0.0.1').pause();
    unread.on('error', () => undefined);
    const bundle = /docs\/[^"]*swagger-ui-bundle\.js/.exec(await (await fetch(`${server.url}/docs`)).text())?.[0];
    unread.write(`GET /${bundle} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\n\r\n`.repeat(8));
    const ended = connect(port, '127.0.0.1').resume();
    const last = 'GET /x HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    ended.write(`${last}POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
    await vi.waitFor(async () => {
      const { value } = await scrape(server);
      expect(value('orders_connections_cut_total')).toBe(1);
      expect(value('orders_requests_discarded_total')).toBeGreaterThan(0);
      expect(value('orders_unread_limited_total')).toBe(0);
    }, 30_000);
    unread.destroy();
  });

  it('say how the process is', async () => {
    const server = await startServer(METRICS);
    const { value, types } = await scrape(server);
    expect(value('nodejs_heap_size_used_bytes')).toBeGreaterThan(1e6);
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect([...types.keys()]).toEqual(
      expect.arrayContaining(['nodejs_eventloop_lag_p99_seconds', 'nodejs_gc_duration_seconds']),
    );
  });
});
