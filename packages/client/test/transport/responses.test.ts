import { inspect } from 'node:util';
import type { IncomingHttpHeaders } from 'node:http';
import { PAGE_JSON_BYTES_MAX } from '@orders/domain';
import { createOrdersClient } from '@orders/client';
import { describe, expect, it } from 'vitest';
import { aHandWrittenServer, aServer } from '../servers/a-server.ts';
import { bare, NO_ID, take, TEA } from '../doors/doors.ts';

const NEW = { items: [TEA] };
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const SECRET = 'ord_secret-that-nobody-may-see';

/** Starts a server that sends one response to every request, and keeps the requests. */
async function aServerWith(status: number, body: string, headers: Record<string, string> = {}) {
  const requests: { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const { baseUrl } = await aHandWrittenServer((request, response, sent) => {
    requests.push({ url: request.url ?? '', headers: request.headers, body: sent });
    response.writeHead(status, headers).end(body);
  });
  return { orders: createOrdersClient({ baseUrl, credentials: { apiKey: SECRET }, retries: 0 }), requests, baseUrl };
}

describe('a request', () => {
  it('has the version, the credentials and the name of the client', async () => {
    const { orders, requests } = await aServerWith(201, '{}');
    await orders.place(NEW);
    expect(requests[0]?.url).toBe('/v1/orders');
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual(NEW);
    expect(requests[0]?.headers).toMatchObject({
      'api-version': '1',
      'x-api-key': SECRET,
      'content-type': 'application/json',
    });
    expect(requests[0]?.headers['user-agent']).toMatch(/^orders-client\/\d+\./);
  });

  it('reads a bearer token for every attempt, and keeps the prefix of the server', async () => {
    const { baseUrl, requests } = await aServerWith(200, '{"data":[],"page":{"next_cursor":null}}');
    let count = 0;
    const bearerToken = () => Promise.resolve(`token-${(count += 1)}`);
    const orders = createOrdersClient({ baseUrl: `${baseUrl}/shop/`, credentials: { bearerToken } });
    await orders.list({ status: ['paid', 'shipped'], limit: 5 }).page();
    await orders.customers.list().page();
    expect(requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/shop/v1/orders?status=paid%2Cshipped&limit=5', 'Bearer token-1'],
      ['/shop/v1/customers', 'Bearer token-2'],
    ]);
  });

  it('is unreachable when the token cannot be read in time, or at all', async () => {
    const { baseUrl, requests } = await aServerWith(200, '{}');
    const never = () => new Promise<string>(() => {});
    const slow = createOrdersClient({ baseUrl, credentials: { bearerToken: never }, timeoutMs: 50, retries: 0 });
    expect((await slow.get(NO_ID))._unsafeUnwrapErr()).toMatchObject({ type: 'unreachable', reason: 'timeout' });
    const failing = () => Promise.reject(new Error(SECRET));
    const broken = createOrdersClient({ baseUrl, credentials: { bearerToken: failing }, retries: 0 });
    expect((await broken.get(NO_ID))._unsafeUnwrapErr()).toMatchObject({ type: 'unreachable', reason: 'network' });
    expect(requests).toEqual([]);
  });
});

