import { inMemoryStore } from '@orders/domain/testing';
import type { Webhooks } from '@orders/domain/webhooks';
import { describe, expect, it } from 'vitest';
import type { ApiResponse, Client } from '../../fixtures/a-client.ts';
import { aWebhooks } from '../../fixtures/a-webhooks.ts';
import { anApi } from '../../fixtures/an-api.ts';
import { createdEndpoint, ENDPOINT_URL } from '../../fixtures/created-endpoint.ts';
import { at } from '../../fixtures/json.ts';

const URL = '/v1/webhook_endpoints';
const THIN = ['webhooks:write', 'events:read'];
const OTHER_URL = 'https://example.com/other';

/** Members of an endpoint. */
type Members = Readonly<Record<string, unknown>>;

/** Returns the scope that a request lacked, or the status of another response. */
function lackOf({ status, body }: ApiResponse): unknown {
  return status === 403 ? at(body, 'required_scope') : status;
}

/** Creates an API with a client of each set of scopes. */
async function anApiWithScopes(webhooks?: Webhooks) {
  const { acme, client, keys } = await anApi(webhooks && { webhooks });
  return { acme, withScopes: (...scopes: readonly string[]): Client => client(keys.issue({ scopes: [...scopes] })) };
}

describe('the creation of a webhook endpoint', () => {
  it.each<[string, readonly string[], Members, unknown]>([
    ['webhooks:write', ['events:read', 'webhooks:read'], {}, 'webhooks:write'],
    ['events:read, too', ['webhooks:write'], {}, 'events:read'],
    ['no further scope without resources', THIN, {}, 201],
    ['orders:read to include orders', THIN, { types: ['order.paid'], include: ['resource'] }, 'orders:read'],
    ['only the scopes of its types', [...THIN, 'orders:read'], { types: ['order.paid'], include: ['resource'] }, 201],
    [
      'the scope of each type',
      [...THIN, 'orders:read'],
      { types: ['order.paid', 'customer.created'], include: ['resource'] },
      'customers:read',
    ],
    [
      'the scopes of all types for null',
      [...THIN, 'orders:read'],
      { types: null, include: ['resource'] },
      'customers:read',
    ],
  ])('needs %s', async (_, scopes, members, expected) => {
    const { acme, withScopes } = await anApiWithScopes();
    expect(lackOf(await withScopes(...scopes).post(URL, { url: ENDPOINT_URL, ...members }))).toBe(expected);
    const { body } = await acme.get(URL);
    expect(at(body, 'data', 'length')).toBe(expected === 201 ? 1 : 0);
  });

  it('needs the same scopes for a retry with its key', async () => {
    const { acme, withScopes } = await anApiWithScopes();
    const key = { 'idempotency-key': 'one' };
    await createdEndpoint(acme, {}, key);
    const retry = await withScopes('webhooks:write').post(URL, { url: ENDPOINT_URL }, key);
    expect(lackOf(retry)).toBe('events:read');
    expect(retry.text).not.toContain('whsec_');
  });

  it.each([{ include: 'resource' }, { include: ['owner'] }, { types: 'order.paid' }, null, [], 'text'])(
    'is rejected as invalid, whatever the scopes, with the body %j',
    async (body) => {
      const { acme } = await anApiWithScopes();
      const sent =
        body !== null && typeof body === 'object' && !Array.isArray(body) ? { url: ENDPOINT_URL, ...body } : body;
      expect((await acme.post(URL, sent)).status).toBe(422);
    },
  );
});

