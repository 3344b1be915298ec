import { describe, expect, it, vi } from 'vitest';
import { connectTo, largestFileOf } from '../programs/connections.ts';
import { startServer } from '../programs/running-server.ts';
import { aDatabase, LOCK_ORDERS, startServerOn, WAITS_FOR_LOCKS } from '../programs/server-on-database.ts';
import { scrape } from './scraped-metrics.ts';

const METRICS = { METRICS_PORT: '0' };

describe('the metrics of a server', () => {
  it('show the use of the pool and the requests in progress, also after a client disconnected', async () => {
    const database = await aDatabase();
    const server = await startServerOn(database, { ...METRICS, ...WAITS_FOR_LOCKS, DATABASE_POOL_MAX: '4' });
    expect((await server.request('/v1/orders')).status).toBe(200);
    const unlock = await database.lock(LOCK_ORDERS);
    const patient = [1, 2, 3].map(async () => (await server.request('/v1/orders')).status);
    const leaving = new AbortController();
    const left = server.request('/v1/orders', { signal: leaving.signal }).catch(() => 'left');
    const inUse = async () => {
      const { value } = await scrape(server);
      const states = ['active', 'waiting', 'max'].map((state) => value('orders_pool_connections', { state }));
      return [value('orders_http_requests_in_flight'), ...states];
    };
    // One owner uses two of four connections.
    await expect.poll(inUse).toEqual([4, 2, 2, 4]);
    leaving.abort();
    expect(await left).toBe('left');
    await unlock();
    expect(await Promise.all(patient)).toEqual([200, 200, 200]);
    await expect.poll(inUse).toEqual([0, 0, 0, 4]);
    const aborted = { route: '/v1/orders', status: 'aborted' };
    expect((await scrape(server)).value('orders_http_request_duration_seconds_count', aborted)).toBe(1);
  });

  it('count requests that were rejected because of overload', async () => {
    const database = await aDatabase();
    const server = await startServerOn(database, { ...METRICS, ...WAITS_FOR_LOCKS, RATE_LIMIT_READ: '0' });
    const unlock = await database.lock(LOCK_ORDERS);
    // A connection may have at most eight requests in progress, and a server a thousand.
    const sockets = Array.from({ length: 126 }, () => connectTo(server).resume());
    const request = `GET /v1/orders HTTP/1.1\r\nHost: x\r\nX-API-Key: ${database.apiKey}\r\n\r\n`;
    for (const socket of sockets) socket.write(request.repeat(8));
    await vi.waitFor(async () => {
      const { value } = await scrape(server);
      expect(value('orders_load_shed_total')).toBe(8);
      expect(value('orders_http_requests_in_flight')).toBe(1000);
    });
    await unlock();
    await expect.poll(async () => (await scrape(server)).value('orders_http_requests_in_flight')).toBe(0);
    for (const socket of sockets) socket.destroy();
  });

  it('count connections of clients that do not read, and requests after the end of their connection', async () => {
    const server = await startServer({ ...METRICS, RESPONSE_READ_TIMEOUT_MS: '100', UNREAD_BYTES_MAX: '1' });
    const unread = connectTo(server).pause();
    const request = `GET ${await largestFileOf(server)} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\n\r\n`;
    unread.write(request.repeat(8));
    const last = 'GET /x HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    const ended = connectTo(server).resume();
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
