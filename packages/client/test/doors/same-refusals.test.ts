import { createOrdersClient, type OrdersClient } from '@orders/client';
import { createDomain, type ORDERS } from '@orders/domain';
import { forOwner } from '@orders/client/embedded';
import { inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { systemClock } from '@orders/domain/runtime';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { CLOSABLE } from '../../../domain/test/fixtures/closable.ts';
import { aServer } from '../servers/a-server.ts';
import { bare, euros, TEA } from './doors.ts';

type Orders = Omit<OrdersClient<typeof CLOSABLE>, 'events' | 'statistics' | 'webhooks'>;

const aDomain = () =>
  createDomain({ ...inMemoryStore({ definition: CLOSABLE }), clock: systemClock, ids: sequentialIds() });

const DOORS: readonly (readonly [name: string, open: () => Promise<Orders>])[] = [
  ['a domain in memory', () => Promise.resolve(forOwner({ domain: aDomain() }, 'acme'))],
  [
    'a server over HTTP',
    async () => {
      const { baseUrl, apiKey } = await aServer({
        domain: aDomain(),
        feed: undefined,
        statistics: undefined,
        webhooks: undefined,
      });
      return createOrdersClient<typeof CLOSABLE>({ baseUrl, credentials: { apiKey } });
    },
  ],
];

const CLOSED = { type: 'refused', code: 'closed', message: 'The order is closed.' };

/** Returns an order that is closed, with one of two pieces fulfilled. */
async function aClosedOrder(orders: Orders) {
  const { order } = (await orders.place({ items: [TEA] }))._unsafeUnwrap();
  const items = [{ item_id: order.items[0]?.id ?? '', quantity: 1 }];
  const { fulfillments } = (await orders.fulfill(order.id, { items }))._unsafeUnwrap().order;
  (await orders.change(order.id, { metadata: { closed: 'yes' } }))._unsafeUnwrap();
  return { id: order.id, items, fulfillment: fulfillments[0]?.id ?? '' };
}

describe.each(DOORS)('a refusal through %s', (_, open) => {
  it('has the code of the definition and its sentence, for every write', async () => {
    const orders = await open();
    const { id, items, fulfillment } = await aClosedOrder(orders);
    const [placed] = await orders.placeMany([{ order: { items: [TEA], metadata: { closed: 'yes' } } }]);
    const [imported] = await orders.importMany([{ reference: 'PO-1', items: [TEA], metadata: { closed: 'yes' } }]);
    const results = {
      placeMany: placed,
      importMany: imported,
      place: await orders.place({ items: [TEA], metadata: { closed: 'yes' } }),
      change: await orders.change(id, { note: 'x' }),
      update: await orders.update(id, () => ({ note: 'x' })),
      adjust: await orders.adjust(id, { adjustments: [{ type: 'fee', name: 'x', amount: euros(1) }] }),
      addItems: await orders.addItems(id, { items: [TEA] }),
      fulfill: await orders.fulfill(id),
      cancelFulfillment: await orders.cancelFulfillment(id, fulfillment),
      returnItems: await orders.returnItems(id, { items }),
      cancel: await orders.cancel(id),
      delete: await orders.delete(id),
    };
    const { customers: _customers, erasures: _erasures, ...methods } = orders;
    const writes = Object.keys(methods).filter(
      (name) => !/^(get|list|findByEmail|export|items|versions?|events|statistics|webhooks)$/.test(name),
    );
    expect(writes.toSorted()).toEqual(Object.keys(results).toSorted());
    for (const result of Object.values(results)) expect(result && bare(result._unsafeUnwrapErr())).toEqual(CLOSED);
  });

  it('is typed by the codes of the definition', async () => {
    const orders = await open();
    const { order } = (await orders.place({ items: [TEA] }))._unsafeUnwrap();
    const refused = (await orders.change(order.id, { status: 'sent' }))._unsafeUnwrapErr();
    expectTypeOf<Extract<typeof refused, { type: 'refused' }>['code']>().toEqualTypeOf<'closed' | 'status_required'>();
    const message = 'Before it is sent, the order must have been paid.';
    expect(bare(refused)).toEqual({ type: 'refused', code: 'status_required', message });
    const shop = async (client: OrdersClient<typeof ORDERS>) => (await client.delete(order.id))._unsafeUnwrapErr().type;
    expectTypeOf<Awaited<ReturnType<typeof shop>>>().not.toEqualTypeOf<'refused'>();
  });
});
