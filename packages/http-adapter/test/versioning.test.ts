import { describe, expect, it } from 'vitest';
import type { ApiResponse, Client } from './a-client.ts';
import { anApi } from './an-api.ts';
import { aNewOrder, NO_ORDER } from './new-orders.ts';
import { anApiWithOrders, nextUrl } from './pages.ts';

const V1 = 'application/vnd.orders.v1+json';
const V2 = 'application/vnd.orders.v2+json';
const typeOf = ({ headers }: ApiResponse) => headers['content-type']?.replace(/;.*/, '');

/** Every operation, under `base`. */
const OPERATIONS: readonly [string, (client: Client, base: string, id: string) => Promise<ApiResponse>][] = [
  ['a list', (client, base) => client.get(`${base}/orders`)],
  ['a creation', (client, base) => client.post(`${base}/orders`, aNewOrder())],
  ['a read', (client, base, id) => client.get(`${base}/orders/${id}`)],
  ['a change', (client, base, id) => client.patch(`${base}/orders/${id}`, { note: 'x' })],
  ['the items', (client, base, id) => client.get(`${base}/orders/${id}/items`)],
  ['the versions', (client, base, id) => client.get(`${base}/orders/${id}/versions`)],
  ['a version', (client, base, id) => client.get(`${base}/orders/${id}/versions/1`)],
  ['a cancellation', (client, base, id) => client.post(`${base}/orders/${id}/cancel`)],
  ['a deletion', (client, base, id) => client.delete(`${base}/orders/${id}`)],
  ['a list of customers', (client, base) => client.get(`${base}/customers`)],
  ['a new customer', (client, base) => client.post(`${base}/customers`, { email: 'ada@example.com' })],
  ['a customer', (client, base) => client.get(`${base}/customers/${NO_ORDER}`)],
];

describe('a path without a version', () => {
  it.each(OPERATIONS)('means version 1 for %s', async (_, send) => {
    const responses = [];
    for (const base of ['/v1', '']) {
      const { acme } = await anApi();
      const { status, text, headers } = await send(acme, base, (await acme.place()).id);
      const { date: _date, 'x-request-id': id = '', ...rest } = headers;
      responses.push({ status, text: text.replaceAll(id, ''), headers: rest });
    }
    expect(responses[1]).toEqual(responses[0]);
    expect(responses[0]).toMatchObject({ headers: { 'api-version': '1' } });
  });

  it('is kept in the link to the next page', async () => {
    const { acme } = await anApiWithOrders(2);
    expect(nextUrl(await acme.get('/orders?limit=1'))).toMatch(/^\/orders\?limit=1&after=/);
    expect(nextUrl(await acme.get('/v1/orders?limit=1'))).toMatch(/^\/v1\/orders\?limit=1&after=/);
  });

  it('gets the path with a version in Location', async () => {
    const { acme } = await anApi();
    const order = await acme.post('/orders', aNewOrder());
    const customer = await acme.post('/customers', { email: 'ada@example.com' });
    expect(order.headers['location']).toMatch(/^\/v1\/orders\/[0-9a-f-]{36}$/);
    expect(customer.headers['location']).toMatch(/^\/v1\/customers\/[0-9a-f-]{36}$/);
    expect((await acme.get(customer.headers['location'] ?? '')).text).toBe(customer.text);
  });
});

