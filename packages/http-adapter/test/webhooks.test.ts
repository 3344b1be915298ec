import type { WebhookSender } from '@orders/domain/webhooks';
import { describe, expect, it, vi } from 'vitest';
import type { ApiResponse } from './a-client.ts';
import { aWebhooks, derivedSecrets, senderWith } from './a-webhooks.ts';
import { anApi } from './an-api.ts';
import { createdEndpoint, ENDPOINT_URL } from './created-endpoint.ts';
import { at, listAt, membersOf, textAt } from './json.ts';
import { NO_ORDER } from './new-orders.ts';

const URL = '/v1/webhook_endpoints';

/** Members of an endpoint in every response that makes no secret. */
const MEMBERS = [
  'id',
  'url',
  'types',
  'include',
  'description',
  'status',
  'disabled_reason',
  'version',
  'created_at',
  'updated_at',
];

function each({ body }: ApiResponse, member: string): readonly unknown[] {
  return listAt(body, 'data').map((element) => at(element, member));
}

/** Returns the secret with a serial number that the server derives for an endpoint of `acme`. */
function secretOf(endpointId: string, serial: number): string {
  return derivedSecrets('test').derive('acme', endpointId, { serial, key: 'test' });
}

describe('POST /v1/webhook_endpoints', () => {
  it('creates an endpoint and returns its secret', async () => {
    const { acme } = await anApi();
    const response = await acme.post(URL, { url: ENDPOINT_URL, types: ['order.paid', 'order.placed'] });
    expect(response).toMatchObject({
      status: 201,
      headers: { 'cache-control': 'no-store', etag: '"1-1"' },
      body: {
        url: ENDPOINT_URL,
        types: ['order.placed', 'order.paid'],
        include: [],
        description: null,
        status: 'enabled',
        disabled_reason: null,
        version: 1,
        created_at: '2026-01-02T03:04:05.678Z',
      },
    });
    const id = textAt(response.body, 'id');
    expect(response.headers['location']).toBe(`${URL}/${id}`);
    expect(membersOf(response.body)).toEqual([...MEMBERS, 'secret']);
    expect(textAt(response.body, 'secret')).toBe(secretOf(id, 1));
  });

  it('returns the secret again for a retry until it is replaced, then 409 secret_superseded', async () => {
    const { acme } = await anApi();
    const key = { 'idempotency-key': 'one' };
    const { url, response } = await createdEndpoint(acme, {}, key);
    const retry = await acme.post(URL, { url: ENDPOINT_URL }, key);
    expect(retry).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' }, body: response.body });
    await acme.post(`${url}/secrets`);
    const late = await acme.post(URL, { url: ENDPOINT_URL }, key);
    expect(late).toMatchObject({ status: 409, body: { code: 'secret_superseded' } });
    expect(late.text).not.toContain('whsec_');
  });

  it.each([
    ['without a URL', {}, 'url'],
    ['with a URL that the server does not allow', { url: 'http://example.com/' }, 'url'],
    ['with an unknown type', { url: ENDPOINT_URL, types: ['order.placed', 'order.eaten'] }, 'types[1]'],
    ['without any type', { url: ENDPOINT_URL, types: [] }, 'types'],
    ['with an unknown inclusion', { url: ENDPOINT_URL, include: ['owner'] }, 'include[0]'],
    ['with a status', { url: ENDPOINT_URL, status: 'disabled' }, 'status'],
    ['with a start', { url: ENDPOINT_URL, start: 0 }, 'start'],
    ['with secrets', { url: ENDPOINT_URL, secrets: [] }, 'secrets'],
  ])('rejects an endpoint %s', async (_, body, field) => {
    const { acme } = await anApi();
    const response = await acme.post(URL, body);
    expect(response).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    expect(listAt(response.body, 'errors').map((error) => at(error, 'field'))).toEqual([field]);
  });
});