describe('a change of a webhook endpoint', () => {
  const SOME = { types: ['order.paid', 'order.placed'], description: 'x' };

  it.each<[string, Members, Members, unknown]>([
    ['another URL', SOME, { url: OTHER_URL }, 'events:read'],
    ['further types', SOME, { types: ['order.paid', 'order.placed', 'order.cancelled'] }, 'events:read'],
    ['all types', SOME, { types: null }, 'events:read'],
    ['resources', SOME, { include: ['resource'] }, 'events:read'],
    ['the same types in another order', SOME, { types: ['order.placed', 'order.paid'] }, 200],
    ['fewer types', SOME, { types: ['order.paid'] }, 200],
    ['some of all types', {}, { types: ['order.paid'] }, 200],
    ['no resources', { include: ['resource'] }, { include: [] }, 200],
    ['the disabled status', SOME, { status: 'disabled' }, 200],
  ])('needs the scopes of a creation only if it widens what is sent: %s', async (_, members, patch, expected) => {
    const { acme, withScopes } = await anApiWithScopes();
    const { url } = await createdEndpoint(acme, members);
    const before = await acme.get(url);
    const response = await withScopes('webhooks:write').patch(url, patch);
    expect(lackOf(response)).toBe(expected);
    expect((await acme.get(url)).body).toEqual(expected === 200 ? response.body : before.body);
  });

  it('needs the scopes of a creation to enable a disabled endpoint', async () => {
    const { acme, withScopes } = await anApiWithScopes();
    const { url } = await createdEndpoint(acme, { include: ['resource'], types: ['order.paid'] });
    await acme.patch(url, { status: 'disabled' });
    const enable = (...scopes: readonly string[]) => withScopes(...scopes).patch(url, { status: 'enabled' });
    expect(lackOf(await enable('webhooks:write'))).toBe('events:read');
    expect(lackOf(await enable(...THIN))).toBe('orders:read');
    expect(lackOf(await enable(...THIN, 'orders:read'))).toBe(200);
  });

  it.each<[string, Members, Members, readonly string[], unknown]>([
    ['another URL with resources', { include: ['resource'] }, { url: OTHER_URL }, THIN, 'orders:read'],
    ['another URL without resources', {}, { url: OTHER_URL }, THIN, 200],
    [
      'types beside resources',
      { include: ['resource'], types: ['order.paid'] },
      { types: ['order.paid', 'customer.created'] },
      [...THIN, 'orders:read'],
      'customers:read',
    ],
    ['another URL and no resources', { include: ['resource'] }, { url: OTHER_URL, include: null }, THIN, 200],
  ])('needs the scopes that its result needs: %s', async (_, members, patch, scopes, expected) => {
    const { acme, withScopes } = await anApiWithScopes();
    const { url } = await createdEndpoint(acme, members);
    expect(lackOf(await withScopes(...scopes).patch(url, patch))).toBe(expected);
  });

  it('respects the preconditions of a client whose scopes are checked', async () => {
    const { acme, withScopes } = await anApiWithScopes();
    const { url } = await createdEndpoint(acme);
    const client = withScopes(...THIN);
    const late = await client.patch(url, { url: OTHER_URL }, { 'if-match': '"2-1"' });
    expect(late).toMatchObject({ status: 412, body: { current_version: 1 } });
    const key = { 'idempotency-key': 'one', 'if-match': '"1-1"' };
    const first = await client.patch(url, { url: OTHER_URL }, key);
    expect(first).toMatchObject({ status: 200, headers: { etag: '"2-1"' } });
    const retry = await client.patch(url, { url: OTHER_URL }, key);
    expect(retry).toMatchObject({ headers: { 'idempotent-replayed': 'true' }, body: first.body });
    const missing = await client.patch(`${URL}/${'0'.repeat(8)}-0000-7000-8000-${'0'.repeat(12)}`, { url: OTHER_URL });
    expect(missing).toMatchObject({ status: 404, body: { code: 'webhook_endpoint_not_found' } });
  });

  /** Returns use cases in which another request includes resources right before each change, `times` times. */
  function racing(times: number): Webhooks {
    const webhooks = aWebhooks(inMemoryStore());
    let left = 0;
    return {
      ...webhooks,
      changeEndpoint: (owner, id, patch, options) => {
        const isOfRace = patch.description !== undefined || left >= times;
        if (isOfRace) return webhooks.changeEndpoint(owner, id, patch, options);
        left += 1;
        return webhooks
          .changeEndpoint(owner, id, { include: left % 2 === 1 ? ['resource'] : [], description: `${left}` })
          .andThen(() => webhooks.changeEndpoint(owner, id, patch, options));
      },
    };
  }

  it('is checked again when another request changes the endpoint at the same time', async () => {
    const { acme, withScopes } = await anApiWithScopes(racing(1));
    const { url } = await createdEndpoint(acme);
    expect(lackOf(await withScopes(...THIN).patch(url, { url: OTHER_URL }))).toBe('orders:read');
    expect((await acme.get(url)).body).toMatchObject({ url: ENDPOINT_URL, include: ['resource'] });
  });

  it('ends with 503 while other requests change the endpoint again and again', async () => {
    const { acme, withScopes } = await anApiWithScopes(racing(5));
    const { url } = await createdEndpoint(acme);
    const response = await withScopes(...THIN).patch(url, { url: OTHER_URL, include: [] });
    expect(response).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect((await acme.get(url)).body).toMatchObject({ url: ENDPOINT_URL });
  });
});
