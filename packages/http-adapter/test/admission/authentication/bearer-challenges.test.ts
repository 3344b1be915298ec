import { describe, expect, it } from 'vitest';
import { aSigningKey } from './a-token.ts';
import { aToken, anApiOf, anIssuer, bearer } from './an-issuer.ts';
import { aNewOrder } from '../../fixtures/new-orders.ts';

const rsa = aSigningKey('RS256', 'rsa');
const METADATA = 'https://api.example.test/.well-known/oauth-protected-resource';

describe('the Bearer challenge', () => {
  const CHALLENGE = `Bearer realm="orders", resource_metadata="${METADATA}"`;
  const anApiWithMetadata = async () => anApiOf(await anIssuer(rsa.jwk()), { resourceMetadataUrl: () => METADATA });

  it.each([
    ['no credentials', {}, /^Send a token in Authorization, or an API key in X-API-Key\.$/],
    ['nothing', { authorization: '' }, /^Send a token/],
    ['another scheme', { authorization: 'Basic YWNtZTpzZWNyZXQ=' }, /must be Bearer/],
    ['a scheme with a longer name', { authorization: 'BearerToken abc' }, /must be Bearer/],
    ['an unknown API key', { 'x-api-key': 'ord_0123456789_unknown' }, /API key is unknown/],
  ])('has no error for %s', async (_, headers, detail) => {
    const { client } = await anApiWithMetadata();
    const response = await client.get('/v1/orders', headers);
    expect(response.body).toMatchObject({ code: 'unauthenticated' });
    expect(response.body).toHaveProperty('detail', expect.stringMatching(detail));
    expect(response).toMatchObject({ status: 401, headers: { 'www-authenticate': CHALLENGE } });
  });

  it.each(['Bearer', 'Bearer ', 'Bearer x', 'bearer a.b.c'])(
    'has the error invalid_token for "%s"',
    async (authorization) => {
      const { client } = await anApiWithMetadata();
      const response = await client.get('/v1/orders', { authorization });
      expect(response).toMatchObject({ status: 401, body: { code: 'invalid_token' } });
      expect(response.headers['www-authenticate']).toBe(
        `${CHALLENGE}, error="invalid_token", error_description="The token is malformed, expired or not for this API"`,
      );
    },
  );

  it('has the scope that a token lacks', async () => {
    const { client, clock } = await anApiWithMetadata();
    const response = await client.post('/v1/orders', aNewOrder(), bearer(aToken(rsa, clock, { scope: 'orders:read' })));
    expect(response).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', required_scope: 'orders:write' },
    });
    expect(response.headers['www-authenticate']).toBe(
      `Bearer realm="orders", error="insufficient_scope", scope="orders:write", resource_metadata="${METADATA}"`,
    );
  });

  it('escapes quoted values', async () => {
    const resourceMetadataUrl = () => 'https://api.example.test/"\\';
    const { client } = await anApiOf(await anIssuer(rsa.jwk()), { resourceMetadataUrl });
    const { headers } = await client.get('/v1/orders');
    expect(headers['www-authenticate']).toBe(
      String.raw`Bearer realm="orders", resource_metadata="https://api.example.test/\"\\"`,
    );
  });

  it('has no resource_metadata without metadata', async () => {
    const { client } = await anApiOf(await anIssuer(rsa.jwk()));
    expect((await client.get('/v1/orders')).headers['www-authenticate']).toBe('Bearer realm="orders"');
  });
});
