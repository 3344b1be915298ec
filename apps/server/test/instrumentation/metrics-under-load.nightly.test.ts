import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { startServer } from '../programs/running-server.ts';
import { scrape } from './scraped-metrics.ts';
import { aDatabase, LOCK_ORDERS, startServerOn, WAITS_FOR_LOCKS } from '../programs/server-on-database.ts';

const METRICS = { METRICS_PORT: '0' };
const REQUESTS = 'orders_http_request_duration_seconds_count';

describe('the metrics of a server', () => {
  it('show the use of the pool and the requests in progress, also after a client disconnected', async () => {
    const database = await aDatabase();
    const server = await startServerOn(database, { ...METRICS, ...WAITS_FOR_LOCKS, DATABASE_POOL_MAX: '4' });
    expect((await server.request('/v1/orders')).status).toBe(200);
    const unlock = await database.lock(LOCK_ORDERS);
    const patient = [1, 2, 3].map(async () => (await server.request('/v1/orders')).status);
    const leaving = new AbortController();
    const left = server.request('/v1/orders', { signal: leaving.signal }).catch(() => 'left');
    const use = (state: string) => ['orders_pool_connections', { state }] as const;
    await vi.waitFor(async () => {
      const { value } = await scrape(server);
      expect(value('orders_http_requests_in_flight')).toBe(4);
      // One owner uses two of four connections.
      expect(['active', 'waiting', 'max'].map((state) => value(...use(state)))).toEqual([2, 2, 4]);
    });
    leaving.abort();
    expect(await left).toBe('left');
    await unlock();
    expect(await Promise.all(patient)).toEqual([200, 200, 200]);
    await vi.waitFor(async () => {
      const { value } = await scrape(server);
      expect(value('orders_http_requests_in_flight')).toBe(0);
      expect(value(REQUESTS, { route: '/v1/orders', status: 'aborted' })).toBe(1);
      expect(['active', 'waiting', 'max'].map((state) => value(...use(state)))).toEqual([0, 0, 4]);
      expect(value(...use('idle'))).toBeGreaterThanOrEqual(2);
    });
  });

  it('count purged rows', async () => {
    const database = await aDatabase();
    for (const n of [1, 2, 3]) {
      await database.execute(`insert into orders.changes values ('o', 'order', '00000000-0000-7000-8000-00000000000${n}', 1,
        gen_random_uuid(), 'order.deleted', '[]', now() - interval '90 days', null, null, 1, null)`);
    }
    for (const key of ['one', 'two']) {
      await database.execute(`insert into orders.idempotency values ('o', '${key}', 'f', 'order', gen_random_uuid(), 1,
        now() - interval '1 hour')`);
    }
    // The endpoint was deleted.
    await database.execute(
      `insert into orders.webhook_queues values ('o', gen_random_uuid(), 0, 1, null, 0, null, null, 0)`,
    );
    await database.execute(`insert into orders.webhook_deliveries (owner_id, endpoint_id, position, event_id, type, aggregate,
        aggregate_id, version, status, attempts, fresh, redelivery, fence)
      select 'o', q.endpoint_id, n, gen_random_uuid(), 'order.placed', 'order', gen_random_uuid(), 1, 'delivered', 1,
        false, false, 1 from orders.webhook_queues as q, generate_series(1, 4) as n`);
    const server = await startServerOn(database, METRICS);
    await vi.waitFor(async () => {
      const { value } = await scrape(server);
      expect(value('orders_purged_rows_total', { kind: 'changes' })).toBe(3);
      expect(value('orders_purged_rows_total', { kind: 'idempotency_keys' })).toBe(2);
      expect(value('orders_purged_rows_total', { kind: 'deliveries' })).toBe(4);
      expect(server.output()).toMatch(/"keys":2,"deliveries":4,"changes":3,"snapshots":0,.*"msg":"purged"/);
    });
  });

  it('count requests that were rejected because of overload', async () => {
    const database = await aDatabase();
    const server = await startServerOn(database, { ...METRICS, ...WAITS_FOR_LOCKS, RATE_LIMIT_READ: '0' });
    const unlock = await database.lock(LOCK_ORDERS);
    // A connection may have at most eight requests in progress, and a server a thousand.
    const sockets = Array.from({ length: 126 }, () => connect(Number(new URL(server.url).port), '127.0.0.1').resume());
    const request = `GET /v1/orders HTTP/1.1\r\nHost: x\r\nX-API-Key: ${database.apiKey}\r\n\r\n`;
    for (const socket of sockets) socket.write(request.repeat(8));
    await vi.waitFor(async () => {
      const { value } = await scrape(server);
      expect(value('orders_load_shed_total')).toBe(8);
      expect(value('orders_http_requests_in_flight')).toBe(1000);
    });
    await unlock();
    await vi.waitFor(async () => {
      const { value } = await scrape(server);
      expect(value('orders_http_requests_in_flight')).toBe(0);
    });
    for (const socket of sockets) socket.destroy();
  });

  it('count connections of clients that do not read, and requests after the end of their connection', async () => {
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
    });
    unread.destroy();
  });
});
