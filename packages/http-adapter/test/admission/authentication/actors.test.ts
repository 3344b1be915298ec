import { apiKeys, authenticateBy, newApiKey, type Principal, SCOPES } from '@orders/http-adapter';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import type { Client, Headers } from '../../fixtures/a-client.ts';
import { aSigningKey, type Json } from './a-token.ts';
import { anApi } from '../../fixtures/an-api.ts';
import { aToken, anApiOf, anIssuer, bearer } from './an-issuer.ts';
import { inMemoryApiKeys } from '../../fixtures/in-memory-api-keys.ts';
import { at, listAt, textAt } from '../../fixtures/json.ts';
import { aNewOrder } from '../../fixtures/new-orders.ts';

/** Places an order and returns the recorded actor. */
async function actorOf(client: Pick<Client, 'get' | 'post'>, headers: Headers = {}): Promise<unknown> {
  const placed = await client.post('/v1/orders', aNewOrder(), headers);
  const { body } = await client.get(`/v1/orders/${textAt(placed.body, 'id')}/versions/1`, headers);
  expect(at(body, 'type')).toBe('order.placed');
  return at(body, 'actor');
}

const user = (id: string) => ({ 'orders-external-user-id': id });

describe('the actor of an API key', () => {
  it('is its prefix', async () => {
    const keys = inMemoryApiKeys();
    const { client } = await anApi({ authentication: authenticateBy(apiKeys(keys)) });
    const { key, prefix, hash } = newApiKey('shop');
    keys.keep(hash, { prefix });
    expect(prefix).toMatch(/^shop_[0-9a-f]{10}$/);
    // The second lookup is in the cache.
    expect(await actorOf(client(key))).toBe(`api_key:${prefix}`);
    expect(await actorOf(client(key))).toBe(`api_key:${prefix}`);
    expect(keys.lookUps(key)).toBe(1);
  });

  it('is recorded with the user for each kind of write, and is that of the first request of a replay', async () => {
    const { client, keys } = await anApi();
    const [one, other] = [keys.issue({ prefix: 'ord_one' }), keys.issue({ prefix: 'ord_other' })].map(client);
    if (!one || !other) throw new Error('no client');
    const { url } = await one.place();
    const keyed = { 'idempotency-key': 'k' };
    await other.patch(url, { note: 'x' }, user('User 7'));
    await one.post(`${url}/cancel`, {}, { ...keyed, ...user('~') });
    expect((await other.post(`${url}/cancel`, {}, { ...keyed, ...user('user_8') })).headers).toHaveProperty(
      'idempotent-replayed',
    );
    await other.delete(url, user('a'.repeat(255)));
    const { body } = await one.get(`${url}/versions`);
    const authors = (list: unknown) =>
      listAt(list, 'data').map((change) => [at(change, 'actor'), at(change, 'external_user_id')]);
    const expected = [
      ['api_key:ord_other', 'a'.repeat(255)],
      ['api_key:ord_one', '~'],
      ['api_key:ord_other', 'User 7'],
      ['api_key:ord_one', null],
    ];
    expect(authors(body)).toEqual(expected);
    expect(authors((await one.get('/v1/events')).body)).toEqual(expected.toReversed());
  });
});

describe('the actor of a bearer token', () => {
  const rsa = aSigningKey('RS256', 'rsa');

  it.each<[string, Json, string | null]>([
    ['azp, if client_id is absent', { azp: 'shop' }, 'client:shop'],
    ['client_id before azp', { client_id: 'shop', azp: 'other' }, 'client:shop'],
    ['any printable ASCII characters', { client_id: ' ~"\\' }, 'client: ~"\\'],
    ['at most 248 characters', { client_id: 'c'.repeat(248) }, `client:${'c'.repeat(248)}`],
    ['nothing if no claim is present', {}, null],
    ['nothing if only sub names a client', { sub: 'shop' }, null],
    ['nothing if the claim has 249 characters', { client_id: 'c'.repeat(249) }, null],
    ['nothing if the claim is empty', { client_id: '' }, null],
    ['nothing if the claim may be an email address', { client_id: 'ada@example.com' }, null],
    ['nothing if client_id is invalid, whatever azp is', { client_id: 'ada@example.com', azp: 'shop' }, null],
  ])('is %s', async (_, claims, actor) => {
    const { client, clock } = await anApiOf(await anIssuer(rsa.jwk()));
    expect(await actorOf(client, bearer(aToken(rsa, clock, claims)))).toBe(actor);
  });
});

describe('the actor of a custom authentication', () => {
  const apiOf = (actor: unknown) => {
    const principal: Principal = Object.assign({ owner: 'ada', scopes: SCOPES, actor: 'web' }, { actor });
    return anApi({ authentication: { authenticate: () => ok(principal), securitySchemes: {} } });
  };

  it.each([
    ['as it is', 'session:web', 'session:web'],
    ['null if it is absent', undefined, null],
  ])('is recorded %s', async (_, actor, recorded) => {
    const { client } = await apiOf(actor);
    expect(await actorOf(client())).toBe(recorded);
  });
});
