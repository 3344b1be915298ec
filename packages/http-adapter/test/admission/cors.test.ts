import { ordersServerOptions } from '@orders/http-adapter';
import { describe, expect, it } from 'vitest';
import type { ApiResponse, Client, Headers } from '../fixtures/a-client.ts';
import { type Api, anApi, BASE_URL, type Wanted } from '../fixtures/an-api.ts';
import { aNewOrder, NO_ORDER } from '../fixtures/new-orders.ts';
import { head, sendBytes } from '../fixtures/raw-http.ts';

const SHOP = 'https://shop.example.com';
const LOCAL = 'http://localhost:5173';
const OPEN: Wanted = {
  corsOrigins: [SHOP, LOCAL],
  server: ordersServerOptions(() => BASE_URL, { corsOrigins: [SHOP, LOCAL] }),
};
const VARY = 'Authorization, X-API-Key, Accept, API-Version';
const EXPOSED =
  'ETag, Location, Link, Idempotent-Replayed, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Request-Id, API-Version, Deprecation, Sunset';
const ALLOWED =
  'Authorization, X-API-Key, Idempotency-Key, If-Match, If-None-Match, Content-Type, Orders-External-User-Id, API-Version, X-Request-Id, traceparent, tracestate';

/** Requests of every kind of response. */
const RESPONSES: readonly [string, number, (api: Api, headers: Headers) => Promise<ApiResponse>][] = [
  ['a read', 200, ({ acme }, headers) => acme.get('/v1/orders', headers)],
  ['a write', 201, ({ acme }, headers) => acme.post('/v1/orders', aNewOrder(), headers)],
  ['a problem', 404, ({ acme }, headers) => acme.get(`/v1/orders/${NO_ORDER}`, headers)],
  ['bad credentials', 401, ({ client }, headers) => client().get('/v1/orders', headers)],
  ['an unknown path', 404, ({ client }, headers) => client().get('/v1/nothing', headers)],
  ['another method', 405, ({ acme }, headers) => acme.send({ method: 'PUT', url: '/v1/orders', headers })],
  ['an unreadable URL', 400, (api, headers) => sendBytes(api, head('GET /%zz HTTP/1.1', flat(headers)))],
];

function flat(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function corsHeadersOf({ headers }: ApiResponse): readonly string[] {
  return Object.keys(headers).filter((name) => name.startsWith('access-control-'));
}

function preflight(client: Client, url: string, headers: Headers): Promise<ApiResponse> {
  return client.send({ method: 'OPTIONS', url, headers: { 'access-control-request-method': 'PATCH', ...headers } });
}
describe('an API without allowed origins', () => {
  it('sends no CORS headers on any response', async () => {
    const api = await anApi();
    for (const [name, status, request] of RESPONSES) {
      const response = await request(api, { origin: SHOP });
      expect([name, response.status, corsHeadersOf(response)]).toEqual([name, status, []]);
      expect(response.headers['vary']).toBe(VARY);
    }
  });
});

describe('a configured origin', () => {
  it.each([SHOP, LOCAL])('may read every response: %s', async (origin) => {
    const api = await anApi(OPEN);
    for (const [name, status, request] of RESPONSES) {
      const response = await request(api, { origin });
      expect({ name, ...response }).toMatchObject({
        name,
        status,
        headers: {
          vary: `${VARY}, Origin`,
          'access-control-allow-origin': origin,
          'access-control-expose-headers': EXPOSED,
        },
      });
      expect(response.headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it.each([
    ['/v1/orders', 'GET, HEAD, OPTIONS, POST'],
    [`/orders/${NO_ORDER}`, 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    ['/docs', 'GET, HEAD, OPTIONS'],
  ])('receives allowed methods and headers from a preflight of %s', async (url, methods) => {
    const response = await preflight((await anApi(OPEN)).client(), url, { origin: SHOP });
    expect(response).toMatchObject({ status: 204, text: '' });
    expect(response.headers).toMatchObject({
      allow: methods,
      'access-control-allow-origin': SHOP,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': ALLOWED,
      'access-control-max-age': '600',
      vary: `${VARY}, Origin`,
    });
    expect(response.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('receives 404 from a preflight of an unknown path', async () => {
    const response = await preflight((await anApi(OPEN)).client(), '/v1/nothing', { origin: SHOP });
    expect(response).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(response.headers).not.toHaveProperty('access-control-allow-methods');
  });
});

describe('any other origin', () => {
  it('receives no CORS headers', async () => {
    const api = await anApi(OPEN);
    const others = ['https://evil.example', `${SHOP}.evil.example`, 'http://shop.example.com', `${SHOP}:8443`];
    for (const origin of [...others, 'HTTPS://SHOP.EXAMPLE.COM', `${SHOP}/`, 'null', ''])
      for (const response of [
        await api.acme.get('/v1/orders', { origin }),
        await preflight(api.client(), '/v1/orders', { origin }),
      ]) {
        expect(response.status).toBeLessThan(300);
        expect([origin, corsHeadersOf(response)]).toEqual([origin, []]);
        expect(response.headers['vary']).toBe(`${VARY}, Origin`);
      }
  });
});

describe('an invalid allowed origin', () => {
  it.each(['*', 'null', 'shop.example.com', `${SHOP}/`, 'https://Shop.example.com'])(
    'is rejected at registration: %s',
    async (origin) => {
      await expect(anApi({ corsOrigins: [SHOP, origin] })).rejects.toThrow(
        `corsOrigins must be origins such as https://shop.example.com, got "${origin}"`,
      );
    },
  );
});
