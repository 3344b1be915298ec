import { apiKeys, authenticateBy, ordersHttp, ordersServerOptions } from '@orders/http-adapter';
import { fastify } from 'fastify';
import { ok } from 'neverthrow';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aDomain } from '../fixtures/a-domain.ts';
import { anApi, BASE_URL } from '../fixtures/an-api.ts';
import { inMemoryApiKeys } from '../fixtures/in-memory-api-keys.ts';
import { listAt, textAt } from '../fixtures/json.ts';
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
    const servers = [{ url: `${BASE_URL}${before}/v1` }, { url: `${BASE_URL}${before}` }];
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

describe('an API below the path of its public URL', () => {
  it.each([
    ['which a proxy removes', 'https://example.com/shop', '', ''],
    ['which is the prefix, encoded by a client', 'https://example.com/shop', '/shop', '/%73hop'],
    ['of which a proxy removes a part', 'https://example.com/my/shop', '/shop', '/shop'],
  ])('names everything below it, %s', async (_, publicBaseUrl, at, sent) => {
    const { acme, app, keys } = await anApi({ prefix: at, publicBaseUrl });
    const headers = { 'x-api-key': keys.issue(), accept: 'text/html, application/json;q=0.9' };
    const seen: string[] = [];
    /** Follows a link of a page, as a client of the proxy. */
    const follow = async (link: string, page = '/') => {
      const url = new URL(link, `${publicBaseUrl}${page}`).href;
      seen.push(url);
      expect(url).toMatch(new RegExp(`^${publicBaseUrl}(/|$)`));
      const response = await app.inject({ url: `${sent}${url.slice(publicBaseUrl.length)}`, headers });
      expect([url, response.statusCode]).toEqual([url, 200]);
      return response;
    };
    const created = await acme.post(`${sent}/v1/orders`, aNewOrder());
    await acme.post(`${sent}/orders`, aNewOrder());
    expect((await follow(created.headers['location'] ?? '')).json()).toEqual(created.body);
    for (const list of ['/v1/orders', '/orders', '/v1/events']) {
      const [, next = ''] =
        /^<(.*)>; rel="next"$/.exec((await acme.get(`${sent}${list}?limit=1`)).headers['link'] ?? '') ?? [];
      await follow(next);
    }
    const document: unknown = (await follow('openapi.json')).json();
    for (const server of listAt(document, 'servers')) await follow(`${textAt(server, 'url')}/orders`);
    await follow(textAt((await acme.get(`${sent}/nothing`)).body, 'type'));
    for (const page of ['', '/', '/docs', '/problems', '/problems/not-found']) {
      const { payload } = page === '' ? await app.inject({ url: `${sent}/`, headers }) : await follow(`.${page}`);
      for (const [, link = ''] of payload.matchAll(/ (?:href|src)="((?!data:)[^"]+)"/g)) await follow(link, page);
    }
    expect(seen.length).toBeGreaterThan(60);
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
  await app.register(ordersHttp, { prefix, domain: aDomain(), authentication, publicBaseUrl: `${BASE_URL}${prefix}` });
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
    await app.register(ordersHttp, { prefix: '/other', domain, authentication, publicBaseUrl: `${BASE_URL}${prefix}` });
    expect((await app.inject({ method: 'POST', url: '/other/orders', payload: aNewOrder() })).statusCode).toBe(201);
    expect((await app.inject('/other/orders')).json()).toMatchObject({ data: [{ status: 'pending' }] });
    const first = await app.inject({ url: `${prefix}/orders`, headers: { 'x-api-key': key } });
    expect(first.json()).toMatchObject({ data: [] });
  });
});
