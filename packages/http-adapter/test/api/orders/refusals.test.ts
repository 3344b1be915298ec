import { defineOrders } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { currentDocument } from '../../../scripts/current-document.ts';
import { anApiOf, BASE_URL } from '../../fixtures/an-api.ts';
import { CLOSABLE } from '../../../../domain/test/fixtures/closable.ts';
import { at, listAt, membersOf, textAt } from '../../fixtures/json.ts';
import { aNewOrder } from '../../fixtures/new-orders.ts';

/** Returns an order that is closed, with one of two pieces fulfilled. */
async function aClosedOrder() {
  const api = await anApiOf(CLOSABLE);
  const { url, response } = await api.acme.place();
  const items = [{ item_id: textAt(response.body, 'items', 0, 'id'), quantity: 1 }];
  const { body } = await api.acme.post(`${url}/fulfillments`, { items });
  await api.acme.patch(url, { metadata: { closed: 'yes' } });
  return { ...api, url, items, fulfillment: textAt(body, 'fulfillments', 0, 'id') };
}

type Closed = Awaited<ReturnType<typeof aClosedOrder>>;

/** A request of each operation that writes orders, by the id of the operation. */
const WRITES: Readonly<Record<string, (on: Closed) => ReturnType<Closed['acme']['get']>>> = {
  place_order: ({ acme }) => acme.post('/v1/orders', aNewOrder({ metadata: { closed: 'yes' } })),
  create_order_batch: async ({ acme }) => {
    const order = aNewOrder({ metadata: { closed: 'yes' } });
    const response = await acme.post('/v1/order_batches', { orders: [{ idempotency_key: 'a', order }] });
    return {
      ...response,
      status: Number(at(response.body, 'data', 0, 'status')),
      body: at(response.body, 'data', 0, 'problem'),
    };
  },
  change_order: ({ acme, url }) => acme.patch(url, { note: 'x' }),
  delete_order: ({ acme, url }) => acme.delete(url),
  cancel_order: ({ acme, url }) => acme.post(`${url}/cancel`),
  adjust_order: ({ acme, url }) =>
    acme.post(`${url}/adjustments`, {
      adjustments: [{ type: 'fee', name: 'x', amount: { amount: 1, currency: 'EUR' } }],
    }),
  add_items: ({ acme, url }) => acme.post(`${url}/items`, { items: aNewOrder()['items'] }),
  fulfill_items: ({ acme, url }) => acme.post(`${url}/fulfillments`),
  cancel_fulfillment: ({ acme, url, fulfillment }) => acme.post(`${url}/fulfillments/${fulfillment}/cancel`),
  return_items: ({ acme, url, items }) => acme.post(`${url}/returns`, { items }),
};

/** Returns the ids of the operations of the document that need the scope of writes of orders. */
function writes(): readonly string[] {
  const document: unknown = JSON.parse(JSON.stringify(currentDocument({ definition: CLOSABLE })));
  const paths = at(document, 'paths');
  const all = membersOf(paths).flatMap((path) => membersOf(at(paths, path)).map((method) => at(paths, path, method)));
  const isWrite = (operation: unknown) => JSON.stringify(at(operation, 'security') ?? null).includes('"orders:write"');
  return all.filter(isWrite).map((operation) => textAt(operation, 'operationId'));
}

describe('every operation that writes orders', () => {
  it('is tried here', () => {
    expect(Object.keys(WRITES).toSorted()).toEqual(writes().toSorted());
  });

  it.each(Object.entries(WRITES))(
    'is refused by a guard with 409 and the code of the definition: %s',
    async (_, write) => {
      const order = await aClosedOrder();
      const before = await order.acme.get('/v1/orders');
      expect(await write(order)).toMatchObject({
        status: 409,
        body: {
          type: `${BASE_URL}/problems/closed`,
          title: 'Closed',
          status: 409,
          detail: 'The order is closed.',
          code: 'closed',
          refusal: true,
        },
      });
      expect((await order.acme.get('/v1/orders')).text).toBe(before.text);
    },
  );
});

describe('a refusal', () => {
  it('names the statuses that are required', async () => {
    const { acme } = await anApiOf(CLOSABLE);
    const { url } = await acme.place();
    expect(await acme.patch(url, { status: 'sent' })).toMatchObject({
      status: 409,
      body: { code: 'status_required', detail: 'Before it is sent, the order must have been paid.' },
    });
  });

  it('has a page like other problems, which the list has too', async () => {
    const { client } = await anApiOf(CLOSABLE);
    const json = { accept: 'application/json' };
    const { body } = await client().get('/problems/status-required', json);
    expect(body).toMatchObject({ type: `${BASE_URL}/problems/status-required`, status: 409, title: 'Status required' });
    const all = listAt((await client().get('/problems', json)).body, 'data');
    expect(all.map((each) => at(each, 'code'))).toEqual(expect.arrayContaining(['closed', 'status_required']));
    expect(textAt(all.at(-2), 'description')).toContain('The order is closed.');
  });

  it.each(['order_not_found', 'refused', 'http_404', 'a b', 'x'.repeat(65)])(
    'cannot have the code of another problem, or any text: %s',
    async (code) => {
      const { lifecycle, initial, cancel } = CLOSABLE;
      const taken = defineOrders({ lifecycle, initial, cancel, refusals: { [code]: 'x' } });
      await expect(anApiOf(taken)).rejects.toThrow(`the refusal "${code}" of the definition must have another code`);
    },
  );
});
