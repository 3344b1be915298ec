import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { newSignInToken } from '@orders/http-adapter/settings';
import { postgresAudit, postgresOperators } from '@orders/persistence';
import { expect, it, onTestFinished } from 'vitest';
import { aSigningKey, tokenOf } from '../../../../packages/http-adapter/test/admission/authentication/a-token.ts';
import { composeServer } from './composed-server.ts';

const [ISSUER, AUDIENCE] = ['https://issuer.example.com', 'orders operators'];
const HEADER = 'Cf-Access-Jwt-Assertion';

it('an authenticating proxy signs operators in, each with the role of the token, until they are revoked', async () => {
  const key = aSigningKey('ES256');
  const keys = createServer((_, response) => response.end(JSON.stringify({ keys: [key.jwk()] })));
  await once(keys.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void keys.close());
  const address = keys.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const server = await composeServer({
    ADMIN_PORT: '0',
    RATE_LIMIT_ANONYMOUS: '0',
    ADMIN_JWT_JWKS_URL: `http://127.0.0.1:${port}/`,
    ADMIN_JWT_ISSUER: ISSUER,
    ADMIN_JWT_AUDIENCE: AUDIENCE,
    ADMIN_JWT_ROLE_CLAIM: 'groups',
    ADMIN_JWT_HEADER: HEADER,
  });
  onTestFinished(server.close);
  const exp = Math.floor(Date.now() / 1000) + 600;
  const tokenFor = (claims: object, by = key) =>
    tokenOf({ alg: 'ES256', kid: by.kid }, { iss: ISSUER, aud: AUDIENCE, sub: 'ada', exp, ...claims }, by);
  const send = async (url: string, token: string, more: Readonly<Record<string, string>> = {}) => {
    const headers = { host: '127.0.0.1:0', [HEADER]: token, ...more };
    const response = await server.operators?.inject({ url, headers });
    return response?.json<Readonly<Record<string, unknown>>>() ?? {};
  };
  const session = (claims: object, by = key) => send('/admin/v1/session', tokenFor(claims, by));

  const support = { name: 'Ada', groups: ['staff', 'support', 'viewer'] };
  const signedIn = await Promise.all([session(support), session(support)]);
  const [{ id }] = signedIn;
  for (const each of signedIn)
    expect(each).toMatchObject({ id, name: 'Ada', role: 'support', expires_at: new Date(exp * 1000).toISOString() });
  expect(await session({ groups: 'admin' })).toMatchObject({ id, name: 'Ada', role: 'admin' });
  expect(await session({ groups: 'admin', exp: Number.MAX_VALUE })).toMatchObject({
    expires_at: '9999-12-31T23:59:59.000Z',
  });
  expect(await session({ ...support, sub: 'grace' })).not.toMatchObject({ id });
  expect(await send('/v1/orders', tokenFor({ groups: ['viewer'] }), { 'orders-owner': 'shop' })).toMatchObject({
    data: [],
  });
  expect(await session({ groups: ['staff'] })).toMatchObject({ code: 'insufficient_scope', required_scope: 'viewer' });
  expect(await session({})).toMatchObject({ code: 'insufficient_scope' });
  const other = aSigningKey('ES256');
  for (const claims of [{ iss: 'https://other.example.com' }, { aud: 'orders' }, { exp: 1 }, { sub: undefined }])
    expect(await session({ ...support, ...claims })).toMatchObject({ code: 'invalid_token' });
  expect(await session(support, other)).toMatchObject({ code: 'invalid_token' });
  // A session in Authorization comes first, and no token in that header is one of the proxy.
  const unknown = await send('/admin/v1/session', tokenFor(support), { authorization: `Bearer ops_${randomUUID()}` });
  expect(unknown).toMatchObject({ code: 'unauthenticated' });
  const misplaced = await send('/admin/v1/session', '', { authorization: `Bearer ${tokenFor(support)}` });
  expect(misplaced).toMatchObject({ code: 'invalid_token' });

  const operators = postgresOperators(server.database);
  const listed = (await operators.list({ at: new Date().toISOString(), limit: 100 }))._unsafeUnwrap();
  const { last_used_at, ...mine } = listed.data.find((each) => each.id === id) ?? { last_used_at: null };
  expect(mine).toMatchObject({ name: 'Ada', role: 'viewer', signs_in: 'proxy', sessions: 0 });
  expect(last_used_at).not.toBeNull();
  const all = (await postgresAudit(server.database).list({ owner: null, before: null, limit: 100 }))._unsafeUnwrap();
  const own = all.records.filter(({ subject }) => subject === id).map(({ action, actor }) => [action, actor]);
  const actor = `operator:${String(id)}`;
  expect(own.toReversed()).toEqual(['create_operator', 'change_role', 'change_role'].map((each) => [each, actor]));
  const by = { actor: 'command:test', reason: null };
  // A session would outlive the tokens.
  const { token: _, ...link } = newSignInToken(new Date());
  expect((await operators.link(String(id), link, by))._unsafeUnwrap()).toBe(false);
  (await operators.revoke(String(id), new Date().toISOString(), by))._unsafeUnwrap();
  expect(await session(support)).toMatchObject({ code: 'invalid_token', detail: 'The operator was revoked.' });
});
