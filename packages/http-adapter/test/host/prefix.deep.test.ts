import { apiKeys, authenticateBy, ordersHttp, ordersServerOptions } from '@orders/http-adapter';
import { fastify } from 'fastify';
import { ok } from 'neverthrow';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aDomain } from '../fixtures/a-domain.ts';
import { anApi, BASE_URL } from '../fixtures/an-api.ts';
import { inMemoryApiKeys } from '../fixtures/in-memory-api-keys.ts';
import { textAt } from '../fixtures/json.ts';
import { aNewOrder, NO_ORDER } from '../fixtures/new-orders.ts';
import { nextUrl } from '../fixtures/pages.ts';

const prefix = '/shop/api';

describe.each([
  ['/', ''],
  ['/shop/', '/shop'],
])('the prefix "%s", which is "%s" to the router', (spelled, before) => {
  it('is the same in Location, in every path and in the document', async () => {
    const { acme } = await anApi({ prefix: spelled });
    const { headers, body } = await acme.post(`${before}/orders`, aNewOrder());
    expect(headers['location']).toBe(`${before}/v1/orders/${textAt(body, 'id')}`);
    expect((await acme.get(headers['location'] ?? '')).body).toEqual(body);
    for (const path of ['/v1/orders', '/orders', '/docs', '/openapi.json', '/problems/not-found']) {
      expect(await acme.send({ method: 'PUT', url: `${before}${path}` })).toMatchObject({ status: 405 });
      expect(await acme.send({ method: 'OPTIONS', url: `${before}${path}` })).toMatchObject({ status: 204 });
    }
    const servers = [{ url: `${before}/v1` }, { url: before === '' ? '/' : before }];
    expect((await acme.get(`${before}/openapi.json`)).body).toMatchObject({ servers });
  });
});

describe('an API with a prefix', () => {
  it('links to the next page with the prefix', async () => {
    const { acme } = await anApi({ prefix });
    await acme.post(`${prefix}/v1/orders`, aNewOrder());
    await acme.post(`${prefix}/v1/orders`, aNewOrder());
    const next = nextUrl(await acme.get(`${prefix}/v1/orders?limit=1`)) ?? '';
    expect(next).toMatch(/^\/shop\/api\/v1\/orders\?limit=1&after=/);
    expect((await acme.get(next)).body).toMatchObject({ data: [{}], page: { has_more: false } });
  });
});

/** Creates a server with a route, a not-found handler and an error handler, and the API under a prefix. */
async function aShop() {
  const keys = inMemoryApiKeys();
  const app = fastify(ordersServerOptions(() => BASE_URL));
  onTestFinished(() => app.close());
  app.setNotFoundHandler((_request, reply) => reply.code(404).type('text/html').send('<p>Not here.</p>'));
  app.setErrorHandler((_error, _request, reply) => reply.code(500).type('text/html').send('<p>Sorry.</p>'));
  app.get('/shop', () => ({ name: 'shop' }));
  app.post('/shop/echo', (request) => ({ got: request.body }));
  app.get('/shop/broken', () => {
    throw new Error('broken');
  });
  const authentication = authenticateBy(apiKeys(keys));
  await app.register(ordersHttp, { prefix, domain: aDomain(), authentication, publicBaseUrl: BASE_URL });
  return { app, key: keys.issue() };
}

describe('an API inside another server', () => {
  it('does not affect its routes, headers, bodies, unknown paths and errors', async () => {
    const { app } = await aShop();
    const own = await app.inject('/shop');
    expect(own.json()).toEqual({ name: 'shop' });
    expect(own.headers).not.toHaveProperty('api-version');
    expect(own.headers).not.toHaveProperty('x-request-id');
    const echo = await app.inject({ method: 'POST', url: '/shop/echo', payload: { a: 1 } });
    expect(echo.json()).toEqual({ got: { a: 1 } });
    for (const [url, status, text] of [
      ['/shop/nothing', 404, '<p>Not here.</p>'],
      ['/v1/orders', 404, '<p>Not here.</p>'],
      ['/shop/broken', 500, '<p>Sorry.</p>'],
    ] as const) {
      expect(await app.inject(url)).toMatchObject({ statusCode: status, payload: text });
    }
  });

  it('handles its own unknown paths and problems', async () => {
    const { app, key } = await aShop();
    const headers = { 'x-api-key': key };
    for (const [url, status, code] of [
      [`${prefix}/v1/nothing`, 404, 'not_found'],
      [`${prefix}/v1/orders/${NO_ORDER}`, 404, 'order_not_found'],
      [`${prefix}/v1/orders?limit=0`, 400, 'invalid_parameter'],
    ] as const) {
      const response = await app.inject({ url, headers });
      expect(response).toMatchObject({ statusCode: status, headers: { 'content-type': 'application/problem+json' } });
      expect(response.json()).toMatchObject({ code, status });
    }
    expect((await app.inject({ url: `${prefix}/v1/orders`, headers })).json()).toMatchObject({ data: [] });
  });

  it('can be registered twice, with separate orders', async () => {
    const { app, key } = await aShop();
    const domain = aDomain();
    const owner = { owner: 'other', scopes: ['orders:read', 'orders:write'] };
    const authentication = { authenticate: () => Promise.resolve(ok(owner)), securitySchemes: {} };
    await app.register(ordersHttp, { prefix: '/other', domain, authentication, publicBaseUrl: BASE_URL });
    expect((await app.inject({ method: 'POST', url: '/other/orders', payload: aNewOrder() })).statusCode).toBe(201);
    expect((await app.inject('/other/orders')).json()).toMatchObject({ data: [{ status: 'pending' }] });
    const first = await app.inject({ url: `${prefix}/orders`, headers: { 'x-api-key': key } });
    expect(first.json()).toMatchObject({ data: [] });
  });
});