describe('a webhook endpoint', () => {
  it('is read, listed, changed and deleted without its secret', async () => {
    const { acme } = await anApi();
    const { id, url, secret, response } = await createdEndpoint(acme, { description: 'The shop' });
    const read = await acme.get(url);
    expect(read).toMatchObject({ status: 200, headers: { etag: '"1-1"' } });
    expect(membersOf(read.body)).toEqual(MEMBERS);
    expect({ ...Object(read.body), secret }).toEqual(response.body);
    expect((await acme.get(url, { 'if-none-match': '"1-1"' })).status).toBe(304);

    const list = await acme.get(URL);
    expect(listAt(list.body, 'data')).toEqual([read.body]);

    const changed = await acme.patch(url, { status: 'disabled', description: null }, { 'if-match': '"1-1"' });
    expect(changed).toMatchObject({
      status: 200,
      headers: { etag: '"2-1"', 'cache-control': 'no-store' },
      body: { id, status: 'disabled', disabled_reason: 'requested', description: null, version: 2 },
    });
    expect(membersOf(changed.body)).toEqual(MEMBERS);
    expect((await acme.patch(url, { description: 'x' }, { 'if-match': '"1-1"' })).status).toBe(412);

    const deleted = await acme.delete(url, { 'if-match': '"2-1"' });
    expect(deleted).toMatchObject({ status: 204, text: '' });
    expect(await acme.get(url)).toMatchObject({ status: 404, body: { code: 'webhook_endpoint_not_found' } });
    const all = [read, list, changed, deleted];
    expect(all.filter(({ text, headers }) => /whsec_|secret/.test(text + JSON.stringify(headers)))).toEqual([]);
  });

  it('is in the feed without its secret once it is disabled', async () => {
    const { acme } = await anApi();
    const { url } = await createdEndpoint(acme);
    const disabled = await acme.patch(url, { status: 'disabled' });
    await acme.patch(url, { status: 'enabled' });
    const events = await acme.get('/v1/events?include=resource');
    expect(each(events, 'type')).toEqual(['webhook_endpoint.disabled']);
    expect(at(events.body, 'data', 0, 'resource', 'data')).toEqual(disabled.body);
  });

  it('replays its change and its deletion', async () => {
    const { acme } = await anApi();
    const { url } = await createdEndpoint(acme);
    const key = { 'idempotency-key': 'change' };
    const first = await acme.patch(url, { status: 'disabled' }, key);
    await acme.patch(url, { status: 'enabled' });
    const retry = await acme.patch(url, { status: 'disabled' }, key);
    expect(retry).toMatchObject({ headers: { 'idempotent-replayed': 'true' }, body: first.body });
    const gone = { 'idempotency-key': 'gone' };
    expect((await acme.delete(url, gone)).headers).not.toHaveProperty('idempotent-replayed');
    expect(await acme.delete(url, gone)).toMatchObject({ status: 204, headers: { 'idempotent-replayed': 'true' } });
  });

  it('is listed page by page, newest first', async () => {
    const { acme } = await anApi();
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.push((await createdEndpoint(acme)).id);
    const first = await acme.get(`${URL}?limit=2`);
    expect(each(first, 'id')).toEqual([ids[2], ids[1]]);
    const next = /^<(.*)>; rel="next"$/.exec(first.headers['link'] ?? '')?.[1] ?? '';
    expect(each(await acme.get(next), 'id')).toEqual([ids[0]]);
    const customers = await acme.get(`/v1/customers?after=${textAt(first.body, 'page', 'next_cursor')}`);
    expect(customers).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
  });

  it('belongs to its owner', async () => {
    const { acme, client, keys } = await anApi();
    const { url } = await createdEndpoint(acme);
    const other = client(keys.issue({ owner: 'other' }));
    const responses = [
      await other.get(url),
      await other.patch(url, { status: 'disabled' }),
      await other.delete(url),
      await other.post(`${url}/secrets`),
      await other.post(`${url}/tests`),
      await other.get(`${url}/deliveries`),
      await other.post(`${url}/deliveries`, { event_id: NO_ORDER }),
    ];
    expect(responses.map(({ body }) => at(body, 'code'))).toEqual(responses.map(() => 'webhook_endpoint_not_found'));
  });
});

describe('POST /v1/webhook_endpoints/{id}/secrets', () => {
  it('returns the new secret, also for a retry until the next rotation', async () => {
    const { acme } = await anApi();
    const { id, url } = await createdEndpoint(acme);
    const key = { 'idempotency-key': 'rotation' };
    const rotated = await acme.post(`${url}/secrets`, { overlap_seconds: 60 }, { ...key, 'if-match': '"1-1"' });
    expect(rotated).toMatchObject({
      status: 200,
      headers: { etag: '"2-1"', 'cache-control': 'no-store' },
      body: { id, version: 2, secret: secretOf(id, 2) },
    });
    const retry = await acme.post(`${url}/secrets`, { overlap_seconds: 60 }, key);
    expect(retry).toMatchObject({ headers: { 'idempotent-replayed': 'true' }, body: rotated.body });
    await acme.post(`${url}/secrets`);
    const late = await acme.post(`${url}/secrets`, { overlap_seconds: 60 }, key);
    expect(late).toMatchObject({ status: 409, body: { code: 'secret_superseded' } });
    expect(late.text).not.toContain('whsec_');
  });

  it.each([-1, 604_801, 1.5, '60'])('rejects an overlap of %s', async (overlap_seconds) => {
    const { acme } = await anApi();
    const { url } = await createdEndpoint(acme);
    const response = await acme.post(`${url}/secrets`, { overlap_seconds });
    expect(response).toMatchObject({ status: 422, body: { errors: [{ field: 'overlap_seconds' }] } });
  });
});

