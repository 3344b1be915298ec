import { ordersServerOptions } from '@orders/http-adapter';
import { describe, expect, it } from 'vitest';
import type { Answer, Client, Headers } from './a-client.ts';
import { type Api, anApi, BASE_URL, type Wanted } from './an-api.ts';
import { aNewOrder, NO_ORDER } from './new-orders.ts';
import { head, sendBytes } from './raw-http.ts';

const SHOP = 'https://shop.example.com';
const LOCAL = 'http://localhost:5173';
const OPEN: Wanted = {
  corsOrigins: [SHOP, LOCAL],
  server: ordersServerOptions(() => BASE_URL, [SHOP, LOCAL]),
};
const VARY = 'Authorization, X-API-Key, Accept, API-Version';
const EXPOSED =
  'ETag, Location, Link, Idempotent-Replayed, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Request-Id, API-Version, Deprecation, Sunset';
const ALLOWED =
  'Authorization, X-API-Key, Idempotency-Key, If-Match, If-None-Match, Content-Type, API-Version, X-Request-Id, traceparent, tracestate';

/** Every kind of answer. */
const ANSWERS: readonly [string, number, (api: Api, headers: Headers) => Promise<Answer>][] = [
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

function corsHeadersOf({ headers }: Answer): readonly string[] {
  return Object.keys(headers).filter((name) => name.startsWith('access-control-'));
}

function preflight(client: Client, url: string, headers: Headers): Promise<Answer> {
  return client.send({ method: 'OPTIONS', url, headers: { 'access-control-request-method': 'PATCH', ...headers } });
}

describe('without origins', () => {
  it.each(ANSWERS)('%s says nothing of other origins', async (_, status, ask) => {
    const answer = await ask(await anApi(), { origin: SHOP });
    expect(answer.status).toBe(status);
    expect(corsHeadersOf(answer)).toEqual([]);
    expect(answer.headers['vary']).toBe(VARY);
  });

  it('a preflight is a question like any other', async () => {
    const answer = await preflight((await anApi()).client(), '/v1/orders', { origin: SHOP });
    expect(answer).toMatchObject({ status: 204, headers: { allow: 'GET, HEAD, OPTIONS, POST' } });
    expect(corsHeadersOf(answer)).toEqual([]);
  });
});

describe('a configured origin', () => {
  it.each(ANSWERS)('may read %s', async (_, status, ask) => {
    for (const origin of [SHOP, LOCAL]) {
      const answer = await ask(await anApi(OPEN), { origin });
      expect(answer.status).toBe(status);
      expect(answer.headers).toMatchObject({
        vary: `${VARY}, Origin`,
        'access-control-allow-origin': origin,
        'access-control-expose-headers': EXPOSED,
      });
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it.each([
    ['/v1/orders', 'GET, HEAD, OPTIONS, POST'],
    [`/orders/${NO_ORDER}`, 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    [`/v1/orders/${NO_ORDER}/cancel`, 'OPTIONS, POST'],
    ['/docs', 'GET, HEAD, OPTIONS'],
  ])('is told by a preflight what it may send to %s', async (url, methods) => {
    const answer = await preflight((await anApi(OPEN)).client(), url, { origin: SHOP });
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(answer.headers).toMatchObject({
      allow: methods,
      'access-control-allow-origin': SHOP,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': ALLOWED,
      'access-control-max-age': '600',
      vary: `${VARY}, Origin`,
    });
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('gets no further with an unknown path', async () => {
    const answer = await preflight((await anApi(OPEN)).client(), '/v1/nothing', { origin: SHOP });
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(answer.headers).not.toHaveProperty('access-control-allow-methods');
  });
});

describe('any other origin', () => {
  const others = [
    'https://evil.example',
    'https://shop.example.com.evil.example',
    'http://shop.example.com',
    `${SHOP}:8443`,
    'HTTPS://SHOP.EXAMPLE.COM',
    `${SHOP}/`,
    'null',
    '',
  ];

  it.each(others)('gets nothing: %s', async (origin) => {
    const api = await anApi(OPEN);
    for (const answer of [
      await api.acme.get('/v1/orders', { origin }),
      await preflight(api.client(), '/v1/orders', { origin }),
    ]) {
      expect(answer.status).toBeLessThan(300);
      expect(corsHeadersOf(answer)).toEqual([]);
      expect(answer.headers['vary']).toBe(`${VARY}, Origin`);
    }
  });

  it('is none at all: OPTIONS without one names the methods as before', async () => {
    const { client } = await anApi(OPEN);
    const answer = await client().send({ method: 'OPTIONS', url: '/v1/orders' });
    expect(answer).toMatchObject({ status: 204, headers: { allow: 'GET, HEAD, OPTIONS, POST' } });
    expect(corsHeadersOf(answer)).toEqual([]);
  });
});

describe('what is no origin', () => {
  it.each([
    '*',
    'null',
    'shop.example.com',
    `${SHOP}/`,
    `${SHOP}/a`,
    `${SHOP}:443`,
    'https://Shop.example.com',
    'ws://a',
  ])('is refused at the start: %s', async (origin) => {
    await expect(anApi({ corsOrigins: [SHOP, origin] })).rejects.toThrow(
      `corsOrigins must be origins such as https://shop.example.com, got "${origin}"`,
    );
  });
});
