import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { createdEndpoint, ENDPOINT_MEMBERS, ENDPOINT_URL, ENDPOINTS, secretOf } from './created-endpoint.ts';
import { at, listAt, membersOf, textAt } from './json.ts';

describe('POST /v1/webhook_endpoints', () => {
  it('creates an endpoint and returns its secret', async () => {
    const { acme } = await anApi();
    const response = await acme.post(ENDPOINTS, { url: ENDPOINT_URL, types: ['order.paid', 'order.placed'] });
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
    const response = await acme.post(ENDPOINTS, body);
    expect(response).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    expect(listAt(response.body, 'errors').map((error) => at(error, 'field'))).toEqual([field]);
  });
});
