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
