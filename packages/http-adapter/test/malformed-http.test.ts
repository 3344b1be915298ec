import { describe, expect, it } from 'vitest';
import type { ApiResponse } from './a-client.ts';
import { anApi, BASE_URL } from './an-api.ts';
import { at } from './json.ts';
import { aNewOrder } from './new-orders.ts';
import { head, sendBytes } from './raw-http.ts';

const GET = 'GET /v1/orders HTTP/1.1';
const POST = 'POST /v1/orders HTTP/1.1';
/** Transfer codings other than exactly `chunked`. Sent twice, a header is one list (RFC 9110 section 5.3). */
const CODINGS = [
  'gzip',
  'gzip, chunked',
  'x,chunked',
  'chunked, gzip',
  'chunked, chunked',
  'chunked,',
  'chunked;q=1',
  'xchunked',
  '',
  'gzip\r\nTransfer-Encoding: chunked',
  'chunked\r\nTransfer-Encoding: chunked',
];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){4}[0-9a-f]{8}$/;

/** The relevant parts of a response to malformed HTTP. */
function inShort({ status, headers, text, body }: ApiResponse) {
  const { connection, date = '', 'content-type': contentType, 'content-length': length, 'x-request-id': id } = headers;
  const { code, type, request_id } = {
    code: at(body, 'code'),
    type: at(body, 'type'),
    request_id: at(body, 'request_id'),
  };
  const whole = length === `${Buffer.byteLength(text)}`;
  const named = id === request_id && UUID.test(id ?? '');
  return { status, code, type, contentType, connection, whole, named, dated: !Number.isNaN(Date.parse(date)) };
}

/** Expects a complete problem with a new request id, after which the server closes the connection. */
function aProblem(status: number, code: string) {
  const type = `${BASE_URL}/problems/${code.replaceAll('_', '-')}`;
  const contentType = 'application/problem+json';
  return { status, code, type, contentType, connection: 'close', whole: true, named: true, dated: true };
}

describe('bytes that are not HTTP', () => {
  it.each([
    ['words', 'nonsense\r\n\r\n'],
    ['the start of TLS', '\x16\x03\x01\x02\x00\x01\x00'],
    ['an unknown method', head('FROB /v1/orders HTTP/1.1')],
    ['another version', head('GET /v1/orders HTTP/9.9')],
    ['non-ASCII bytes in the URL', head('GET /v1/\xc3\xa9 HTTP/1.1')],
    ['a NUL in a header', head(GET, { 'X-Other': 'a\0b' })],
    ['two lengths', `${head('POST /v1/orders HTTP/1.1').slice(0, -2)}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`],
    [
      'a length and chunks',
      head('POST /v1/orders HTTP/1.1', { 'Content-Length': '5', 'Transfer-Encoding': 'chunked' }),
    ],
    ...CODINGS.map((coding) => [coding, `${head(POST, { 'Transfer-Encoding': coding })}0\r\n\r\n`]),
  ])('cause a 400: %s', async (_, bytes) => {
    expect(inShort(await sendBytes(await anApi(), bytes))).toEqual(aProblem(400, 'malformed_request'));
  });

  it('cause a 431 for endless headers', async () => {
    const response = await sendBytes(await anApi(), head(GET, { 'X-Filler': 'x'.repeat(20_000) }));
    expect(inShort(response)).toEqual(aProblem(431, 'headers_too_large'));
  });

  it('cause a 431 for an endless URL', async () => {
    const response = await sendBytes(await anApi(), head(`GET /v1/orders?${'x'.repeat(20_000)} HTTP/1.1`));
    expect(inShort(response)).toEqual(aProblem(431, 'headers_too_large'));
  });
});

describe('an incomplete request', () => {
  const server = {
    requestTimeout: 50,
    http: { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 10 },
  };

  it('causes a 408 after incomplete headers', async () => {
    expect(inShort(await sendBytes(await anApi({ server }), `${GET}\r\nHost: a\r\n`))).toEqual(
      aProblem(408, 'request_timeout'),
    );
  });

  it('causes a 408 after an incomplete body', async () => {
    const api = await anApi({ server });
    const headers = { 'X-API-Key': api.keys.issue(), 'Content-Type': 'application/json', 'Content-Length': '100' };
    expect(inShort(await sendBytes(api, head('POST /v1/orders HTTP/1.1', headers)))).toEqual(
      aProblem(408, 'request_timeout'),
    );
  });
});

describe('the Host header', () => {
  it('is required by HTTP/1.1', async () => {
    const response = await sendBytes(await anApi(), `${GET}\r\nConnection: close\r\n\r\n`);
    expect(inShort(response)).toEqual(aProblem(400, 'malformed_request'));
  });

  it('is rejected if it is sent twice', async () => {
    const response = await sendBytes(await anApi(), head(`${GET}\r\nHost: other.test`));
    expect(inShort(response)).toEqual(aProblem(400, 'malformed_request'));
  });

  it('may be missing in HTTP/1.0', async () => {
    const api = await anApi();
    const response = await sendBytes(api, `GET /v1/orders HTTP/1.0\r\nX-API-Key: ${api.keys.issue()}\r\n\r\n`);
    expect(response).toMatchObject({ status: 200, body: { data: [] } });
  });
});

describe('an expectation', () => {
  it('is ignored if it is unknown', async () => {
    const api = await anApi();
    const response = await sendBytes(api, head(GET, { 'X-API-Key': api.keys.issue(), Expect: 'the best' }));
    expect(response).toMatchObject({ status: 200, body: { data: [] } });
  });
});

describe('a path with malformed percent encoding', () => {
  it.each(['/v1/orders/%zz', '/v1/orders/%', '/v1/orders/%ff', '/%c0%80'])('causes a 400: %s', async (url) => {
    const response = await sendBytes(await anApi(), head(`GET ${url} HTTP/1.1`));
    expect(inShort(response)).toEqual(aProblem(400, 'malformed_request'));
  });
});

describe('a URL', () => {
  const ofBytes = (bytes: number) => `/v1/nothing?${'x'.repeat(bytes - '/v1/nothing?'.length)}`;

  it('is limited to 8 KiB', async () => {
    const { acme } = await anApi();
    expect((await acme.get(ofBytes(8192))).body).toMatchObject({ code: 'not_found' });
    expect(await acme.get(ofBytes(8193))).toMatchObject({ status: 414, body: { code: 'uri_too_long' } });
  });

  it('is limited as configured', async () => {
    const { acme } = await anApi({ urlLimitBytes: 50 });
    expect((await acme.get(ofBytes(50))).body).toMatchObject({ code: 'not_found' });
    expect((await acme.get(ofBytes(51))).body).toMatchObject({ code: 'uri_too_long' });
  });

  it('is rejected for a long id', async () => {
    const { acme } = await anApi();
    const response = await acme.post(`/v1/orders/${'x'.repeat(4000)}/cancel`, aNewOrder());
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_parameter', errors: [{ field: 'id' }] } });
  });
});
