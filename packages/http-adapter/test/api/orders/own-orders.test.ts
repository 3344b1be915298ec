import { presentEvent } from '@orders/domain/events';
import { createDomain, defineOrders, type OrderDefinition, untyped } from '@orders/domain';
import { faulty, fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { BAKERY } from '../../fixtures/a-bakery.ts';
import { anApiOf } from '../../fixtures/an-api.ts';
import { at, listAt, textAt } from '../../fixtures/json.ts';
import { aNewOrder, NO_ORDER } from '../../fixtures/new-orders.ts';

/** The initial and the cancel status of two definitions. */
const ROLES = { initial: 'received', cancel: 'binned' } as const;
const ORDER_URL = `/v1/orders/${NO_ORDER}`;
const AT = '2026-01-02T03:04:05.678Z';
const custom = { pick_up: { at: '07:30', shop: 'Harbour' }, allergens: ['rye'] };

async function anOrder() {
  const api = await anApiOf(BAKERY);
  const { url, response } = await api.acme.place({ custom });
  return { ...api, url, response };
}

describe('an order with a status that the definition lacks', () => {
  it.each([
    ['GET', ORDER_URL, undefined],
    ['GET', '/v1/orders', undefined],
    ['GET', `${ORDER_URL}/versions`, undefined],
    ['GET', `${ORDER_URL}/versions/1`, undefined],
    ['PATCH', ORDER_URL, { note: 'Fragile' }],
    ['POST', `${ORDER_URL}/cancel`, {}],
    ['DELETE', ORDER_URL, undefined],
  ] as const)('gets 503, and a time to retry: %s %s', async (method, url, body) => {
    const error = { type: 'unavailable', cause: new Error('the status "burnt" is unknown') };
    const store = faulty(inMemoryStore({ definition: BAKERY }), () => ({ error }));
    const domain = createDomain({ ...store, clock: fixedClock(), ids: sequentialIds() }, BAKERY);
    const { acme } = await anApiOf(BAKERY, { domain });
    const content = body && { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) };
    const response = await acme.send({ method, url, ...content });
    expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, body: { code: 'unavailable' } });
    expect(response.text).not.toContain('burnt');
  });
});

describe('the history of an order', () => {
  it('has statuses that the definition lacks as they were recorded', async () => {
    const former: OrderDefinition = defineOrders({
      lifecycle: { received: ['burnt', 'binned'], burnt: ['received'], binned: [] },
      ...ROLES,
    });
    const current: OrderDefinition = defineOrders({ lifecycle: { received: ['binned'], binned: [] }, ...ROLES });
    const store = inMemoryStore({ definition: former });
    const clock = fixedClock();
    const before = untyped(createDomain({ ...store, clock, ids: sequentialIds() }, former));
    const { id } = (await before.placeOrder('acme', aNewOrder()))._unsafeUnwrap().order;
    for (const status of ['burnt', 'received']) (await before.changeOrder('acme', id, { status }))._unsafeUnwrap();
    const orders = { ...store.orders, definition: current };
    const domain = createDomain({ ...store, orders, clock, ids: sequentialIds(1) }, current);
    const feed = { ...store.feed, definition: current };
    const { app, keys } = await anApiOf(current, { domain, feed });
    // Without the check of responses: the document does not list the status.
    const get = async (url: string): Promise<unknown> => {
      const response = await app.inject({ url, headers: { 'x-api-key': keys.issue() } });
      const body: unknown = response.json();
      return { status: response.statusCode, body };
    };
    const order = { status: 'burnt', available_transitions: [] };
    expect(await get(`/v1/orders/${id}/versions/2`)).toMatchObject({
      status: 200,
      body: { type: 'order.burnt', order },
    });
    expect(await get('/v1/events?include=resource')).toMatchObject({
      status: 200,
      body: { data: [{}, { type: 'order.burnt', resource: { data: order } }, {}] },
    });
  });
});

