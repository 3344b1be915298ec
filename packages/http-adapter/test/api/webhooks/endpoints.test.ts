import { describe, expect, it } from 'vitest';
import { anApi } from '../../fixtures/an-api.ts';
import {
  createdEndpoint,
  ENDPOINT_MEMBERS,
  ENDPOINT_URL,
  ENDPOINTS,
  secretOf,
} from '../../fixtures/created-endpoint.ts';
import { at, eachAt, listAt, membersOf, textAt } from '../../fixtures/json.ts';

describe('a webhook endpoint', () => {
  it('is read, listed, changed and deleted without its secret', async () => {
    const { acme } = await anApi();
    const { id, url, secret, response } = await createdEndpoint(acme, { description: 'The shop' });
    const read = await acme.get(url);
    expect(read).toMatchObject({ status: 200, headers: { etag: '"1-1"' } });
    expect(membersOf(read.body)).toEqual(ENDPOINT_MEMBERS);
    expect({ ...Object(read.body), secret }).toEqual(response.body);
    expect((await acme.get(url, { 'if-none-match': '"1-1"' })).status).toBe(304);

    const list = await acme.get(ENDPOINTS);
    expect(listAt(list.body, 'data')).toEqual([read.body]);

    const changed = await acme.patch(url, { status: 'disabled', description: null }, { 'if-match': '"1-1"' });
    expect(changed).toMatchObject({
      status: 200,
      headers: { etag: '"2-1"', 'cache-control': 'no-store, no-transform' },
      body: { id, status: 'disabled', disabled_reason: 'requested', description: null, version: 2 },
    });
    expect(membersOf(changed.body)).toEqual(ENDPOINT_MEMBERS);
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
    expect(eachAt(events, 'type')).toEqual(['webhook_endpoint.disabled']);
    expect(at(events.body, 'data', 0, 'resource', 'data')).toEqual(disabled.body);
  });
});

describe('POST /v1/webhook_endpoints', () => {
  it('creates an endpoint and returns its secret', async () => {
    const { acme } = await anApi();
    const response = await acme.post(ENDPOINTS, { url: ENDPOINT_URL, types: ['order.paid', 'order.placed'] });
    expect(response).toMatchObject({
      status: 201,
      headers: { 'cache-control': 'no-store, no-transform', etag: '"1-1"' },
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
    expect(response.headers['location']).toBe(`${ENDPOINTS}/${id}`);
    expect(membersOf(response.body)).toEqual([...ENDPOINT_MEMBERS, 'secret']);
    expect(textAt(response.body, 'secret')).toBe(secretOf(id, 1));
  });

  it('returns the secret again for a retry until it is replaced, then 409 secret_superseded', async () => {
    const { acme } = await anApi();
    const key = { 'idempotency-key': 'one' };
    const { url, response } = await createdEndpoint(acme, {}, key);
    const retry = await acme.post(ENDPOINTS, { url: ENDPOINT_URL }, key);
    expect(retry).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' }, body: response.body });
    await acme.post(`${url}/secrets`);
    const late = await acme.post(ENDPOINTS, { url: ENDPOINT_URL }, key);
    expect(late).toMatchObject({ status: 409, body: { code: 'secret_superseded' } });
    expect(late.text).not.toContain('whsec_');
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
      headers: { etag: '"2-1"', 'cache-control': 'no-store, no-transform' },
      body: { id, version: 2, secret: secretOf(id, 2) },
    });
    const retry = await acme.post(`${url}/secrets`, { overlap_seconds: 60 }, key);
    expect(retry).toMatchObject({ headers: { 'idempotent-replayed': 'true' }, body: rotated.body });
    await acme.post(`${url}/secrets`);
    const late = await acme.post(`${url}/secrets`, { overlap_seconds: 60 }, key);
    expect(late).toMatchObject({ status: 409, body: { code: 'secret_superseded' } });
    expect(late.text).not.toContain('whsec_');
  });
});

describe('webhooks', () => {
  it('do not exist, also in the document, unless the plugin has them', async () => {
    const { acme, app } = await anApi({ webhooks: undefined });
    expect((await app.inject({ url: ENDPOINTS })).statusCode).toBe(404);
    const { body } = await acme.get('/openapi.json');
    expect(body).not.toHaveProperty('webhooks');
    expect(membersOf(at(body, 'paths')).filter((path) => path.includes('webhook'))).toEqual([]);
    expect(JSON.stringify(at(body, 'tags'))).not.toContain('Webhooks');
  });
});