describe('POST /v1/webhook_endpoints/{id}/tests', () => {
  const tested = async (sender: WebhookSender) => {
    const api = await anApi(apiWith(sender));
    const { url } = await createdEndpoint(api.acme);
    return { ...api, tests: `${url}/tests` };
  };

  it('returns the status and duration of the attempt', async () => {
    const { acme, tests } = await tested(
      senderWith({ status: 503, error: 'status_not_accepted', duration_ms: 87, retryAfterMs: 1000 }),
    );
    const response = await acme.post(tests);
    expect(response).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(response.headers).not.toHaveProperty('etag');
    expect(response.body).toEqual({ status: 503, error: 'status_not_accepted', duration_ms: 87 });
  });

  it('shows nothing of a target that is not allowed, whatever the sender found out', async () => {
    const { acme, tests } = await tested(
      senderWith({ status: 200, error: 'target_not_allowed', duration_ms: 35, retryAfterMs: 5 }),
    );
    expect((await acme.post(tests)).body).toEqual({ status: null, error: 'target_not_allowed', duration_ms: 0 });
  });

  it('runs at most two tests of an owner at a time', async () => {
    const waiting: (() => void)[] = [];
    const result = { status: 204, error: null, duration_ms: 1, retryAfterMs: null };
    const { acme, client, keys, tests } = await tested({
      send: () => new Promise((resolve) => waiting.push(() => resolve(result))),
    });
    const running = [acme.post(tests), acme.post(tests)];
    await vi.waitFor(() => expect(waiting).toHaveLength(2));
    expect(await acme.post(tests)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      body: { code: 'rate_limited' },
    });
    const missing = await acme.post(`${URL}/${NO_ORDER}/tests`);
    expect(missing).toMatchObject({ status: 404, body: { code: 'webhook_endpoint_not_found' } });
    const other = client(keys.issue({ owner: 'other' }));
    const { url } = await createdEndpoint(other);
    const theirs = other.post(`${url}/tests`);
    await vi.waitFor(() => expect(waiting).toHaveLength(3));
    for (const end of waiting) end();
    expect((await Promise.all([...running, theirs])).map(({ status }) => status)).toEqual([200, 200, 200]);
    const next = acme.post(tests);
    await vi.waitFor(() => expect(waiting).toHaveLength(4));
    waiting.at(-1)?.();
    expect((await next).status).toBe(200);
  });

  it('makes room for the next test after one that fails unexpectedly', async () => {
    const { acme, tests } = await tested({ send: () => Promise.reject(new Error('a bug')) });
    for (let count = 0; count < 3; count += 1) expect((await acme.post(tests)).status).toBe(500);
  });
});

/** Returns options of an API whose webhooks have another sender. */
function apiWith(sender: WebhookSender) {
  return { webhooks: aWebhooks(undefined, undefined, { sender }) };
}