describe('a response', () => {
  it('may have codes, statuses and members that the client does not know', async () => {
    const { orders } = await aServerWith(409, '{"code":"order_frozen","detail":"d","request_id":"r"}');
    expect((await orders.place(NEW))._unsafeUnwrapErr()).toEqual({
      type: 'unexpected_response',
      status: 409,
      code: 'order_frozen',
      detail: 'd',
      request_id: 'r',
    });
    const known = await aServerWith(409, '{"code":"customer_has_orders"}');
    const ofOther = (await known.orders.place(NEW))._unsafeUnwrapErr();
    expect(ofOther).toMatchObject({ type: 'unexpected_response', code: 'customer_has_orders' });
    const inherited = await aServerWith(409, '{"code":"toString"}');
    expect((await inherited.orders.place(NEW))._unsafeUnwrapErr().type).toBe('unexpected_response');
    const later = await aServerWith(200, '{"id":"1","version":1,"status":"frozen","new_member":[]}');
    expect((await later.orders.get(NO_ID))._unsafeUnwrap()).toMatchObject({ status: 'frozen', new_member: [] });
  });

  it.each(['', '[]', 'null', '"x"', '<html>', '{"code":7}'])('may be an error with the body %j', async (body) => {
    const { orders } = await aServerWith(404, body);
    expect((await orders.get(NO_ID))._unsafeUnwrapErr()).toEqual({
      type: 'unexpected_response',
      status: 404,
      code: null,
    });
  });

  it.each(['', 'null', '7', '<html>', '{"id":'])('is invalid with the body %j', async (body) => {
    const { orders } = await aServerWith(200, body);
    const invalid = { type: 'unreachable', reason: 'invalid_response', status: 200 };
    expect((await orders.get(NO_ID))._unsafeUnwrapErr()).toEqual(invalid);
    expect((await orders.list().page())._unsafeUnwrapErr()).toEqual(invalid);
    const placed = await orders.place(NEW, { idempotencyKey: 'k' });
    expect(placed._unsafeUnwrapErr()).toEqual({ ...invalid, outcome: 'unknown', idempotencyKey: 'k' });
  });

  it.each(['{}', '{"data":{},"page":{}}', '{"data":[]}'])('is no page with the body %j', async (body) => {
    const { orders } = await aServerWith(200, body);
    expect((await orders.list().page())._unsafeUnwrapErr()).toMatchObject({ reason: 'invalid_response' });
    expect((await orders.events.page())._unsafeUnwrapErr()).toMatchObject({ reason: 'invalid_response' });
  });

  it.each([
    ['one', CONTINUE, 3],
    ['several', `HTTP/1.1 102 Processing\r\n\r\n${CONTINUE}HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n`, 3],
    ['too many', CONTINUE.repeat(33), 0],
  ])('may follow unsolicited informational responses: %s', async (_, before, successes) => {
    const bodies: string[] = [];
    const { baseUrl } = await aHandWrittenServer(({ method }, response, body) => {
      if (method === 'POST') bodies.push(body);
      response.socket?.write(before);
      response.writeHead(method === 'DELETE' ? 204 : 200).end('{"id":"x"}');
    });
    const orders = createOrdersClient({ baseUrl, retries: 0 });
    const results = [await orders.place(NEW), await orders.get(NO_ID), await orders.delete(NO_ID)];
    expect(results.filter((each) => each.isOk())).toHaveLength(successes);
    expect(bodies.at(-1)).toBe(JSON.stringify(NEW));
  });

  it('is read up to a limit, which no page of the API reaches', async () => {
    const { baseUrl } = await aServerWith(200, `{"id":"${'x'.repeat(1000)}"}`);
    const limited = (maxResponseBytes: number) => createOrdersClient({ baseUrl, maxResponseBytes, retries: 0 });
    expect((await limited(1009).get(NO_ID)).isOk()).toBe(true);
    expect((await limited(1008).get(NO_ID))._unsafeUnwrapErr()).toEqual({
      type: 'unreachable',
      reason: 'invalid_response',
      status: 200,
    });
    expect(PAGE_JSON_BYTES_MAX).toBeLessThan(32 * 1024 * 1024);
  });

  it('is not followed when it is a redirect, so that credentials go nowhere else', async () => {
    const other = await aServerWith(200, '{"id":"1"}');
    for (const status of [301, 302, 303, 307, 308]) {
      const { orders } = await aServerWith(status, '', { location: `${other.baseUrl}/v1/orders` });
      expect((await orders.place(NEW))._unsafeUnwrapErr()).toEqual({
        type: 'unexpected_response',
        status,
        code: null,
      });
    }
    expect(other.requests).toEqual([]);
  });

  it('says who may do what', async () => {
    const { baseUrl, keys } = await aServer();
    const anonymous = createOrdersClient({ baseUrl });
    expect(bare((await anonymous.get(NO_ID))._unsafeUnwrapErr())).toEqual({ type: 'unauthenticated' });
    const reader = createOrdersClient({ baseUrl, credentials: { apiKey: keys.issue({ scopes: ['orders:read'] }) } });
    expect(bare((await reader.place(NEW))._unsafeUnwrapErr())).toEqual({
      type: 'insufficient_scope',
      required_scope: 'orders:write',
    });
    const thrown = await take(reader.customers.list()).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ error: { type: 'insufficient_scope', required_scope: 'customers:read' } });
  });
});

