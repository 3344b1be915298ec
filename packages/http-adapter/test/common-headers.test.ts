import { describe, expect, it } from 'vitest';
import type { ApiResponse, Client } from './a-client.ts';
import { type Api, anApi } from './an-api.ts';
import { at } from './json.ts';
import { aNewOrder } from './new-orders.ts';
import { PROVOCATIONS } from './provocations.ts';
import { head, sendBytes } from './raw-http.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Requests of every kind of success, with the expected Cache-Control. */
const SUCCESSES: readonly [string, string, (client: Client, url: string) => Promise<ApiResponse>][] = [
  ['a list', 'no-store', (client) => client.get('/v1/orders')],
  ['a list of items', 'no-store', (client, url) => client.get(`${url}/items`)],
  ['a list of versions', 'no-store', (client, url) => client.get(`${url}/versions`)],
  ['a version', 'no-store', (client, url) => client.get(`${url}/versions/1`)],
  ['the HEAD of a list', 'no-store', (client) => client.head('/v1/orders')],
  ['a read', 'private, no-cache', (client, url) => client.get(url)],
  ['a HEAD', 'private, no-cache', (client, url) => client.head(url)],
  ['a read that is not modified', 'private, no-cache', (client, url) => client.get(url, { 'if-none-match': '*' })],
  ['a creation', 'no-store', (client) => client.post('/v1/orders', aNewOrder())],
  ['a replay', 'no-store', (client) => client.post('/v1/orders', aNewOrder(), { 'idempotency-key': 'used' })],
  ['a change', 'no-store', (client, url) => client.patch(url, { note: 'x' })],
  ['a change without effect', 'no-store', (client, url) => client.patch(url, {})],
  ['a cancellation', 'no-store', (client, url) => client.post(`${url}/cancel`)],
  ['a deletion', 'no-store', (client, url) => client.delete(url)],
  ['an OPTIONS request', 'no-store', (client, url) => client.send({ method: 'OPTIONS', url })],
];

const COMMON = {
  'api-version': '1',
  vary: 'Authorization, X-API-Key, Accept, API-Version',
  'x-content-type-options': 'nosniff',
};

describe('the common headers of responses', () => {
  it.each(SUCCESSES)('are on %s, with Cache-Control: %s', async (_, cacheControl, request) => {
    const { acme } = await anApi();
    const { url } = await acme.place({}, { 'idempotency-key': 'used' });
    const { status, headers } = await request(acme, url);
    expect(status).toBeLessThan(400);
    expect(headers).toMatchObject({ ...COMMON, 'cache-control': cacheControl });
    expect(headers['x-request-id']).toMatch(UUID);
  });

  it.each(Object.entries(PROVOCATIONS))(
    'are on the problem %s, with Cache-Control: no-store',
    async (_, { provoke, wanted }) => {
      const { status, headers } = await provoke(await anApi(wanted));
      expect(status).toBeGreaterThanOrEqual(400);
      expect(headers).toMatchObject({ ...COMMON, 'cache-control': 'no-store' });
      expect(headers['x-request-id']).toMatch(UUID);
    },
  );
});

describe('X-Request-Id', () => {
  const responses: readonly [string, (api: Api, headers: Readonly<Record<string, string>>) => Promise<ApiResponse>][] =
    [
      ['a success', ({ acme }, headers) => acme.get('/v1/orders', headers)],
      ['an unknown path', ({ acme }, headers) => acme.get('/v1/nothing', headers)],
      ['bad credentials', ({ client }, headers) => client().get('/v1/orders', headers)],
      ['a bad parameter', ({ acme }, headers) => acme.get('/v1/orders?limit=0', headers)],
      ['an unreadable URL', (api, headers) => sendBytes(api, head('GET /%zz HTTP/1.1', headers))],
      ['an OPTIONS request', ({ client }, headers) => client().send({ method: 'OPTIONS', url: '/v1/orders', headers })],
    ];

  it.each(responses)('is returned on %s if it is well-formed', async (_, request) => {
    const api = await anApi();
    for (const id of ['a', 'A-1_b.c', '0'.repeat(128)]) {
      const { headers, body } = await request(api, { 'x-request-id': id });
      expect(headers['x-request-id']).toBe(id);
      expect([id, undefined]).toContain(at(body, 'request_id'));
    }
  });

  it.each(responses)('is replaced on %s if it is malformed', async (_, request) => {
    const api = await anApi();
    const ids = [];
    for (const id of ['', '0'.repeat(129), 'a b', 'a,b', 'a/b', '{}', 'a"b']) {
      ids.push((await request(api, { 'x-request-id': id })).headers['x-request-id'] ?? '');
    }
    expect(ids.filter((id) => !UUID.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is replaced if it is sent twice', async () => {
    const { acme } = await anApi();
    const { headers } = await acme.get('/v1/orders', { 'x-request-id': ['a', 'a'] });
    expect(headers['x-request-id']).toMatch(UUID);
  });
});

describe('a route of the host application', () => {
  it('keeps its own headers', async () => {
    const { app, client } = await anApi();
    app.get('/beside', () => ({ fine: true }));
    const { status, headers } = await client().get('/beside');
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('api-version');
    expect(headers).not.toHaveProperty('cache-control');
  });
});
