import { describe, expect, it } from 'vitest';
import { anApi } from '../../fixtures/an-api.ts';
import { textAt } from '../../fixtures/json.ts';

describe('invalid credentials', () => {
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
});

// The ownership probe tests resources of other owners.
describe('an order', () => {
  it('is the same for another key of its owner', async () => {
    const { acme, client, keys } = await anApi();
    const { url, response } = await acme.place();
    expect((await client(keys.issue()).get(url)).text).toBe(response.text);
  });
});
