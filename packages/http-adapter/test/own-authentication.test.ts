import { type Principal, SCOPES } from '@orders/http-adapter';
import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { aNewOrder, NO_ORDER } from './new-orders.ts';

function raise(thrown: unknown): never {
  throw thrown;
}

/** Lets in whoever says a name in a header of its own. */
function byName(scopes: readonly string[] = SCOPES) {
  const asked: string[] = [];
  const authenticate = async ({ headers, url }: { headers: Record<string, unknown>; url: string }) => {
    asked.push(url);
    const owner = await Promise.resolve(headers['x-name']);
    if (typeof owner === 'string') return ok<Principal>({ owner, scopes });
    const challenge = { 'www-authenticate': 'Name realm="shop"' };
    return err({ code: 'unauthenticated' as const, detail: 'Say your name.', headers: challenge });
  };
  const securitySchemes = { Name: { type: 'apiKey', in: 'header', name: 'X-Name' } };
  return { authentication: { authenticate, securitySchemes }, asked };
}

describe('a way of authentication of ones own', () => {
  it('says whose orders they are', async () => {
    const { client } = await anApi({ authentication: byName().authentication });
    const created = await client().post('/v1/orders', aNewOrder(), { 'x-name': 'ada' });
    const url = created.headers['location'] ?? '';
    expect((await client().get(url, { 'x-name': 'ada' })).text).toBe(created.text);
    expect((await client().get(url, { 'x-name': 'bob' })).body).toMatchObject({ code: 'order_not_found' });
  });

  it('says what is answered to whom it does not let in', async () => {
    const { client } = await anApi({ authentication: byName().authentication });
    expect(await client().get('/v1/orders')).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Name realm="shop"', 'content-type': 'application/problem+json' },
      body: { code: 'unauthenticated', detail: 'Say your name.' },
    });
  });

  it('does not say what an operation needs', async () => {
    const { client } = await anApi({ authentication: byName(['orders:read']).authentication });
    const headers = { 'x-name': 'ada' };
    expect((await client().get('/v1/orders', headers)).status).toBe(200);
    const refused = await client().post('/v1/orders', aNewOrder(), headers);
    expect(refused).toMatchObject({ status: 403, body: { required_scope: 'orders:write' } });
    expect(await client().get('/v1/customers', headers)).toMatchObject({ body: { required_scope: 'customers:read' } });
  });

  it('is asked once, for known paths and methods alone, and before anything else is looked at', async () => {
    const { authentication, asked } = byName();
    const { client } = await anApi({ authentication });
    await client().get('/v1/nothing');
    await client().send({ method: 'PUT', url: '/v1/orders' });
    await client().send({ method: 'OPTIONS', url: '/v1/orders' });
    expect(asked).toEqual([]);
    const bad = { 'content-type': 'text/plain', accept: 'text/html', 'if-match': 'x' };
    const answer = await client().patch(`/v1/orders/${NO_ORDER}?page=1`, {}, bad);
    expect(answer.status).toBe(401);
    expect(asked).toEqual([`/v1/orders/${NO_ORDER}?page=1`]);
  });

  it('may know at once who asks', async () => {
    const authenticate = () => ok<Principal>({ owner: 'ada', scopes: ['orders:read'] });
    const { client } = await anApi({ authentication: { authenticate, securitySchemes: {} } });
    expect((await client().get('/v1/orders')).status).toBe(200);
    expect((await client().post('/v1/orders', aNewOrder())).status).toBe(403);
  });

  it.each([
    ['throws', () => raise(new Error('secret'))],
    ['throws nothing', () => raise(undefined)],
    ['throws null', () => raise(null)],
    ['rejects', () => Promise.resolve(new Error('secret')).then(raise)],
    ['rejects with nothing', () => Promise.resolve(undefined).then(raise)],
    ['rejects with null', () => Promise.resolve(null).then(raise)],
  ])('lets nobody in when it %s, and nothing else of the request is looked at', async (_, authenticate) => {
    const { client } = await anApi({ authentication: { authenticate, securitySchemes: {} } });
    const answers = [
      await client().get('/v1/orders?limit=0', { accept: 'text/html' }),
      await client().post('/v1/orders', {}, { 'content-type': 'text/plain' }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 500, body: { code: 'internal_error' } });
      expect(answer.text).not.toContain('secret');
    }
  });
});