describe('an order of a definition', () => {
  it('has the status, the times and the custom data of the definition', async () => {
    const { response } = await anOrder();
    expect(Object.keys(response.body ?? {})).toEqual([
      'id',
      'status',
      'customer_id',
      'reference',
      'items',
      'total',
      'note',
      'metadata',
      'custom',
      'cancel_reason',
      'available_transitions',
      'version',
      'created_at',
      'updated_at',
      'baking_at',
      'ready_at',
      'collected_at',
      'binned_at',
    ]);
    expect(response.body).toMatchObject({
      status: 'received',
      custom,
      available_transitions: ['baking', 'binned'],
      baking_at: null,
    });
  });

  it('has null where it has no custom data', async () => {
    const { acme } = await anApiOf(BAKERY);
    expect((await acme.place()).response.body).toMatchObject({ custom: null });
  });

  it('is rejected with the fields that the parser returns', async () => {
    const { acme } = await anApiOf(BAKERY);
    const { status, body } = await acme.post('/v1/orders', aNewOrder({ custom: { pick_up: { at: 'noon' } } }));
    expect(status).toBe(422);
    expect(body).toMatchObject({ errors: [{ field: 'custom.pick_up.at', code: 'invalid_format' }] });
  });

  it('has custom data that a patch merges, and null removes', async () => {
    const { acme, url } = await anOrder();
    const merged = await acme.patch(url, { custom: { pick_up: { shop: null, at: '08:00' }, allergens: null } });
    expect(at(merged.body, 'custom')).toEqual({ pick_up: { at: '08:00' } });
    const rejected = await acme.patch(url, { custom: { pick_up: null } });
    expect(rejected).toMatchObject({ status: 422, body: { errors: [{ field: 'custom.pick_up.at' }] } });
    expect(at((await acme.patch(url, { custom: null })).body, 'custom')).toBeNull();
  });

  it('changes its status as the lifecycle says', async () => {
    const { acme, url } = await anOrder();
    expect((await acme.patch(url, { status: 'baking' })).body).toMatchObject({ status: 'baking', baking_at: AT });
    expect(await acme.patch(url, { status: 'collected' })).toMatchObject({
      status: 409,
      body: {
        code: 'invalid_status_transition',
        detail: 'A baking order cannot become collected. Allowed: ready, binned.',
        current_status: 'baking',
        available_transitions: ['ready', 'binned'],
      },
    });
    const unknown = await acme.patch(url, { status: 'paid' });
    expect(unknown).toMatchObject({ status: 422, body: { errors: [{ field: 'status', code: 'invalid_value' }] } });
  });

  it('is cancelled into the cancel status, once', async () => {
    const { acme, url } = await anOrder();
    const cancelled = await acme.post(`${url}/cancel`, { reason: 'Burnt' });
    expect(cancelled.body).toMatchObject({ status: 'binned', cancel_reason: 'Burnt', binned_at: AT });
    const again = await acme.post(`${url}/cancel`);
    expect(again).toMatchObject({ status: 409, body: { code: 'order_already_cancelled', binned_at: AT } });
    expect(again.body).not.toHaveProperty('cancelled_at');
  });

  it('is listed by its status', async () => {
    const { acme, url } = await anOrder();
    await acme.patch(url, { status: 'baking' });
    const { body } = await acme.get('/v1/orders?status=ready,baking');
    expect(listAt(body, 'data').map((order) => textAt(order, 'status'))).toEqual(['baking']);
    expect((await acme.get('/v1/orders?status=received')).body).toMatchObject({ data: [] });
    const unknown = await acme.get('/v1/orders?status=pending');
    expect(unknown).toMatchObject({ status: 400, body: { errors: [{ field: 'status' }] } });
    expect(textAt(unknown.body, 'errors', 0, 'message')).toContain('received, baking, ready');
  });

  it('has a cursor that is valid for its statuses only', async () => {
    const { acme } = await anOrder();
    await acme.place();
    const cursor = textAt((await acme.get('/v1/orders?status=received&limit=1')).body, 'page', 'next_cursor');
    expect((await acme.get(`/v1/orders?status=received&after=${cursor}`)).status).toBe(200);
    expect((await acme.get(`/v1/orders?status=received,ready&after=${cursor}`)).status).toBe(400);
  });

  it('has versions and events of the definition', async () => {
    const { acme, url, store } = await anOrder();
    const changed = await acme.patch(url, { status: 'baking' });
    expect(listAt((await acme.get(`${url}/versions`)).body, 'data')).toMatchObject([
      { type: 'order.baking', changed: ['status', 'baking_at'], order: changed.body },
      { type: 'order.placed' },
    ]);
    const { body } = await acme.get('/v1/events?types=order.baking&include=resource');
    expect(listAt(body, 'data')).toMatchObject([{ type: 'order.baking', resource: { data: changed.body } }]);
    expect((await acme.get('/v1/events?types=order.paid')).status).toBe(400);
    const query = { after: null, start: 'oldest', limit: 9, types: null, include: ['resource'] } as const;
    const page = (await store.feed.read('acme', query))._unsafeUnwrap();
    const [, event] = page.data.map((each) => presentEvent(each, BAKERY));
    expect(event?.resource.data).toEqual(changed.body);
  });

  it('is sent to the endpoints that receive its events', async () => {
    const { acme } = await anOrder();
    const endpoint = { url: 'https://example.com/', types: ['order.binned', 'order.baking'] };
    const created = await acme.post('/v1/webhook_endpoints', endpoint);
    expect(created).toMatchObject({ status: 201, body: { types: ['order.baking', 'order.binned'] } });
    const url = `/v1/webhook_endpoints/${textAt(created.body, 'id')}`;
    expect((await acme.patch(url, { types: ['order.ready'] })).status).toBe(200);
    expect((await acme.patch(url, { types: ['order.paid'] })).status).toBe(422);
  });

  it('has a problem page that names its time of cancellation', async () => {
    const { client } = await anApiOf(BAKERY);
    const { text } = await client().get('/problems/order-already-cancelled', { accept: 'application/json' });
    expect(text).toContain('`binned_at`');
    expect(text).not.toContain('`cancelled_at`');
    const all = await client().get('/problems', { accept: 'application/json' });
    expect(all.text).toContain('`binned_at`');
    expect(all.text).not.toMatch(/\b(pending|paid|shipped|delivered|cancelled_at)\b/);
  });
});
