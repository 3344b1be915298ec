import { describe, expect, it } from 'vitest';
import { anApi } from '../fixtures/an-api.ts';
import { NO_ORDER } from '../fixtures/new-orders.ts';
import { head, sendBytes } from '../fixtures/raw-http.ts';

describe('a known path', () => {
  it.each([
    ['in absolute form', 'http://orders.test/v1/orders'],
    ['with percent encoding', '/v1/%6frders'],
    ['with the id in percent encoding', `/v1/orders/${NO_ORDER.replace('0', '%30')}/items`],
  ])('is the same path %s, for supported and other methods', async (_, url) => {
    const api = await anApi();
    const headers = { 'X-API-Key': api.keys.issue() };
    const options = await sendBytes(api, head(`OPTIONS ${url} HTTP/1.1`));
    expect(options).toMatchObject({ status: 204 });
    expect(await sendBytes(api, head(`PUT ${url} HTTP/1.1`, headers))).toMatchObject({ status: 405 });
    const got = await sendBytes(api, head(`GET ${url} HTTP/1.1`, headers));
    expect(got.body).not.toMatchObject({ code: 'not_found' });
  });
});

describe('the target *', () => {
  it('returns the methods of the server for OPTIONS', async () => {
    const api = await anApi();
    const response = await sendBytes(api, head('OPTIONS * HTTP/1.1'));
    expect(response).toMatchObject({
      status: 204,
      text: '',
      headers: { allow: 'DELETE, GET, HEAD, OPTIONS, PATCH, POST', 'cache-control': 'no-store', 'api-version': '1' },
    });
  });
});

describe('an unknown path', () => {
  it('is a 404 for every method', async () => {
    const { client } = await anApi();
    const others = [
      '/',
      '/v1',
      '/v2/orders',
      '/v1/order',
      '/v1/orders/x/y',
      '/V1/orders',
      '/v1/orders/',
      '/orders/?limit=1',
      `/v1/orders/${NO_ORDER}/`,
      `/v1/orders/${NO_ORDER}/items/`,
      `/v1/orders/${NO_ORDER}/fulfillments//cancel`,
      '/v1/customers//data',
    ];
    for (const url of others)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
        const response = await client().send({ method, url });
        expect(response).toMatchObject({ status: 404, body: { code: 'not_found' } });
        expect(response.headers).not.toHaveProperty('allow');
      }
  });
});
