import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { aClient, type ApiResponse } from '../fixtures/a-client.ts';
import { anApi } from '../fixtures/an-api.ts';
import { isRecord, listAt } from '../fixtures/json.ts';
import { NO_ORDER } from '../fixtures/new-orders.ts';
import { checkOf } from './conformance.ts';
import { head, sendBytes } from '../fixtures/raw-http.ts';

const check = checkOf({});

/** Returns `response` with another body, and some other headers. */
function withBody(response: ApiResponse, change: Readonly<Record<string, unknown>>): ApiResponse {
  return { ...response, body: { ...(isRecord(response.body) && response.body), ...change } };
}

function withHeaders(response: ApiResponse, change: Readonly<Record<string, string>>): ApiResponse {
  return { ...response, headers: { ...response.headers, ...change } };
}

function withoutHeader({ headers, ...response }: ApiResponse, name: string): ApiResponse {
  return { ...response, headers: Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name)) };
}

function item(order: ApiResponse): object {
  const [first] = listAt(order.body, 'items');
  return isRecord(first) ? first : {};
}

const OF_A_READ: readonly (readonly [string, string, (response: ApiResponse) => ApiResponse])[] = [
  ['a status', 'the status 418 is not documented', (response) => ({ ...response, status: 418 })],
  ['a header', 'the header x-other is not documented', (response) => withHeaders(response, { 'x-other': '1' })],
  ['the value of a header', 'the header ETag: it must match', (response) => withHeaders(response, { etag: 'W/"1"' })],
  [
    'a cache',
    'the header Cache-Control: it must be',
    (response) => withHeaders(response, { 'cache-control': 'public' }),
  ],
  ['a header that is missing', 'the header ETag is missing', (response) => withoutHeader(response, 'etag')],
  ['a media type', '"text/html"', (response) => withHeaders(response, { 'content-type': 'text/html' })],
  ['a member', '"secret"', (response) => withBody(response, { secret: 1 })],
  [
    'a member deep inside',
    '/items/0 must NOT have unevaluated properties',
    (response) => withBody(response, { items: [{ ...item(response), secret: 1 }] }),
  ],
  ['a member that is missing', '"total"', (response) => withBody(response, { total: undefined })],
  ['a type', '/version must be integer', (response) => withBody(response, { version: '1' })],
  ['a value', '/status must be', (response) => withBody(response, { status: 'lost' })],
  ['a time', '/created_at must match', (response) => withBody(response, { created_at: '2026-01-02T03:04:05Z' })],
  ['no body', 'must be object', (response) => ({ ...response, text: '', body: undefined })],
];

const OF_A_PROBLEM: readonly (readonly [string, string, (response: ApiResponse) => ApiResponse])[] = [
  ['a member', '"secret"', (response) => withBody(response, { secret: 1 })],
  ['a code of another operation', '/code must be', (response) => withBody(response, { code: 'email_taken' })],
  ['a status in the body', '/status must be', (response) => withBody(response, { status: 400 })],
  ['a media type', '"application/json"', (response) => withHeaders(response, { 'content-type': 'application/json' })],
];

/** Returns the differences of a response as one text. */
async function faults(change: (response: ApiResponse) => ApiResponse, id?: string): Promise<string> {
  const { acme } = await anApi();
  const url = id === undefined ? (await acme.place()).url : `/v1/orders/${id}`;
  const response = change(await acme.get(url));
  return check({ method: 'GET', url }, response).join('\n');
}

describe('a response that differs from the document is detected by', () => {
  it.each(OF_A_READ)('%s', async (_, fault, change) => {
    expect(await faults((response) => response)).toBe('');
    expect(await faults(change)).toContain(fault);
  });

  it.each(OF_A_PROBLEM)('%s of a problem', async (_, fault, change) => {
    expect(await faults((response) => response, NO_ORDER)).toBe('');
    expect(await faults(change, NO_ORDER)).toContain(fault);
  });

  it('a body where none is documented', async () => {
    const { acme } = await anApi();
    const { url } = await acme.place();
    const response = await acme.head(url);
    expect(check({ method: 'HEAD', url }, { ...response, text: '{}' })).toEqual(['a body is not documented']);
  });

  it('an accepted body that the document forbids', async () => {
    const { acme } = await anApi();
    const { response } = await acme.place();
    const request = { method: 'POST', url: '/v1/orders', payload: JSON.stringify({ items: [], shop: 1 }) };
    const found = check(request, response).join('\n');
    expect(found).toContain('the accepted body: /items must NOT have fewer than 1 items');
    expect(found).toContain('"shop"');
    expect(check({ ...request, payload: '' }, response)).toEqual([]);
  });

  it('its operation, in every spelling of the path', async () => {
    const { acme } = await anApi();
    const response = await acme.get('/v1/orders');
    for (const url of ['/v1/orders', '/orders?limit=1', '/v1/%6frders', 'http://orders.test/v1/orders']) {
      expect(check({ method: 'GET', url }, { ...response, status: 418 })).toHaveLength(1);
    }
    expect(check({ method: 'GET', url: '/v1/carts' }, response)).toEqual(['the document has no such operation']);
  });

  it.each([
    ['unknown paths', 'GET', '/v1/nothing'],
    ['other methods', 'PUT', '/v1/orders'],
  ] as const)('a problem of %s', async (_, method, url) => {
    const { acme } = await anApi();
    const response = await acme.send({ method, url });
    expect(check({ method, url }, withBody(response, { secret: 1 })).join()).toContain('"secret"');
    expect(check({ method, url }, withoutHeader(response, 'vary'))).toEqual(['the header Vary is missing']);
    const html = withHeaders(response, { 'content-type': 'text/html' });
    expect(check({ method, url }, html)).toEqual(['the media type "text/html" is not that of a problem']);
    expect(check(undefined, html)).toHaveLength(1);
  });
});

describe('a test', () => {
  it('fails when its client, or its connection, gets such a response', async () => {
    const app = fastify();
    app.get('/v1/orders', () => ({ data: [] }));
    const problem = /GET \/v1\/orders returned 200, which differs from the document:\n.*API-Version is missing/s;
    await expect(aClient(app, undefined, check).get('/v1/orders')).rejects.toThrow(problem);
    await expect(sendBytes({ app, check }, head('GET /v1/orders HTTP/1.1'))).rejects.toThrow(problem);
    await app.close();
  });
});
