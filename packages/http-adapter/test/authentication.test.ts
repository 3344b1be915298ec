import { describe, expect, it } from 'vitest';
import type { ApiResponse, Client } from './a-client.ts';
import { anApi } from './an-api.ts';
import { textAt } from './json.ts';

const BEGINNING = '2026-01-02T03:04:05.678Z';

/** A request of every operation. */
const OPERATIONS: readonly [string, string, (client: Client, url: string) => Promise<ApiResponse>][] = [
  ['the list', 'orders:read', (client) => client.get('/v1/orders')],
  ['a creation', 'orders:write', (client) => client.post('/v1/orders', {})],
  ['a read', 'orders:read', (client, url) => client.get(url)],
  ['a HEAD', 'orders:read', (client, url) => client.head(url)],
  ['a change', 'orders:write', (client, url) => client.patch(url, { status: 'paid' })],
  ['a deletion', 'orders:write', (client, url) => client.delete(url)],
  ['the items', 'orders:read', (client, url) => client.get(`${url}/items`)],
  ['the versions', 'orders:read', (client, url) => client.get(`${url}/versions`)],
  ['a version', 'orders:read', (client, url) => client.get(`${url}/versions/1`)],
  ['a cancellation', 'orders:write', (client, url) => client.post(`${url}/cancel`)],
];

describe('invalid credentials', () => {
  it.each(OPERATIONS)('are rejected for %s', async (_, __, send) => {
    const { acme, client, keys } = await anApi();
    const { url } = await acme.place();
    const bad = {
      none: undefined,
      empty: '',
      unknown: 'ord_0123456789_unknown',
      expired: keys.issue({ expires_at: BEGINNING }),
      revoked: keys.issue({ revoked_at: '2026-01-01T00:00:00.000Z' }),
    };
    for (const key of Object.values(bad)) {
      const response = await send(client(key), url);
      expect(response.status).toBe(401);
      expect(response.headers['www-authenticate']).toBe('ApiKey realm="orders"');
    }
    expect((await acme.get(url)).body).toMatchObject({ status: 'pending', version: 1 });
  });

  it('include a key from the millisecond in which it expires', async () => {
    const { client, clock, keys } = await anApi();
    const expiring = client(keys.issue({ expires_at: '2026-01-02T03:04:06.678Z' }));
    clock.advance(999);
    expect((await expiring.get('/v1/orders')).status).toBe(200);
    clock.advance(1);
    expect(await expiring.get('/v1/orders')).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });

  it('do not appear in the response', async () => {
    const { client } = await anApi();
    expect((await client('ord_0123456789_secret').get('/v1/orders')).text).not.toContain('ord_');
  });
});

describe('credentials without the scope of an operation', () => {
  it.each(OPERATIONS)('are rejected for %s with the name of the scope', async (_, scope, send) => {
    const { acme, client, keys } = await anApi();
    const { url } = await acme.place();
    const others = ['orders:read', 'orders:write', 'customers:read', 'customers:write'].filter(
      (name) => name !== scope,
    );
    const refused = await send(client(keys.issue({ scopes: others })), url);
    expect(refused.status).toBe(403);
    expect(refused.headers).not.toHaveProperty('www-authenticate');
    const { status } = await send(client(keys.issue({ scopes: [scope] })), url);
    expect(status).not.toBe(403);
    expect(status).not.toBe(401);
  });

  it('get a 403 that names the required scope', async () => {
    const { client, keys } = await anApi();
    const reader = client(keys.issue({ scopes: ['orders:read'] }));
    const response = await reader.post('/v1/orders', {});
    expect(response.body).toMatchObject({ code: 'insufficient_scope', required_scope: 'orders:write' });
    expect(response.body).toHaveProperty('detail', expect.stringMatching(/orders:write/));
  });
});

describe('a write scope', () => {
  it('covers the order that its operations return, and no reads', async () => {
    const { acme, client, keys } = await anApi();
    const { url, response } = await acme.place();
    const writer = client(keys.issue({ scopes: ['orders:write'] }));
    expect(await writer.patch(url, {})).toMatchObject({ status: 200, body: response.body });
    expect(await writer.get(url)).toMatchObject({ status: 403, body: { required_scope: 'orders:read' } });
  });

  it('covers the id of the customer that has an email, and no reads', async () => {
    const { acme, client, keys } = await anApi();
    const customer_id = textAt((await acme.post('/v1/customers', { email: 'ada@example.com' })).body, 'id');
    const writer = client(keys.issue({ scopes: ['customers:write'] }));
    const taken = { status: 409, body: { code: 'email_taken', customer_id } };
    expect(await writer.post('/v1/customers', { email: 'ada@example.com' })).toMatchObject(taken);
    expect((await writer.patch(`/v1/customers/${customer_id}`, {})).body).toMatchObject({ email: 'ada@example.com' });
    const refused = await writer.get(`/v1/customers/${customer_id}`);
    expect(refused).toMatchObject({ status: 403, body: { required_scope: 'customers:read' } });
  });
});

describe('more than one credential', () => {
  it.each([
    ['the key twice', (key: string) => ({ 'x-api-key': [key, key] }), 'X-API-Key'],
    ['two keys', (key: string) => ({ 'x-api-key': [key, 'another'] }), 'X-API-Key'],
    ['a key and a token', (key: string) => ({ 'x-api-key': key, authorization: 'Bearer x' }), 'X-API-Key'],
    ['a token and a key', (key: string) => ({ authorization: 'Bearer x', 'x-api-key': key }), 'Authorization'],
    ['two tokens', () => ({ authorization: ['Bearer x', 'Bearer x'] }), 'Authorization'],
  ])('is rejected: %s', async (_, headers, field) => {
    const { client, keys } = await anApi();
    const response = await client().get('/v1/orders', headers(keys.issue()));
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_header', errors: [{ field }] } });
  });

  it('is ignored by routes without authentication', async () => {
    const { client } = await anApi();
    const response = await client().get('/v1/nothing', { 'x-api-key': ['a', 'b'] });
    expect(response.status).toBe(404);
  });
});

// The ownership probe tests resources of other owners.
describe('an order', () => {
  it('is the same for another key of its owner', async () => {
    const { acme, client, keys } = await anApi();
    const { url, response } = await acme.place();
    expect((await client(keys.issue()).get(url)).text).toBe(response.text);
  });
});