describe('a version that does not exist', () => {
  it.each(['/v0', '/v2', '/v01', '/v1.0', '/V1', '/v'])('is not found in the path: %s', async (base) => {
    const { acme } = await anApi();
    expect(await acme.get(`${base}/orders`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it.each(['', '/v1'])('is not acceptable to %s/orders in Accept', async (base) => {
    const { acme } = await anApi();
    const response = await acme.get(`${base}/orders`, { accept: V2 });
    expect(response).toMatchObject({ status: 406, body: { code: 'not_acceptable' } });
  });

  it.each(['0', '2', '01', '1.0', 'v1', '', '1, 1', 'latest'])(
    'is an invalid header: API-Version: %s',
    async (version) => {
      const { acme } = await anApi();
      const response = await acme.get('/orders', { 'api-version': version });
      const errors = [{ field: 'API-Version', code: 'invalid_value' }];
      expect(response).toMatchObject({ status: 400, body: { code: 'invalid_header', errors } });
    },
  );

  it('is an unsupported media type of bodies', async () => {
    const { acme } = await anApi();
    const response = await acme.post('/v1/orders', aNewOrder(), { 'content-type': V2 });
    expect(response).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });
});

describe('the version in Accept', () => {
  it.each(['', '/v1'])('is the media type of the response of %s/orders', async (base) => {
    const { acme } = await anApi();
    const headers = { accept: V1 };
    const created = await acme.post(`${base}/orders`, aNewOrder(), headers);
    const url = `${base}/orders/${created.headers['location']?.split('/').at(-1)}`;
    const responses = [
      created,
      await acme.get(`${base}/orders`, headers),
      await acme.get(url, headers),
      await acme.patch(url, {}, headers),
      await acme.get(`${url}/items`, headers),
      await acme.get(`${url}/versions`, headers),
      await acme.get(`${url}/versions/1`, headers),
      await acme.post(`${url}/cancel`, undefined, headers),
    ];
    expect(responses.map(typeOf)).toEqual(responses.map(() => V1));
    expect(responses.map(({ headers: sent }) => sent['api-version'])).toEqual(responses.map(() => '1'));
  });

  it('is independent of the media type of the body', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const types = [V1, V1.toUpperCase(), `${V1}; charset=utf-8`, 'application/json'];
    for (const [index, type] of types.entries()) {
      const sent = { 'content-type': type, accept: V1 };
      const responses = [
        await acme.post('/orders', aNewOrder(), sent),
        await acme.patch(url, { note: type }, sent),
        await acme.post('/customers', { email: `a${index}@example.com` }, sent),
      ];
      expect(responses.map(({ status }) => status)).toEqual([201, 200, 201]);
      expect(responses.map(typeOf)).toEqual(responses.map(() => V1));
    }
  });

  it('is not selected by the media type of the body', async () => {
    const { acme } = await anApi();
    expect(typeOf(await acme.post('/orders', aNewOrder(), { 'content-type': V1 }))).toBe('application/json');
  });
});

describe('two versions', () => {
  it.each([
    ['the path and the header', '/v1/orders', {}],
    ['Accept and the header', '/orders', { accept: V1 }],
    ['the path and Accept and the header', '/v1/orders', { accept: V1 }],
  ])('are rejected when they differ: in %s', async (_, url, headers) => {
    const { acme } = await anApi();
    const response = await acme.get(url, { ...headers, 'api-version': '2' });
    const errors = [{ field: 'API-Version', code: 'invalid_value' }];
    expect(response).toMatchObject({ status: 400, body: { code: 'conflicting_parameters', errors } });
  });

  it.each(['/orders', '/v1/orders'])('are accepted when they are equal: %s', async (url) => {
    const { acme } = await anApi();
    expect((await acme.get(url, { 'api-version': '1' })).status).toBe(200);
    expect(await acme.get(url, { 'api-version': '1', accept: V1 })).toMatchObject({ status: 200 });
  });

  it('are reported together with other faults of the request', async () => {
    const { acme } = await anApi();
    const response = await acme.get('/v1/orders/x?page=1', { 'api-version': '2', 'if-none-match': 'x' });
    expect(response).toMatchObject({ status: 400, body: { code: 'conflicting_parameters' } });
    expect(response.body).toMatchObject({
      errors: [{ field: 'API-Version' }, { field: 'id' }, { field: 'page' }, { field: 'If-None-Match' }],
    });
  });

  it.each(OPERATIONS)('are rejected by %s', async (_, send) => {
    const { acme } = await anApi();
    const { id, url } = await acme.place();
    const versioned: Client = {
      ...acme,
      get: (path) => acme.get(path, { 'api-version': '2' }),
      post: (path, json) => acme.post(path, json, { 'api-version': '2' }),
      patch: (path, json) => acme.patch(path, json, { 'api-version': '2' }),
      delete: (path) => acme.delete(path, { 'api-version': '2' }),
    };
    expect((await send(versioned, '/v1', id)).body).toMatchObject({ code: 'conflicting_parameters' });
    expect((await send(versioned, '', id)).body).toMatchObject({ code: 'invalid_header' });
    expect((await acme.get(url)).body).toMatchObject({ version: 1 });
    expect((await acme.get('/v1/customers')).body).toMatchObject({ data: [] });
  });
});
