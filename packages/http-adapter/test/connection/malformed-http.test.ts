import { describe, expect, it } from 'vitest';
import { anApi } from '../fixtures/an-api.ts';
import { aNewOrder } from '../fixtures/new-orders.ts';
import { head, sendBytes } from '../fixtures/raw-http.ts';

const GET = 'GET /v1/orders HTTP/1.1';

describe('an incomplete request', () => {
  it('causes a 408 after an incomplete body, which closes the connection', async () => {
    const http = { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 10 };
    const api = await anApi({ server: { requestTimeout: 50, http } });
    const headers = { 'X-API-Key': api.keys.issue(), 'Content-Type': 'application/json', 'Content-Length': '100' };
    const response = await sendBytes(api, head('POST /v1/orders HTTP/1.1', headers));
    const late = { status: 408, headers: { connection: 'close' }, body: { code: 'request_timeout' } };
    expect(response).toMatchObject(late);
  });
});

describe('a valid request', () => {
  it('may have an unknown expectation, and in HTTP/1.0 no Host', async () => {
    const api = await anApi();
    const key = { 'X-API-Key': api.keys.issue() };
    const old = `GET /v1/orders HTTP/1.0\r\nX-API-Key: ${key['X-API-Key']}\r\n\r\n`;
    for (const bytes of [old, head(GET, { ...key, Expect: 'the best' })])
      expect(await sendBytes(api, bytes)).toMatchObject({ status: 200, body: { data: [] } });
  });
});

describe('a URL', () => {
  const ofBytes = (bytes: number) => `/v1/nothing?${'x'.repeat(bytes - '/v1/nothing?'.length)}`;

  it.each([
    ['8 KiB', undefined, 8192],
    ['what is configured', 50, 50],
  ])('is limited to %s', async (_, urlLimitBytes, most) => {
    const { acme } = await anApi({ urlLimitBytes });
    expect((await acme.get(ofBytes(most))).body).toMatchObject({ code: 'not_found' });
    expect(await acme.get(ofBytes(most + 1))).toMatchObject({ status: 414, body: { code: 'uri_too_long' } });
  });

  it('is rejected for a long id', async () => {
    const { acme } = await anApi();
    const response = await acme.post(`/v1/orders/${'x'.repeat(4000)}/cancel`, aNewOrder());
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_parameter', errors: [{ field: 'id' }] } });
  });
});
