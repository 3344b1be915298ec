import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { textAt } from './json.ts';
import { aNewItem, aNewOrder } from './new-orders.ts';
import { head, sendBytes } from './raw-http.ts';

const url = '/v1/orders';
const PATCH_TYPES = 'application/merge-patch+json, application/json, application/vnd.orders.v1+json';

describe('an unreadable body', () => {
  it.each([
    ['no JSON', '{"items":'],
    ['JSON with a suffix', '{} {}'],
    ['JSON with a comment', '{/* */}'],
    ['a byte order mark', '\ufeff{}'],
    ['white space alone', '  '],
    ['empty', ''],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['a surrogate encoded as UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ])('is rejected as malformed JSON: %s', async (_, payload) => {
    const { acme } = await anApi();
    const order = await acme.place();
    const headers = { 'content-type': 'application/json' };
    for (const to of [{ method: 'POST', url } as const, { method: 'PATCH', url: order.url } as const]) {
      const response = await acme.send({ ...to, headers, payload });
      expect(response).toMatchObject({ status: 400, body: { code: 'malformed_json' } });
    }
  });

  it.each(['POST', 'PATCH'] as const)('is rejected if %s has no body', async (method) => {
    const { acme } = await anApi();
    const order = await acme.place();
    const response = await acme.send({ method, url: method === 'POST' ? url : order.url });
    expect(response).toMatchObject({ status: 400, body: { code: 'malformed_json' } });
  });

  it('is rejected if it is shorter than its Content-Length', async () => {
    const { acme } = await anApi();
    const headers = { 'content-type': 'application/json', 'content-length': '3' };
    const response = await acme.send({ method: 'POST', url, headers, payload: '{}' });
    expect(response).toMatchObject({ status: 400, body: { code: 'malformed_request' } });
  });
});

describe('a readable body', () => {
  it('has the last of two members with the same name', async () => {
    const { acme } = await anApi();
    const payload = `{"note":"first","items":${JSON.stringify([aNewItem()])},"note":"last"}`;
    const response = await acme.send({ method: 'POST', url, headers: { 'content-type': 'application/json' }, payload });
    expect(response).toMatchObject({ status: 201, body: { note: 'last' } });
  });

  it('accepts an integer in every JSON spelling, and nothing else', async () => {
    const { acme } = await anApi();
    const send = (quantity: string) => {
      const payload = JSON.stringify(aNewOrder({ items: [aNewItem({ quantity: 0 })] }));
      const headers = { 'content-type': 'application/json' };
      return acme.send({
        method: 'POST',
        url,
        headers,
        payload: payload.replace('"quantity":0', `"quantity":${quantity}`),
      });
    };
    for (const quantity of ['1e3', '1000.0']) {
      expect(await send(quantity)).toMatchObject({ status: 201, body: { items: [{ quantity: 1000 }] } });
    }
    for (const quantity of ['19.99', '"5"', 'true', '1e400']) {
      expect(await send(quantity)).toMatchObject({ status: 422, body: { errors: [{ field: 'items[0].quantity' }] } });
    }
  });

  it('is ignored on operations without a body', async () => {
    const { acme } = await anApi();
    const order = await acme.place();
    const body = { headers: { 'content-type': 'text/plain' }, payload: 'whatever' };
    expect((await acme.send({ method: 'GET', url, ...body })).status).toBe(200);
    expect((await acme.send({ method: 'DELETE', url: order.url, ...body })).status).toBe(204);
  });
});

describe('the media type of a body', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/problem+json',
    'application/jsonx',
    'nonsense',
    '',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json;x=y;charset=latin1',
  ])('is rejected if it is "%s"', async (type) => {
    const { acme } = await anApi();
    const order = await acme.place();
    const headers = { 'content-type': type };
    const created = await acme.send({ method: 'POST', url, headers, payload: '{}' });
    expect(created).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect(created.headers).not.toHaveProperty('accept-patch');
    const changed = await acme.send({ method: 'PATCH', url: order.url, headers, payload: '{}' });
    expect(changed).toMatchObject({ status: 415, headers: { 'accept-patch': PATCH_TYPES } });
  });

  it('is listed in Accept-Patch for a rejected content coding, too', async () => {
    const { acme } = await anApi();
    const refused = await acme.patch((await acme.place()).url, {}, { 'content-encoding': 'gzip' });
    const headers = { 'accept-encoding': 'identity', 'accept-patch': PATCH_TYPES };
    expect(refused).toMatchObject({ status: 415, headers });
  });

  it('is rejected if it is missing', async () => {
    const { acme } = await anApi();
    const response = await acme.send({ method: 'POST', url, payload: '{}' });
    expect(response).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });

  it('is a merge patch for PATCH alone', async () => {
    const { acme } = await anApi();
    const response = await acme.post(url, aNewOrder(), { 'content-type': 'application/merge-patch+json' });
    expect(response.status).toBe(415);
  });

  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
  ])('is accepted as %s', async (type) => {
    const { acme } = await anApi();
    expect((await acme.post(url, aNewOrder(), { 'content-type': type })).status).toBe(201);
  });
});

describe('the size of a body', () => {
  const ofBytes = (bytes: number): string => {
    const json = JSON.stringify(aNewOrder());
    return json + ' '.repeat(bytes - Buffer.byteLength(json));
  };

  it('is limited as configured, even without a Content-Length', async () => {
    const api = await anApi({ bodyLimitBytes: 500 });
    const sent = { 'X-API-Key': api.keys.issue(), 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const fitting = await sendBytes(api, head('POST /v1/orders HTTP/1.1', sent) + chunked(ofBytes(500)));
    const large = await sendBytes(api, head('POST /v1/orders HTTP/1.1', sent) + chunked(ofBytes(501)));
    expect(fitting.status).toBe(201);
    expect(large.status).toBe(413);
    expect(textAt(large.body, 'code')).toBe('payload_too_large');
  });
});
