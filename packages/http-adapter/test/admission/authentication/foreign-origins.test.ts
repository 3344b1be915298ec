import { apiKeys, authenticateBy, type Principal } from '@orders/http-adapter';
import { describe, expect, it } from 'vitest';
import type { Headers } from '../../fixtures/a-client.ts';
import { anApi, BASE_URL } from '../../fixtures/an-api.ts';
import { inMemoryApiKeys } from '../../fixtures/in-memory-api-keys.ts';
import { aNewOrder, NO_ORDER } from '../../fixtures/new-orders.ts';

const ORDERS = '/v1/orders';
const EVIL = 'https://evil.example';
const SHOP = 'https://shop.example.com';
const JSON_TYPE = { 'content-type': 'application/json' };

const NOT_ALLOWED = { status: 403, body: { code: 'origin_not_allowed' } };

/** Creates a client that has placed an order, and whose credentials a browser adds automatically. */
async function aShop(corsOrigins?: readonly string[]) {
  const keys = inMemoryApiKeys();
  const authentication = { ...authenticateBy(apiKeys(keys)), isAmbient: () => true };
  const { client } = await anApi({ authentication, corsOrigins });
  const shop = client(keys.issue());
  const { url } = await shop.place();
  const send = (method: 'POST' | 'PATCH' | 'DELETE', path: string, headers: Headers, payload?: string, sender = shop) =>
    sender.send({ method, url: path, headers, ...(payload !== undefined && { payload }) });
  return { client, shop, send, url };
}

