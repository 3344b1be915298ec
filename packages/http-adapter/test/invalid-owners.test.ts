import { authenticateBy, SCOPES } from '@orders/http-adapter';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { anApi } from './an-api.ts';
import { aNewOrder, NO_ORDER } from './new-orders.ts';

const INVALID_OWNERS = [
  ['empty', ''],
  ['not ASCII', 'zoë'],
  ['300 characters', 'o'.repeat(300)],
  ['a control character', 'a\n'],
] as const;

describe('credentials with an invalid owner', () => {
  it.each(INVALID_OWNERS)('are rejected with 401 for an API key: %s', async (_, owner) => {
    const { client, keys } = await anApi();
    const acme = client(keys.issue({ owner }));
    const responses = [
      await acme.get('/v1/orders'),
      await acme.post('/v1/orders', aNewOrder()),
      await acme.get(`/v1/orders/${NO_ORDER}?limit=x`),
    ];
    for (const response of responses) {
      expect(response).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'ApiKey realm="orders"' },
        body: {
          code: 'unauthenticated',
          detail: 'The owner of the credentials must be 1 to 255 printable ASCII characters.',
        },
      });
    }
  });

  it.each(INVALID_OWNERS)('are rejected with 401 for an authenticator of the connection: %s', async (_, owner) => {
    const authentication = authenticateBy({
      header: undefined,
      credentials: 'a client certificate',
      securitySchemes: {},
      challenge: () => 'ClientCertificate realm="orders"',
      authenticate: () => ok({ owner, scopes: SCOPES }),
    });
    const { client } = await anApi({ authentication });
    expect(await client().get('/v1/customers')).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'ClientCertificate realm="orders"' },
      body: { code: 'unauthenticated' },
    });
  });

  it('counts against the address, and not against an owner', async () => {
    const { client, keys } = await anApi({ rateLimits: { read: 1, write: 1, anonymous: 2 } });
    const statuses: number[] = [];
    const nameless = client(keys.issue({ owner: '' }));
    for (let count = 0; count < 3; count += 1) statuses.push((await nameless.get('/v1/orders')).status);
    expect(statuses).toEqual([401, 401, 429]);
    expect((await client(keys.issue()).get('/v1/orders')).status).toBe(200);
  });
});