describe('the deliveries of a webhook endpoint', () => {
  const delivered = async () => {
    const api = await anApi();
    const { id, url } = await createdEndpoint(api.acme, { types: ['order.placed'] });
    for (let count = 0; count < 3; count += 1) await api.acme.place();
    await api.acme.post('/v1/customers', { email: 'ada@example.com' });
    return { ...api, id, url: `${url}/deliveries` };
  };

  it('are listed, newest event first, with their results', async () => {
    const { acme, store, url } = await delivered();
    const before = await acme.get(url);
    expect(each(before, 'position')).toEqual([3, 2, 1]);
    expect(each(before, 'type')).toEqual(['order.placed', 'order.placed', 'order.placed']);
    const [claimed] = (await store.webhookQueue.claim('acme', 1))._unsafeUnwrap();
    if (claimed === undefined) throw new Error('nothing was claimed');
    const attempt = { status: 503, error: 'status_not_accepted', duration_ms: 87, retryAfterMs: null } as const;
    const settlement = { status: 'pending', retryInMs: 5000 } as const;
    (await store.webhookQueue.settle('acme', claimed, attempt, settlement))._unsafeUnwrap();
    const after = await acme.get(url);
    expect(after.headers['cache-control']).toBe('no-store');
    expect(listAt(after.body, 'data').at(-1)).toEqual({
      event_id: claimed.event.id,
      position: 1,
      type: 'order.placed',
      status: 'pending',
      attempts: 1,
      last_status: 503,
      last_error: 'status_not_accepted',
      last_duration_ms: 87,
      next_attempt_at: '2026-01-02T03:04:10.678Z',
    });
  });

  it('are listed page by page, and by status', async () => {
    const { acme, store, url } = await delivered();
    await acme.get(url);
    const [claimed] = (await store.webhookQueue.claim('acme', 1))._unsafeUnwrap();
    if (claimed === undefined) throw new Error('nothing was claimed');
    const attempt = { status: 204, error: null, duration_ms: 1, retryAfterMs: null } as const;
    (
      await store.webhookQueue.settle('acme', claimed, attempt, { status: 'delivered', retryInMs: null })
    )._unsafeUnwrap();
    expect(each(await acme.get(`${url}?status=delivered`), 'position')).toEqual([1]);
    const first = await acme.get(`${url}?status=pending&limit=1`);
    expect(each(first, 'position')).toEqual([3]);
    const next = /^<(.*)>; rel="next"$/.exec(first.headers['link'] ?? '')?.[1] ?? '';
    const second = await acme.get(next);
    expect(each(second, 'position')).toEqual([2]);
    expect(second.body).toMatchObject({ page: { has_more: false, next_cursor: null } });
    const cursor = textAt(first.body, 'page', 'next_cursor');
    const other = await acme.get(`${url}?after=${cursor}`);
    expect(other).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
  });

  it.each([
    ['status=lost', 'invalid_parameter', 'status'],
    ['limit=0', 'invalid_parameter', 'limit'],
    ['after=x&status=lost', 'invalid_cursor', 'status'],
    ['offset=1', 'unknown_parameter', 'offset'],
  ])('reject the query %s', async (query, code, field) => {
    const { acme, url } = await delivered();
    const { status, body } = await acme.get(`${url}?${query}`);
    expect({ status, code: at(body, 'code') }).toEqual({ status: 400, code });
    expect(listAt(body, 'errors').map((error) => at(error, 'field'))).toContain(field);
  });

  it('are requested again with 202, and 404 for an event without a delivery', async () => {
    const { acme, url } = await delivered();
    const [newest] = each(await acme.get(url), 'event_id');
    const response = await acme.post(url, { event_id: newest });
    expect(response).toMatchObject({
      status: 202,
      headers: { 'cache-control': 'no-store' },
      body: { event_id: newest, status: 'pending', attempts: 0 },
    });
    expect(response.headers).not.toHaveProperty('etag');
    const [customer] = each(await acme.get('/v1/events?types=customer.created'), 'id');
    for (const event_id of [customer, NO_ORDER]) {
      const missing = await acme.post(url, { event_id });
      expect(missing).toMatchObject({ status: 404, body: { code: 'delivery_not_found' } });
    }
  });
});

describe('webhooks', () => {
  it('count tests and redeliveries as writes', async () => {
    const { acme } = await anApi({ rateLimits: { write: 4 } });
    const { url } = await createdEndpoint(acme);
    const left = [
      await acme.post(`${url}/tests`),
      await acme.post(`${url}/deliveries`, { event_id: NO_ORDER }),
      await acme.post(`${url}/tests`),
      await acme.post(`${url}/tests`),
    ];
    expect(left.map(({ headers }) => headers['ratelimit'])).toEqual(
      [2, 1, 0, 0].map((rest) => `"write";r=${rest};t=60`),
    );
    expect(left.map(({ status }) => status)).toEqual([200, 404, 200, 429]);
  });

  it('do not exist, also in the document, unless the plugin has them', async () => {
    const { acme, app } = await anApi({ webhooks: undefined });
    expect((await app.inject({ url: URL })).statusCode).toBe(404);
    const { body } = await acme.get('/openapi.json');
    expect(body).not.toHaveProperty('webhooks');
    expect(membersOf(at(body, 'paths')).filter((path) => path.includes('webhook'))).toEqual([]);
    expect(JSON.stringify(at(body, 'tags'))).not.toContain('Webhooks');
  });

  it('are described with the requests that endpoints receive', async () => {
    const { acme } = await anApi();
    const { body } = await acme.get('/openapi.json');
    expect(membersOf(at(body, 'webhooks'))).toEqual(['event', 'test']);
    for (const name of ['event', 'test']) {
      const parameters = listAt(body, 'webhooks', name, 'post', 'parameters').map((each) => textAt(each, '$ref'));
      expect(parameters.map((reference) => reference.split('/').at(-1))).toEqual([
        'WebhookId',
        'WebhookTimestamp',
        'WebhookSignature',
      ]);
    }
  });
});
