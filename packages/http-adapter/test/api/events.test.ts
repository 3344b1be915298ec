import { describe, expect, it } from 'vitest';
import type { ApiResponse, Client } from '../fixtures/a-client.ts';
import { anApi } from '../fixtures/an-api.ts';
import { at, eachAt, membersOf, textAt } from '../fixtures/json.ts';
import { nextUrl } from '../fixtures/pages.ts';

const URL = '/v1/events';

function cursorOf({ body }: ApiResponse): string {
  return textAt(body, 'page', 'next_cursor');
}

/** Makes one change of each kind of resource, and returns their ids. */
async function someChanges(client: Client) {
  const customer = textAt((await client.post('/v1/customers', { email: 'ada@example.com' })).body, 'id');
  const { id: order, url } = await client.place({ customer_id: customer });
  await client.patch(url, { status: 'paid' });
  return { customer, order, url };
}

describe('GET /v1/events', () => {
  it('returns the changes of the owner in the order of their positions', async () => {
    const { acme, client, keys } = await anApi();
    const { customer, order } = await someChanges(acme);
    await client(keys.issue({ owner: 'other' })).place();
    const response = await acme.get(URL);
    expect(response).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(response.headers).not.toHaveProperty('link');
    expect(response.body).toMatchObject({
      data: [
        {
          position: 1,
          type: 'customer.created',
          resource: { type: 'customer', id: customer, version: 1 },
          changed: [],
          occurred_at: '2026-01-02T03:04:05.678Z',
          actor: 'api_key:ord_test',
          external_user_id: null,
        },
        { position: 2, type: 'order.placed', resource: { type: 'order', id: order, version: 1 } },
        {
          position: 3,
          type: 'order.paid',
          resource: { type: 'order', id: order, version: 2 },
          changed: ['status', 'paid_at'],
        },
      ],
      page: { limit: 20, caught_up: true },
    });
    const members = ['id', 'position', 'type', 'resource', 'changed', 'occurred_at', 'actor', 'external_user_id'];
    expect(membersOf(at(response.body, 'data', 0))).toEqual(members);
    expect(membersOf(at(response.body, 'data', 0, 'resource'))).toEqual(['type', 'id', 'version']);
    expect(membersOf(at(response.body, 'page'))).toEqual(['limit', 'next_cursor', 'caught_up']);
  });

  it('continues at the cursor of any page, with a link to the next page until the end', async () => {
    const { acme } = await anApi();
    await someChanges(acme);
    const first = await acme.get(`${URL}?limit=2&start=oldest`);
    expect(eachAt(first, 'position')).toEqual([1, 2]);
    expect(at(first.body, 'page', 'caught_up')).toBe(false);
    const next = nextUrl(first) ?? '';
    expect(next).toBe(`${URL}?limit=2&after=${cursorOf(first)}`);
    const second = await acme.get(next);
    expect(eachAt(second, 'position')).toEqual([3]);
    expect(second.headers).not.toHaveProperty('link');
    const end = await acme.get(`${URL}?after=${cursorOf(second)}`);
    expect(end.body).toMatchObject({ data: [], page: { next_cursor: cursorOf(second), caught_up: true } });
    // A cursor is a position, so it is valid for other types, too.
    const orders = await acme.get(`${URL}?types=order.paid&after=${cursorOf(first)}`);
    expect(eachAt(orders, 'type')).toEqual(['order.paid']);
  });

  it('returns only events of the requested types', async () => {
    const { acme } = await anApi();
    await someChanges(acme);
    expect(eachAt(await acme.get(`${URL}?types=order.paid,customer.created`), 'position')).toEqual([1, 3]);
    for (const repeated of [
      'types=order.paid&types=customer.created',
      'types=customer.created&types=order.paid,order.paid',
    ])
      expect(eachAt(await acme.get(`${URL}?${repeated}&limit=2`), 'position')).toEqual([1, 3]);
    const none = await acme.get(`${URL}?types=order.deleted`);
    expect(none.body).toMatchObject({ data: [], page: { caught_up: true } });
    expect(eachAt(await acme.get(`${URL}?after=${cursorOf(none)}`))).toEqual([]);
  });

  it('includes the resource of each event at its version, or null after its deletion', async () => {
    const { acme } = await anApi();
    const { order, url } = await someChanges(acme);
    const paid = await acme.get(url);
    const included = await acme.get(`${URL}?include=resource`);
    expect(eachAt(included, 'resource', 'data', 'version')).toEqual([1, 1, 2]);
    expect(at(included.body, 'data', 0, 'resource', 'data', 'email')).toBe('ada@example.com');
    expect(at(included.body, 'data', 1, 'resource', 'data')).toMatchObject({ id: order, status: 'pending' });
    expect(at(included.body, 'data', 2, 'resource', 'data')).toEqual(paid.body);
    await acme.delete(url);
    const deleted = await acme.get(`${URL}?include=resource&types=order.deleted`);
    expect(eachAt(deleted, 'resource')).toEqual([{ type: 'order', id: order, version: 3, data: null }]);
  });

  it.each([
    ['the scope of the feed', ['orders:read', 'customers:read'], '', 'events:read'],
    ['the read scope of one requested type', ['events:read', 'orders:read'], '?include=resource', 'customers:read'],
    ['that of endpoints', ['events:read', 'orders:read', 'customers:read'], '?include=resource', 'webhooks:read'],
    [
      'the read scope of the requested types',
      ['events:read', 'customers:read'],
      '?include=resource&types=customer.created,order.paid',
      'orders:read',
    ],
  ])('returns 403 without %s', async (_, scopes, query, required_scope) => {
    const { client, keys } = await anApi();
    const response = await client(keys.issue({ scopes })).get(`${URL}${query}`);
    expect(response).toMatchObject({ status: 403, body: { code: 'insufficient_scope', required_scope } });
  });

  it('needs no scope of a resource that it does not include', async () => {
    const { acme, client, keys } = await anApi();
    await someChanges(acme);
    expect(eachAt(await client(keys.issue({ scopes: ['events:read'] })).get(URL), 'position')).toEqual([1, 2, 3]);
    const reader = client(keys.issue({ scopes: ['events:read', 'orders:read'] }));
    const orders = await reader.get(`${URL}?include=resource&types=order.placed,order.paid`);
    expect(eachAt(orders, 'resource', 'data', 'version')).toEqual([1, 2]);
  });

  it('starts at the end of the feed on request, and rejects a changed cursor', async () => {
    const { acme } = await anApi();
    await someChanges(acme);
    const latest = await acme.get(`${URL}?start=latest`);
    expect(latest.body).toMatchObject({ data: [], page: { caught_up: true } });
    await acme.place();
    expect(eachAt(await acme.get(`${URL}?after=${cursorOf(latest)}`), 'position')).toEqual([4]);
    const changed = cursorOf(latest).replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'));
    const response = await acme.get(`${URL}?after=${changed}`);
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
  });

  it('returns 410 with the oldest cursor when events after the cursor were purged', async () => {
    const { acme, clock, store } = await anApi();
    const start = cursorOf(await acme.get(URL));
    await acme.place();
    clock.advance(1);
    await acme.place();
    await acme.get(URL);
    store.purgeEvents(clock.now().toISOString());
    const response = await acme.get(`${URL}?after=${start}`);
    expect(response).toMatchObject({ status: 410, body: { code: 'events_expired' } });
    const oldest = await acme.get(`${URL}?after=${textAt(response.body, 'oldest_cursor')}`);
    expect(eachAt(oldest, 'position')).toEqual([2]);
    expect(eachAt(await acme.get(URL), 'position')).toEqual([2]);
  });

  it('does not exist, also in the document, without a feed', async () => {
    const { acme, app } = await anApi({ feed: undefined, webhooks: undefined });
    expect((await app.inject({ url: URL })).statusCode).toBe(404);
    const { body } = await acme.get('/openapi.json');
    expect(JSON.stringify(body)).not.toContain('/events');
    expect(JSON.stringify(body)).not.toContain('Events');
  });
});
