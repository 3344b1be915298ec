import { PROTECTED_RESOURCE_PATH, SCOPES } from '@orders/http-adapter';
import { describe, expect, it } from 'vitest';
import { anApi, BASE_URL } from './an-api.ts';
import { AN_ABSENT_ISSUER, everyWay } from './every-way.ts';

describe('the metadata of the API as a protected resource (RFC 9728)', () => {
  it('lists the token issuer, the scopes and the bearer methods, without credentials', async () => {
    const { client } = await anApi({ authentication: everyWay() });
    expect(await client().get(PROTECTED_RESOURCE_PATH)).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-cache' },
      body: {
        resource: BASE_URL,
        resource_name: 'Orders',
        resource_documentation: `${BASE_URL}/docs`,
        authorization_servers: [AN_ABSENT_ISSUER.issuer],
        scopes_supported: SCOPES,
        bearer_methods_supported: ['header'],
      },
    });
  });

  it('is at the path of the RFC, without a version', async () => {
    const { client } = await anApi({ authentication: everyWay() });
    expect(PROTECTED_RESOURCE_PATH).toBe('/.well-known/oauth-protected-resource');
    expect((await client().get(`/v1${PROTECTED_RESOURCE_PATH}`)).status).toBe(404);
    const allow = 'GET, HEAD, OPTIONS';
    expect(await client().post(PROTECTED_RESOURCE_PATH)).toMatchObject({ status: 405, headers: { allow } });
  });

  it('is 404 when the API accepts no tokens', async () => {
    const { client } = await anApi();
    expect(await client().get(PROTECTED_RESOURCE_PATH)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});