describe('an error', () => {
  it('contains no credentials', async () => {
    const closed = createOrdersClient({
      baseUrl: 'http://127.0.0.1:1',
      credentials: { apiKey: SECRET },
      retries: 0,
    });
    const { orders } = await aServerWith(401, '{"code":"unauthenticated"}');
    const errors = [
      (await closed.place(NEW))._unsafeUnwrapErr(),
      (await orders.get(NO_ID))._unsafeUnwrapErr(),
      await take(orders.list()).catch((error: unknown) => error),
    ];
    for (const error of errors) expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(SECRET);
  });

  it.each([
    [{ baseUrl: 'orders.example.com' }, 'baseUrl'],
    [{ baseUrl: 'ftp://x' }, 'baseUrl'],
    [{ baseUrl: `http://user:${SECRET}@x` }, 'baseUrl'],
    [{ baseUrl: 'http://x?a=b' }, 'baseUrl'],
    [{ baseUrl: 'http://x', credentials: { apiKey: `${SECRET}\n` } }, 'apiKey'],
    [{ baseUrl: 'http://x', credentials: { apiKey: '' } }, 'apiKey'],
    [{ baseUrl: 'http://x', credentials: { bearerToken: `${SECRET} x` } }, 'bearerToken'],
    [{ baseUrl: 'http://x', retries: 11 }, 'retries'],
    [{ baseUrl: 'http://x', retries: 0.5 }, 'retries'],
    [{ baseUrl: 'http://x', timeoutMs: 0 }, 'timeoutMs'],
    [{ baseUrl: 'http://x', maxRetryAfterMs: -1 }, 'maxRetryAfterMs'],
    [{ baseUrl: 'http://x', maxResponseBytes: 0 }, 'maxResponseBytes'],
  ])('names the invalid option of %j', (options, name) => {
    expect(() => createOrdersClient(options)).toThrow(new RegExp(`^${name} must`));
    expect(() => createOrdersClient(options)).not.toThrow(SECRET);
  });
});

describe('an expected version', () => {
  it.each(['"3-7"', 'W/"3-7"', '"3-7-gzip"'])(
    'is sent as the tag of a later release, which arrives as %s',
    async (arrived) => {
      const sent: unknown[] = [];
      const { baseUrl } = await aHandWrittenServer((request, response) => {
        const tag = '"3-7"';
        const match = request.headers['if-match'];
        sent.push([request.method, request.url, match]);
        const isStale = match !== undefined && match !== tag;
        response.writeHead(isStale ? 412 : 200, { etag: arrived });
        response.end(JSON.stringify(isStale ? { code: 'precondition_failed', current_version: 3 } : { version: 3 }));
      });
      const orders = createOrdersClient({ baseUrl });
      expect((await orders.cancel(NO_ID, {}, { ifVersion: 3 })).isOk()).toBe(true);
      expect((await orders.update(NO_ID, () => ({ note: 'x' }))).isOk()).toBe(true);
      const path = `/v1/orders/${NO_ID}`;
      expect(sent).toEqual([
        ['POST', `${path}/cancel`, '"3-1"'],
        ['GET', path, undefined],
        ['POST', `${path}/cancel`, '"3-7"'],
        ['GET', path, undefined],
        ['PATCH', path, '"3-7"'],
      ]);
    },
  );

  it('is read again at most five times by an update', async () => {
    let reads = 0;
    const { baseUrl } = await aHandWrittenServer((request, response) => {
      if (request.method === 'GET') reads += 1;
      response.writeHead(request.method === 'GET' ? 200 : 412, { etag: `"${reads}-1"` });
      response.end(JSON.stringify({ version: reads, code: 'precondition_failed', current_version: reads + 1 }));
    });
    const updated = await createOrdersClient({ baseUrl }).update(NO_ID, () => ({ note: 'x' }));
    expect(updated._unsafeUnwrapErr()).toMatchObject({ type: 'precondition_failed', current_version: 6 });
    expect(reads).toBe(5);
  });
});
