import { connect } from 'node:net';
import type { Order } from '@orders/domain';
import { anOrder } from '@orders/domain/testing';
import { ok, ResultAsync } from 'neverthrow';
import { describe, expect, it, vi } from 'vitest';
import { aDomainOver } from './a-domain.ts';
import { anApi } from './an-api.ts';
import { head, portOf } from './raw-http.ts';

/** Creates a store that delays lookups of an order until a test releases them, and counts them. */
function aSlowStore() {
  const order = anOrder();
  const waiting: ((found: Order) => void)[] = [];
  const find = () => new ResultAsync(new Promise<Order>((resolve) => waiting.push(resolve)).then((found) => ok(found)));
  return {
    ...aDomainOver({ find }),
    url: `/v1/orders/${order.id}`,
    waitingCount: () => waiting.length,
    release: () => {
      for (const resolve of waiting.splice(0)) resolve(order);
    },
  };
}

describe('an overloaded server', () => {
  it('rejects requests above its concurrency limit, and accepts more after some responses', async () => {
    const { url, waitingCount, release, domain } = aSlowStore();
    const { acme } = await anApi({ domain, concurrencyMax: 2 });
    const two = [acme.get(url), acme.get(url)];
    await vi.waitFor(() => expect(waitingCount()).toBe(2));
    for (let time = 0; time < 3; time += 1) {
      const refused = await acme.get(url);
      expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' }, headers: { 'retry-after': '1' } });
    }
    release();
    for (const { status } of await Promise.all(two)) expect(status).toBe(200);
    const next = acme.get(url);
    await vi.waitFor(() => expect(waitingCount()).toBe(1));
    release();
    expect((await next).status).toBe(200);
  });

  it('frees the places of clients that disconnect before the response', async () => {
    const { url, waitingCount, release, domain } = aSlowStore();
    const { acme, app, keys } = await anApi({ domain, concurrencyMax: 2 });
    const port = await portOf(app);
    const key = keys.issue();
    const left = [1, 2].map(() => {
      const socket = connect(port, '127.0.0.1');
      socket.write(head(`GET ${url} HTTP/1.1`, { 'X-API-Key': key }));
      return socket;
    });
    await vi.waitFor(() => expect(waitingCount()).toBe(2));
    expect((await acme.get(url)).status).toBe(503);
    for (const socket of left) socket.destroy();
    const next = await vi.waitFor(async () => {
      const pending = acme.get(url);
      // It is rejected as long as those that have left count.
      expect(await Promise.race([pending, vi.waitUntil(() => waitingCount() === 3)])).toBe(true);
      return { pending };
    });
    release();
    expect((await next.pending).status).toBe(200);
  });

  it('rejects all requests while its host reports overload, except health checks', async () => {
    let overloaded = true;
    const { acme, client } = await anApi({ isOverloaded: () => overloaded });
    for (const path of ['/v1/orders', '/v1/nothing', '/openapi.json']) {
      expect(await acme.get(path)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    }
    expect((await client().get('/livez')).status).toBe(200);
    expect((await client().get('/readyz')).status).toBe(200);
    const origin = 'https://shop.example.com';
    const { client: other } = await anApi({ isOverloaded: () => true, corsOrigins: [origin] });
    const refused = await other().get('/v1/orders', { origin });
    expect(refused).toMatchObject({ status: 503, headers: { 'access-control-allow-origin': origin } });
    overloaded = false;
    expect((await acme.get('/v1/orders')).status).toBe(200);
  });
});
