import { authenticateBy, bearerTokens } from '@orders/http-adapter';
import { describe, expect, it } from 'vitest';
import { anApi } from '../../fixtures/an-api.ts';
import { aNewOrder } from '../../fixtures/new-orders.ts';
import { aToken, anApiOf, anIssuer, AUDIENCE, bearer, ISSUER, secondsOf } from './an-issuer.ts';
import { aSigningKey, type Json } from './a-token.ts';

const rsa = aSigningKey('RS256', 'rsa');

/** Creates an API that accepts the tokens of one key, and a function that returns the status of the response to a token. */
async function anApiOfTokens(options: Parameters<typeof anApiOf>[1] = {}) {
  const api = await anApiOf(await anIssuer(rsa.jwk()), options);
  const statusOf = async (claims: Json, header: Json = {}) =>
    (await api.client.get('/v1/orders', bearer(aToken(rsa, api.clock, claims, header)))).status;
  return { ...api, statusOf };
}

describe('a valid bearer token', () => {
  it.each([
    ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((alg) => [alg, { ...rsa, alg }] as const),
    ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'].map((alg) => [alg, aSigningKey(alg)] as const),
  ])('is accepted: %s', async (alg, key) => {
    const { client, clock } = await anApiOf(await anIssuer(key.jwk({ alg, use: 'sig', key_ops: ['verify'] })));
    expect((await client.get('/v1/orders', bearer(aToken(key, clock)))).status).toBe(200);
  });

  it('may have each spelling of its type and scheme, several audiences, and header members that are ignored', async () => {
    const { client, clock, statusOf } = await anApiOfTokens();
    for (const typ of ['JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/JWT'])
      expect([typ, await statusOf({}, { typ })]).toEqual([typ, 200]);
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
      const { status } = await client.get('/v1/orders', { authorization: `${scheme} ${aToken(rsa, clock)}` });
      expect([scheme, status]).toEqual([scheme, 200]);
    }
    expect(await statusOf({ aud: ['https://other.example.test', AUDIENCE] })).toBe(200);
    const ignored = {
      jwk: aSigningKey('RS256').jwk(),
      jku: 'http://127.0.0.1:9/',
      cty: 'JSON',
      more: { kid: 'other' },
    };
    expect(await statusOf({}, { ...ignored, note: '","alg":"' })).toBe(200);
  });

  it('is valid from thirty seconds before nbf, and until thirty seconds after it expires', async () => {
    const { clock, statusOf } = await anApiOfTokens();
    const [exp, nbf] = [secondsOf(clock), secondsOf(clock) + 31];
    clock.advance(29_000);
    expect([await statusOf({ exp }), await statusOf({ exp: exp + 300, nbf: nbf + 29 })]).toEqual([200, 401]);
    clock.advance(1000);
    expect([await statusOf({ exp }), await statusOf({ exp: exp + 300, nbf: nbf + 29 })]).toEqual([401, 200]);
  });

  it('may have up to 8192 characters', async () => {
    const { client, clock } = await anApiOfTokens();
    const padded = (length: number) => aToken(rsa, clock, { note: 'x'.repeat(length) });
    const short = padded(1).length;
    const lengths = Array.from({ length: 8 }, (_, index) => Math.floor(((8192 - short) * 3) / 4) - 3 + index);
    const tokens = lengths.map(padded);
    expect(Math.max(...tokens.map(({ length }) => length).filter((length) => length <= 8192))).toBeGreaterThan(8190);
    expect(tokens.some(({ length }) => length > 8192)).toBe(true);
    for (const token of tokens)
      expect((await client.get('/v1/orders', bearer(token))).status).toBe(token.length <= 8192 ? 200 : 401);
  });
});

describe('the owner of a bearer token', () => {
  it('is the same as the owner of an API key with the same name', async () => {
    const { client, clock, keys } = await anApiOfTokens();
    const { url, response } = await client.place({}, bearer(aToken(rsa, clock, { sub: 'shop 7' })));
    const same = await client.get(url, { 'x-api-key': keys.issue({ owner: 'shop 7' }) });
    expect(same.text).toBe(response.text);
    const others = [bearer(aToken(rsa, clock, { sub: 'shop 8' })), { 'x-api-key': keys.issue({ owner: 'Shop 7' }) }];
    for (const other of others) expect((await client.get(url, other)).status).toBe(404);
  });

  it('may be another claim, which replaces the subject', async () => {
    const ownerClaim = 'https://shop.test/tenant';
    const { client, clock, keys, statusOf } = await anApiOfTokens({ ownerClaim });
    const { url } = await client.place({}, bearer(aToken(rsa, clock, { sub: 'other', [ownerClaim]: 'acme' })));
    expect((await client.get(url, { 'x-api-key': keys.issue({ owner: 'acme' }) })).status).toBe(200);
    expect(await statusOf({})).toBe(401);
  });
});

describe('the scopes of a bearer token', () => {
  it.each<[string, Json, number, number]>([
    ['scope', { scope: 'orders:read' }, 200, 403],
    ['scope among others', { scope: 'openid  orders:write orders:read ' }, 200, 201],
    ['scp as text', { scope: undefined, scp: 'orders:write email' }, 403, 201],
    ['scp as a list', { scope: undefined, scp: ['orders:read', 7, 'orders:write'] }, 200, 201],
    ['scp beside an empty scope', { scope: '', scp: ['orders:read'] }, 200, 403],
    ['scope before scp', { scope: 'orders:read', scp: ['orders:write'] }, 200, 403],
    ['scope as a list', { scope: ['orders:read', 'openid'] }, 200, 403],
    ['no scope', { scope: undefined }, 403, 403],
    ['a scope of another kind', { scope: { 'orders:read': true } }, 403, 403],
    ['a scope with a longer name', { scope: 'orders:reader orders ORDERS:READ orders:read,orders:write' }, 403, 403],
  ])('are read from %s', async (_, claims, read, write) => {
    const { client, clock, statusOf } = await anApiOfTokens();
    expect(await statusOf(claims)).toBe(read);
    expect((await client.post('/v1/orders', aNewOrder(), bearer(aToken(rsa, clock, claims)))).status).toBe(write);
  });
});

