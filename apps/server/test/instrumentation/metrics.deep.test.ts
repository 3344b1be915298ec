import { RATE_LIMIT_POLICIES } from '@orders/http-adapter';
import { describe, expect, it } from 'vitest';
import { AN_ORDER, placeOrder, type RunningServer, startServer } from '../programs/running-server.ts';
import { aSilentRedis } from '../programs/silent-redis.ts';
import { scrape } from './scraped-metrics.ts';

const METRICS = { METRICS_PORT: '0' };
const NO_ORDER = '00000000-0000-7000-8000-000000000000';
const REQUESTS = 'orders_http_request_duration_seconds';
const USE_CASES = 'orders_use_case_duration_seconds';
const EMAIL = 'ada@example.com';

/** Sends requests with every outcome that a client can cause. Returns the id of an order. */
async function sendAllSorts(server: RunningServer): Promise<string> {
  const post = { method: 'POST', headers: { 'idempotency-key': 'a-key-of-a-client' } };
  const customer = { method: 'POST', body: JSON.stringify({ name: 'Ada', email: EMAIL }) };
  const id = await placeOrder(server);
  const requests: readonly (readonly [number, string, RequestInit?])[] = [
    [201, '/v1/orders', { ...post, body: AN_ORDER }],
    [201, '/v1/orders', { ...post, body: AN_ORDER }],
    [422, '/v1/orders', { method: 'POST', body: '{}' }],
    [200, '/v1/orders?reference=somebody'],
    [200, `/v1/orders/${id}`, { method: 'HEAD' }],
    [404, `/v1/orders/${NO_ORDER}`],
    [401, '/v1/orders', { headers: { 'x-api-key': 'unknown' } }],
    [404, `/v1/nothing/${id}`],
    [405, '/v1/orders', { method: 'PUT', body: AN_ORDER }],
    [201, '/customers', customer],
  ];
  for (const [status, path, init] of requests) expect((await server.request(path, init)).status).toBe(status);
  return id;
}

describe('the metrics of a server', () => {
  it('count requests by route and status, and use cases by outcome, and contain no values from clients', async () => {
    const server = await startServer(METRICS);
    const id = await sendAllSorts(server);
    const { value, samples, types } = await scrape(server);
    const countsOf = (metric: string) =>
      samples
        .filter(({ name }) => name === `${metric}_count`)
        .map(({ labels, value: count }) => Object.values({ ...labels, count }).join(' '))
        .toSorted();
    expect(countsOf(REQUESTS)).toEqual([
      'GET /v1/orders 200 1',
      'GET /v1/orders 401 1',
      'GET /v1/orders/:id 404 1',
      'GET unknown 404 1',
      'HEAD /v1/orders/:id 200 1',
      'POST /customers 201 1',
      'POST /v1/orders 201 3',
      'POST /v1/orders 422 1',
      'other unknown 405 1',
    ]);
    expect(countsOf(USE_CASES)).toEqual([
      'createCustomer ok 1',
      'getOrder ok 1',
      'getOrder order_not_found 1',
      'listOrders ok 1',
      'placeOrder ok 2',
      'placeOrder replayed 1',
      'placeOrder validation_failed 1',
    ]);
    expect(types.get(REQUESTS)).toBe('histogram');
    expect(value('orders_http_requests_in_flight')).toBe(0);
    for (const seconds of [
      value(`${REQUESTS}_sum`, { method: 'POST', route: '/v1/orders', status: '201' }),
      value(`${USE_CASES}_sum`, { use_case: 'placeOrder', outcome: 'ok' }),
    ]) {
      expect(seconds).toBeGreaterThan(0.0002);
      expect(seconds).toBeLessThan(30);
    }

    // It does not grow with what clients send.
    for (let n = 0; n < 100; n += 1) {
      expect((await server.request(`/v1/made-up-${n}`)).status).toBe(404);
      expect((await server.request(`/v1/orders/${NO_ORDER.slice(0, -3)}${n + 100}`)).status).toBe(404);
      expect((await server.request('/v1/orders', { method: n % 2 === 0 ? 'PUT' : 'PROPFIND' })).status).toBe(405);
    }
    const after = await scrape(server);
    expect(after.value(`${REQUESTS}_count`, { method: 'GET', route: 'unknown', status: '404' })).toBe(101);
    expect(after.value(`${REQUESTS}_count`, { method: 'other' })).toBe(101);
    const orders = ({ name }: { readonly name: string }) => name.startsWith('orders_');
    expect(after.samples.filter(orders)).toHaveLength(samples.filter(orders).length);
    const key = await server.demoKey();
    for (const secret of [id, NO_ORDER, key, 'a-key-of-a-client', EMAIL, 'demo', 'somebody', 'made-up', 'PROPFIND']) {
      expect(after.text).not.toContain(secret);
    }
  });

  it('count reads of events as a use case, without the time that they wait', async () => {
    const server = await startServer(METRICS);
    const [, cursor = ''] = /"next_cursor":"([^"]+)"/.exec(await (await server.request('/v1/events')).text()) ?? [];
    expect((await server.request(`/v1/events?after=${cursor}&wait=3`)).status).toBe(200);
    const { value } = await scrape(server);
    const read = { use_case: 'readEvents', outcome: 'ok' };
    expect(value(`${USE_CASES}_count`, read)).toBeGreaterThanOrEqual(2);
    expect(value(`${USE_CASES}_sum`, read)).toBeLessThan(3);
  });

  it('count rejections by rate limits, and requests that the rate limit store did not count', async () => {
    const limits = {
      RATE_LIMIT_READ: '2',
      RATE_LIMIT_WRITE: '1',
      RATE_LIMIT_BATCH: '1',
      RATE_LIMIT_ANONYMOUS: '3',
      RATE_LIMIT_PUBLIC: '4',
    };
    const batch = `{"orders":[{"idempotency_key":"k","order":${AN_ORDER}}]}`;
    const server = await startServer({ ...METRICS, ...limits, REDIS_URL: (await aSilentRedis()).url });
    const counted = async () => {
      const { value } = await scrape(server);
      const refused = RATE_LIMIT_POLICIES.map((policy) => value('orders_rate_limited_total', { policy }));
      return [...refused, value('orders_rate_limit_store_passed_over_total')];
    };
    // The start of the server is detected by /readyz, which is not limited.
    expect(await counted()).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    for (let n = 0; n < 5; n += 1) {
      await server.request('/v1/orders');
      await server.request('/v1/orders', { method: 'POST', body: AN_ORDER });
      await server.request('/v1/order_batches', { method: 'POST', body: batch });
      await fetch(`${server.url}/v1/orders`);
      await fetch(`${server.url}/docs`);
      await fetch(`${server.url}/v1/orders`, { method: 'OPTIONS' });
    }
    // A client over its limit causes no calls of the store.
    expect(await counted()).toEqual([3, 4, 4, 2, 1, 1, 0, 15]);
  });
});
