import * as assert from '../assertions.ts';
import { anItem } from '../builders.ts';
import { anOwner, fails, storeCustomer, succeeds, type TestRunner } from '../contract-subject.ts';
import type { OpenAnySubject, OrderFixtures } from '../order-fixtures.ts';

export function createContract(
  { describe, it }: TestRunner,
  open: OpenAnySubject,
  { anOrder, anEventOf, storeOrder }: OrderFixtures,
): void {
  describe('creating an order', () => {
    it('returns the order and its event', async () => {
      const { orders } = await open();
      const owner = anOwner();
      const order = anOrder();
      const event = anEventOf(owner, order);
      assert.deepEqual(await succeeds(orders.insert(owner, { order, event })), { order, event, replayed: false });
    });

    it('stores every field unchanged', async () => {
      const subject = await open();
      const owner = anOwner();
      const item = anItem({
        sku: 'ß-🎁',
        name: 'هدية 🎁',
        quantity: 9000,
        unit_price: { amount: 1e12, currency: 'KWD' },
      });
      const order = anOrder({
        customer_id: (await storeCustomer(subject, owner)).id,
        reference: 'PO 2026/0001 — "Ω"',
        items: [item, anItem({ quantity: 1, unit_price: { amount: 0, currency: 'KWD' } })],
        note: 'line one\nline two\t\u202eright to left',
        metadata: Object.fromEntries([
          ['__proto__', 'a'],
          ['constructor', 'b'],
          ['10', 'ten'],
          ['2', 'two'],
          ['created_at', 'not a time'],
        ]),
      });
      await storeOrder(subject, owner, order);
      assert.deepEqual(await succeeds(subject.orders.find(owner, order.id)), order);
    });

    it('stores one hundred items in their order', async () => {
      const subject = await open();
      const owner = anOwner();
      const items = Array.from({ length: 100 }, (_, line) => anItem({ sku: `SKU-${100 - line}` }));
      const order = await storeOrder(subject, owner, anOrder({ items }));
      const found = await succeeds(subject.orders.find(owner, order.id));
      assert.deepEqual(found.items, items);
    });

    it('records the event', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = anOrder();
      const event = anEventOf(owner, order);
      await succeeds(subject.orders.insert(owner, { order, event }));
      assert.deepEqual(await subject.events(owner), [event]);
    });

    it('rejects an unknown customer, and stores nothing', async () => {
      const subject = await open();
      const owner = anOwner();
      const foreign = (await storeCustomer(subject, anOwner())).id;
      const order = anOrder({ customer_id: foreign });
      const error = await fails(subject.orders.insert(owner, { order, event: anEventOf(owner, order) }));
      assert.deepEqual(error, { type: 'unknown_customer' });
      assert.equal((await fails(subject.orders.find(owner, order.id))).type, 'order_not_found');
      assert.deepEqual(await subject.events(owner), []);
    });
  });
}