// The claims that each issuer puts into an access token for a program, or for a user, without the times.
describe('an access token with the claims of an issuer', () => {
  const ENTRA = {
    tid: '8eaef023',
    oid: 'b9c1',
    sub: 'b9c1',
    ver: '2.0',
    azp: '6731de76',
    uti: 'x',
    rh: 'y',
  };
  const COGNITO = { aud: undefined, sub: '55v2', client_id: '55v2', token_use: 'access', version: 2, jti: 'a' };

  it.each<[string, Parameters<typeof anApiOf>[1], Json, number, number]>([
    [
      'Auth0, of a user without the requested scopes',
      { scopeClaim: 'permissions' },
      {
        sub: 'auth0|507f',
        aud: [AUDIENCE, 'https://tenant.auth0.com/userinfo'],
        azp: 'my_client',
        scope: 'openid profile email',
        permissions: ['orders:read'],
      },
      200,
      403,
    ],
    [
      'Auth0, of a program',
      {},
      { sub: 'my_client@clients', azp: 'my_client', gty: 'client-credentials', scope: 'orders:read orders:write' },
      200,
      201,
    ],
    [
      'Keycloak, with a mapper of the audience',
      { ownerClaim: 'tenant' },
      {
        aud: [AUDIENCE, 'account'],
        typ: 'Bearer',
        azp: 'shop',
        acr: '1',
        tenant: 'acme',
        realm_access: { roles: ['offline_access', 'orders:write'] },
        resource_access: { account: { roles: ['view-profile'] } },
        scope: 'profile email orders:read',
        preferred_username: 'service-account-shop',
      },
      200,
      403,
    ],
    ['Keycloak, without one', {}, { aud: 'account', typ: 'Bearer', azp: 'shop', scope: 'orders:read' }, 401, 401],
    ['Entra ID, of a user', {}, { ...ENTRA, scope: undefined, scp: 'orders:read orders:write' }, 200, 201],
    [
      'Entra ID, of a program',
      { scopeClaim: 'roles' },
      { ...ENTRA, scope: undefined, roles: ['orders:read'] },
      200,
      403,
    ],
    [
      'Entra ID, of a program, without the setting',
      {},
      { ...ENTRA, scope: undefined, roles: ['orders:read'] },
      403,
      403,
    ],
    ['Cognito', {}, { ...COGNITO, scope: `other/orders:write ${AUDIENCE}/orders:read` }, 200, 403],
    ['Cognito, for another resource server', {}, { ...COGNITO, scope: 'other/orders:read orders:read' }, 401, 401],
    ['Cognito, of a sign-in alone', {}, { ...COGNITO, scope: 'aws.cognito.signin.user.admin' }, 401, 401],
    ['Okta', {}, { cid: '0oa1', uid: '00u1', scope: undefined, scp: ['orders:read', 'orders:write'] }, 200, 201],
  ])('reads and writes orders as its scopes say: %s', async (_, options, claims, read, write) => {
    const { client, clock, statusOf } = await anApiOfTokens(options);
    expect(await statusOf(claims)).toBe(read);
    expect((await client.post('/v1/orders', aNewOrder(), bearer(aToken(rsa, clock, claims)))).status).toBe(write);
  });
});

describe('bearer tokens', () => {
  it('do not appear in the response, whether they are valid or not', async () => {
    const { client, clock } = await anApiOfTokens();
    const token = aToken(rsa, clock, { sub: 'somebody', exp: 1, note: 'secret' });
    const { text, headers } = await client.get('/v1/orders', bearer(token));
    for (const secret of [token, ...token.split('.'), 'secret', 'somebody', ISSUER])
      expect(`${text}${JSON.stringify(headers)}`).not.toContain(secret);
  });

  it('use the system clock and log no failures by default', async () => {
    const issuer = await anIssuer(rsa.jwk());
    const tokens = bearerTokens({ jwksUrl: issuer.jwksUrl, issuer: ISSUER, audience: AUDIENCE });
    const { client } = await anApi({ authentication: authenticateBy(tokens) });
    const clock = { now: () => new Date() };
    const statusOf = async (exp: number) =>
      (await client().get('/v1/orders', bearer(aToken(rsa, clock, { exp })))).status;
    await issuer.stop();
    expect(await statusOf(secondsOf(clock) + 60)).toBe(503);
    await issuer.start();
    await expect.poll(() => statusOf(secondsOf(clock) + 60)).toBe(200);
    expect(await statusOf(secondsOf(clock) - 60)).toBe(401);
  });

  it.each(['keys', 'https://user:secret@issuer.example.test/keys', 'https://user@issuer.example.test/keys'])(
    'reject the key set URL %s',
    (jwksUrl) => {
      const refused = () => bearerTokens({ jwksUrl, issuer: ISSUER, audience: AUDIENCE });
      expect(refused).toThrow(TypeError);
      expect(refused).not.toThrow(/secret/);
    },
  );
});
