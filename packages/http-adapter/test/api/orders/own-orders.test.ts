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
  it('has the members of the definition, and changes its status and its custom data as the definition says', async () => {
    const { acme, url, response } = await anOrder();
    const initial = { status: 'received', custom, available_transitions: ['baking', 'binned'] };
    expect(response.body).toMatchObject({ ...initial, baking_at: null, binned_at: null });
    expect(response.body).not.toHaveProperty('paid_at');
    const patch = { status: 'baking', custom: { pick_up: { shop: null, at: '08:00' }, allergens: null } };
    const changed = await acme.patch(url, patch);
    expect(changed.body).toMatchObject({ status: 'baking', baking_at: AT });
    expect(at(changed.body, 'custom')).toEqual({ pick_up: { at: '08:00' } });
    expect(listAt((await acme.get('/v1/orders?status=ready,baking')).body, 'data')).toEqual([changed.body]);
    expect((await acme.get('/v1/orders?status=received')).body).toMatchObject({ data: [] });
    expect(listAt((await acme.get(`${url}/versions`)).body, 'data')).toMatchObject([
      { type: 'order.baking', changed: ['status', 'baking_at', 'custom'], order: changed.body },
      { type: 'order.placed' },
    ]);
    const events = await acme.get('/v1/events?types=order.baking&include=resource');
    expect(listAt(events.body, 'data')).toMatchObject([{ type: 'order.baking', resource: { data: changed.body } }]);
    const cancelled = await acme.post(`${url}/cancel`, { reason: 'Burnt' });
    expect(cancelled.body).toMatchObject({ status: 'binned', cancel_reason: 'Burnt', binned_at: AT });
    const again = await acme.post(`${url}/cancel`);
    expect(again).toMatchObject({ status: 409, body: { code: 'order_already_cancelled', binned_at: AT } });
    expect(again.body).not.toHaveProperty('cancelled_at');
  });

  it('is rejected where the definition does not allow it', async () => {
    const { acme, url } = await anOrder();
    const noon = await acme.post('/v1/orders', aNewOrder({ custom: { pick_up: { at: 'noon' } } }));
    const errors = [{ field: 'custom.pick_up.at', code: 'invalid_format' }];
    expect(noon).toMatchObject({ status: 422, body: { errors } });
    const rejected = await acme.patch(url, { custom: { pick_up: null } });
    expect(rejected).toMatchObject({ status: 422, body: { errors: [{ field: 'custom.pick_up.at' }] } });
    expect(await acme.patch(url, { status: 'collected' })).toMatchObject({
      status: 409,
      body: {
        code: 'invalid_status_transition',
        detail: 'A received order cannot become collected. Allowed: baking, binned.',
        current_status: 'received',
        available_transitions: ['baking', 'binned'],
      },
    });
    const status = { errors: [{ field: 'status', code: 'invalid_value' }] };
    expect(await acme.patch(url, { status: 'paid' })).toMatchObject({ status: 422, body: status });
    const filter = await acme.get('/v1/orders?status=pending');
    expect(filter).toMatchObject({ status: 400, body: { errors: [{ field: 'status' }] } });
    expect(textAt(filter.body, 'errors', 0, 'message')).toContain('received, baking, ready');
    expect((await acme.get('/v1/events?types=order.paid')).status).toBe(400);
  });

  it('has problem pages that name its statuses', async () => {
    const { client } = await anApiOf(BAKERY);
    const all = await client().get('/problems', { accept: 'application/json' });
    expect(all.text).toContain('`binned_at`');
    expect(all.text).not.toMatch(/\b(pending|paid|shipped|delivered|cancelled_at)\b/);
  });
});
