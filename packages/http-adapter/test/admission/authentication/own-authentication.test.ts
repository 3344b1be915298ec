import { type Authenticate, type Principal, SCOPES } from '@orders/http-adapter';
import { err, errAsync, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { anApi } from '../../fixtures/an-api.ts';
import { aNewOrder, NO_ORDER } from '../../fixtures/new-orders.ts';

function raise(thrown: unknown): never {
  throw thrown;
}

/** Creates an authentication that takes the owner from a custom header. */
function byName(scopes: readonly string[] = SCOPES) {
  const calls: string[] = [];
  const authenticate = async ({ headers, url }: { headers: Record<string, unknown>; url: string }) => {
    calls.push(url);
    const owner = await Promise.resolve(headers['x-name']);
    if (typeof owner === 'string') return ok<Principal>({ owner, scopes });
    const challenge = { 'www-authenticate': 'Name realm="shop"' };
    return err({ code: 'unauthenticated' as const, detail: 'Send your name in X-Name.', headers: challenge });
  };
  const securitySchemes = { Name: { type: 'apiKey', in: 'header', name: 'X-Name' } };
  return { authentication: { authenticate, securitySchemes }, calls };
}

describe('a custom authentication', () => {
  it('determines the 401 of a request that it rejects', async () => {
    const { client } = await anApi({ authentication: byName().authentication });
    expect(await client().get('/v1/orders')).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Name realm="shop"', 'content-type': 'application/problem+json' },
      body: { code: 'unauthenticated', detail: 'Send your name in X-Name.' },
    });
  });

  it('is called once, for known paths and methods only, before anything else is validated', async () => {
    const { authentication, calls } = byName();
    const { client } = await anApi({ authentication });
    await client().get('/v1/nothing');
    await client().send({ method: 'PUT', url: '/v1/orders' });
    await client().send({ method: 'OPTIONS', url: '/v1/orders' });
    expect(calls).toEqual([]);
    const bad = { 'content-type': 'text/plain', accept: 'text/html', 'if-match': 'x' };
    const response = await client().patch(`/v1/orders/${NO_ORDER}?page=1`, {}, bad);
    expect(response.status).toBe(401);
    expect(calls).toEqual([`/v1/orders/${NO_ORDER}?page=1`]);
  });

  const principal = { owner: 'ada', scopes: ['orders:read'] };
  const unauthenticated = { status: 401, headers: { 'www-authenticate': 'Orders realm="orders"' } };
  const rejected = { code: 'unauthenticated' as const, detail: 'Log in.' };

  it.each([
    ['a principal', () => principal, 200],
    ['a promise of a principal', () => Promise.resolve(principal), 200],
    ['an ok of a principal', () => ok(principal), 200],
    ['null', () => null, 401],
    ['undefined', () => undefined, 401],
    ['an ok of null', () => ok(null), 401],
    ['an err without a challenge', () => err(rejected), 401],
    ['a ResultAsync of an err', () => errAsync(rejected), 401],
    ['an empty owner', () => ({ owner: '', scopes: SCOPES }), 401],
  ] satisfies readonly (readonly [string, Authenticate, number])[])(
    'may return %s',
    async (_, authenticate, status) => {
      const { client } = await anApi({ authentication: { authenticate, securitySchemes: {} } });
      expect(await client().get('/v1/orders')).toMatchObject(status === 401 ? unauthenticated : { status });
      expect((await client().post('/v1/orders', aNewOrder())).status).toBe(status === 401 ? 401 : 403);
    },
  );

  const invalid: readonly unknown[] = ['', 'zoë', 'a\n', 7, null];
  const tooLong = 'o'.repeat(256);

  it.each([
    ...[...invalid, tooLong, undefined].map((owner) => ['owner', owner, { owner }] as const),
    ...[...invalid, tooLong].map((actor) => ['actor', actor, { actor }] as const),
  ])('gets 401, never 500, for an invalid %s: %s', async (name, _, members) => {
    const found = Object.assign({ owner: 'ada', scopes: SCOPES, actor: 'web' }, members);
    const detail = `The ${name} of the credentials must be 1 to 255 printable ASCII characters.`;
    const { client } = await anApi({ authentication: { authenticate: () => ok(found), securitySchemes: {} } });
    for (const response of [await client().get('/v1/orders?limit=x'), await client().post('/v1/orders', aNewOrder())])
      expect(response).toMatchObject({ ...unauthenticated, body: { code: 'unauthenticated', detail } });
  });

  it('counts an invalid owner of an API key against the address, with the challenge of API keys', async () => {
    const { client, keys } = await anApi({ rateLimits: { read: 1, write: 1, anonymous: 1 } });
    const nameless = client(keys.issue({ owner: '' }));
    const headers = { 'www-authenticate': 'ApiKey realm="orders"' };
    expect(await nameless.get('/v1/orders')).toMatchObject({ status: 401, headers });
    expect((await nameless.get('/v1/orders')).status).toBe(429);
    expect((await client(keys.issue()).get('/v1/orders')).status).toBe(200);
  });

  it.each([
    ['throws', (error: Error) => raise(error)],
    ['rejects', (error: Error) => Promise.resolve(error).then(raise)],
  ])('keeps the status of an error that it %s, and counts a 401 as an attempt', async (_, fail) => {
    for (const [statusCode, challenge] of [
      [401, 'Orders realm="orders"'],
      [403, undefined],
    ] as const) {
      const authenticate = () => fail(Object.assign(new Error('secret'), { statusCode }));
      const rateLimits = { anonymous: 1, read: 0, write: 0 };
      const { app } = await anApi({ authentication: { authenticate, securitySchemes: {} }, rateLimits });
      const first = await app.inject('/v1/orders');
      expect(first.json()).toMatchObject({ status: statusCode, code: `http_${statusCode}` });
      expect(first.headers['www-authenticate']).toBe(challenge);
      expect(first.payload).not.toContain('secret');
      expect((await app.inject('/v1/orders')).statusCode).toBe(statusCode === 401 ? 429 : 403);
    }
  });

  it.each([
    ['throws', () => raise(new Error('secret'))],
    ['throws the status of what it called', () => raise(Object.assign(new Error('secret'), { statusCode: 404 }))],
    ['throws a status of the server', () => raise(Object.assign(new Error('secret'), { statusCode: 503 }))],
    ['returns no scopes', () => Object.assign({ owner: 'ada', scopes: SCOPES }, { scopes: undefined })],
    ['throws null', () => raise(null)],
    ['rejects', () => Promise.resolve(new Error('secret')).then(raise)],
  ])('lets no one in when it %s, and nothing else of the request is validated', async (_, authenticate) => {
    const { client } = await anApi({ authentication: { authenticate, securitySchemes: {} } });
    const responses = [
      await client().get('/v1/orders?limit=0', { accept: 'text/html' }),
      await client().post('/v1/orders', {}, { 'content-type': 'text/plain' }),
    ];
    for (const response of responses) {
      expect(response).toMatchObject({ status: 500, body: { code: 'internal_error' } });
      expect(response.text).not.toContain('secret');
    }
  });
});
