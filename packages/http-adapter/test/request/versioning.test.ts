import { describe, expect, it } from 'vitest';
import type { ApiResponse } from '../fixtures/a-client.ts';
import { anApi } from '../fixtures/an-api.ts';
import { aNewOrder } from '../fixtures/new-orders.ts';

const V1 = 'application/vnd.orders.v1+json';
const typeOf = ({ headers }: ApiResponse) => headers['content-type']?.replace(/;.*/, '');

describe('a path without a version', () => {
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
  it('is not found in the path, and invalid in the header', async () => {
    const { acme } = await anApi();
    for (const base of ['/v0', '/v2', '/v01', '/v1.0', '/V1', '/v'])
      expect(await acme.get(`${base}/orders`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const errors = [{ field: 'API-Version', code: 'invalid_value' }];
    for (const version of ['0', '2', '01', '1.0', 'v1', '', '1, 1', 'latest']) {
      const response = await acme.get('/orders', { 'api-version': version });
      expect(response).toMatchObject({ status: 400, body: { code: 'invalid_header', errors } });
    }
  });
});

describe('the version in Accept', () => {
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
});