describe('a write with ambient credentials', () => {
  it('is rejected from other sites with every method, and from a form', async () => {
    const { shop, send, url } = await aShop();
    for (const origin of [
      EVIL,
      'null',
      '',
      'http://api.example.test',
      `${BASE_URL}:8443`,
      `${BASE_URL}, ${EVIL}`,
      SHOP,
    ]) {
      expect(await send('POST', `${url}/cancel`, { origin })).toMatchObject(NOT_ALLOWED);
    }
    for (const origin of [`${BASE_URL}.evil.example`, BASE_URL.toUpperCase()]) {
      const sent = { ...JSON_TYPE, origin };
      expect(await send('PATCH', url, sent, '{"status":"paid"}')).toMatchObject(NOT_ALLOWED);
      expect(await send('DELETE', url, { origin })).toMatchObject(NOT_ALLOWED);
      expect(await send('POST', ORDERS, sent, JSON.stringify(aNewOrder()))).toMatchObject(NOT_ALLOWED);
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded', origin: EVIL, 'content-length': '0' };
    const uncached = { ...NOT_ALLOWED, headers: { 'cache-control': 'no-store' } };
    expect(await send('POST', `${url}/cancel`, form)).toMatchObject(uncached);
    expect((await shop.get(url)).body).toMatchObject({ status: 'pending', version: 1 });
  });

  it('is rejected or accepted by what the browser states', async () => {
    const { send, url } = await aShop([SHOP]);
    for (const [headers, status] of [
      [{ 'sec-fetch-site': 'cross-site' }, 403],
      [{ 'sec-fetch-site': 'same-site' }, 403],
      [{ 'sec-fetch-site': 'same-origin' }, 200],
      [{ 'sec-fetch-site': 'none' }, 200],
      [{ 'sec-fetch-site': 'same-origin', origin: EVIL }, 403],
      [{ 'sec-fetch-site': 'cross-site', origin: SHOP }, 200],
      [{ 'sec-fetch-site': 'same-origin', origin: BASE_URL }, 200],
      [{ origin: BASE_URL }, 200],
      [{ origin: SHOP }, 200],
      [{}, 200],
    ] as const)
      expect([headers, (await send('PATCH', url, { ...JSON_TYPE, ...headers }, '{}')).status]).toEqual([
        headers,
        status,
      ]);
  });

  it('is rejected with 401 before its origin is checked', async () => {
    const { client, send, url } = await aShop();
    expect((await send('POST', `${url}/cancel`, { origin: EVIL }, undefined, client())).status).toBe(401);
  });
});

describe('a write with a custom authentication', () => {
  const principal = { owner: 'ada', scopes: ['orders:read', 'orders:write'] };
  const securitySchemes = { Session: { type: 'apiKey', in: 'cookie', name: 'session' } };
  const authenticate = (): Principal => principal;

  it.each([
    ['a cookie', undefined, { cookie: 'session=ada' }, 403],
    ['no cookie', undefined, { 'x-session': 'ada' }, 404],
    ['a cookie and a token', undefined, { cookie: 'a=b', authorization: 'Bearer x' }, 404],
    ['a cookie and an API key', undefined, { cookie: 'a=b', 'x-api-key': 'x' }, 404],
    ['a cookie and a password', undefined, { cookie: 'a=b', authorization: 'Basic x' }, 403],
    ['a password that the browser stores', undefined, { authorization: 'basic x' }, 403],
    ['a ticket that the browser gets', undefined, { authorization: 'Negotiate x' }, 403],
    ['a cookie that is not a credential', (): boolean => false, { cookie: 'a=b' }, 404],
    ['a credential that is declared ambient', (): boolean => true, { authorization: 'Basic x' }, 403],
  ] as const)('is accepted or rejected by its credential: %s', async (_, isAmbient, headers, status) => {
    const { client } = await anApi({ authentication: { authenticate, securitySchemes, isAmbient } });
    const sent = { ...headers, origin: EVIL };
    expect((await client().post(`${ORDERS}/${NO_ORDER}/cancel`, undefined, sent)).status).toBe(status);
    expect((await client().get(ORDERS, sent)).status).toBe(200);
  });

  it('does not count against the rate limit of its owner if its origin is rejected', async () => {
    const { client } = await anApi({ authentication: { authenticate, securitySchemes }, rateLimits: { write: 1 } });
    const cancel = (origin: string) =>
      client().post(`${ORDERS}/${NO_ORDER}/cancel`, undefined, { cookie: 'session=ada', origin });
    const rejected = await cancel(EVIL);
    expect(rejected).toMatchObject(NOT_ALLOWED);
    expect(rejected.headers).not.toHaveProperty('ratelimit');
    expect((await cancel(BASE_URL)).status).toBe(404);
  });

  it('is rejected with a challenge if tokens are accepted', async () => {
    const authentication = {
      authenticate,
      securitySchemes,
      challenge: () => 'Bearer realm="shop"',
      scopeChallenge: () => 'Bearer realm="shop", error="insufficient_scope"',
    };
    const { client } = await anApi({ authentication });
    const headers = { cookie: 'session=ada', origin: EVIL };
    const { headers: sent } = await client().post(`${ORDERS}/${NO_ORDER}/cancel`, undefined, headers);
    expect(sent['www-authenticate']).toBe('Bearer realm="shop"');
  });

  it.each([
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['text/plain', 415],
    ['application/json', 404],
    [undefined, 404],
  ])(
    'without a body means nothing by its media type %s beside a key, and otherwise returns %i',
    async (type, status) => {
      const { acme } = await anApi();
      const { url } = await acme.place();
      const { client } = await anApi({ authentication: { authenticate, securitySchemes } });
      for (const length of [{}, { 'content-length': '0' }]) {
        const headers = { ...(type !== undefined && { 'content-type': type }), ...length };
        const response = await acme.send({ method: 'POST', url: `${url}/cancel`, headers });
        // The order is already cancelled at the second request.
        expect([200, 409]).toContain(response.status);
        const ofSession = { ...headers, cookie: 'session=ada' };
        expect((await client().post(`${ORDERS}/${NO_ORDER}/cancel`, undefined, ofSession)).status).toBe(status);
      }
    },
  );
});
