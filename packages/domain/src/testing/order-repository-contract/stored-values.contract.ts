import { ok } from 'neverthrow';
import { type OrderQueryInput, parseOrderQuery } from '../../orders/order-query.ts';
import * as assert from '../assertions.ts';
import { aCustomer, aKey, anItem } from '../builders.ts';
import { anOwner, fails, rejects, storeCustomer, succeeds, type TestRunner } from '../contract-subject.ts';
import { type AnyOrder, decideDeletion, type OpenAnySubject, type OrderFixtures } from '../order-fixtures.ts';

export function storedValuesContract(
  { describe, it }: TestRunner,
  open: OpenAnySubject,
  { definition, anOrder, anEventOf, storeOrder, decide }: OrderFixtures,
): void {
  describe('a decision about an order', () => {
    it('stores nothing without an event: the write and its replay return the stored order', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = await storeOrder(subject, owner);
      const idempotency = aKey();
      const changed = (before: AnyOrder) => ok({ order: { ...before, note: 'x' }, event: null });
      const update = () => subject.orders.update(owner, order.id, changed, idempotency);
      assert.deepEqual(await succeeds(update()), { order, event: null, replayed: false });
      assert.deepEqual(await succeeds(subject.orders.find(owner, order.id)), order);
      assert.deepEqual(await succeeds(update()), { order, event: null, replayed: true });
      assert.equal((await subject.events(owner)).length, 1);
    });

    it('needs no free reference and no existing customer without an event', async () => {
      const subject = await open();
      const owner = anOwner();
      await storeOrder(subject, owner, anOrder({ reference: 'PO-1' }));
      const order = await storeOrder(subject, owner);
      const taken = { reference: 'PO-1', customer_id: aCustomer().id };
      const changed = (before: AnyOrder) => ok({ order: { ...before, ...taken }, event: null });
      assert.deepEqual((await succeeds(subject.orders.update(owner, order.id, changed))).order, order);
    });

    it('never changes id, items, total and created_at of the written, stored and replayed order', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = await storeOrder(subject, owner, anOrder({ items: [anItem(), anItem({ sku: 'B' })] }));
      const idempotency = aKey();
      const other = anOrder({ created_at: '2025-01-01T00:00:00.000Z', items: [anItem({ quantity: 7 })] });
      const { id, items, total, created_at } = other;
      const changed = (before: AnyOrder) => {
        const after = { ...before, id, items, total, created_at, note: 'x', version: 2 };
        return ok({ order: after, event: anEventOf(owner, { ...after, id: order.id }) });
      };
      const update = () => subject.orders.update(owner, order.id, changed, idempotency);
      const expected = { ...order, note: 'x', version: 2 };
      assert.deepEqual((await succeeds(update())).order, expected);
      assert.deepEqual(await succeeds(subject.orders.find(owner, order.id)), expected);
      assert.deepEqual(await succeeds(update()), { order: expected, event: null, replayed: true });
      assert.equal((await fails(subject.orders.find(owner, id))).type, 'order_not_found');
    });
  });

  describe('an order with upper-case ids', () => {
    it('is stored, recorded and returned in lower case', async () => {
      const subject = await open();
      const owner = anOwner();
      const customer = await storeCustomer(subject, owner);
      const order = anOrder({ customer_id: customer.id });
      const upper = inUpperCase(order);
      const idempotency = aKey();
      assert.deepEqual(await storeOrder(subject, owner, upper, idempotency), order);
      assert.deepEqual(await succeeds(subject.orders.find(owner, order.id)), order);
      assert.deepEqual(await storeOrder(subject, owner, anOrder(), idempotency), order);
      assert.deepEqual((await subject.events(owner)).map(idOfAggregate), [customer.id, order.id]);
      await rejects(() => subject.orders.insert(owner, { order: upper, event: anEventOf(owner, upper) }));
    });

    it('is found, listed, changed and deleted by ids in either case', async () => {
      const subject = await open();
      const owner = anOwner();
      const customer = await storeCustomer(subject, owner);
      const first = await storeOrder(subject, owner, anOrder({ customer_id: customer.id }));
      const second = await storeOrder(subject, owner, anOrder({ customer_id: customer.id }));
      const { orders } = subject;
      const id = second.id.toUpperCase();
      assert.deepEqual(await succeeds(orders.find(owner, id)), second);
      const list = (input: OrderQueryInput) => orders.list(owner, parseOrderQuery(input, definition)._unsafeUnwrap());
      const customer_id = customer.id.toUpperCase();
      assert.deepEqual((await succeeds(list({ customer_id }))).data, [second, first]);
      const after = { value: second.created_at, id };
      assert.deepEqual((await succeeds(list({ after }))).data, [first]);
      const query = { ...parseOrderQuery({}, definition)._unsafeUnwrap(), customer_id, after };
      assert.deepEqual((await succeeds(orders.list(owner, query))).data, [first]);
      const changed = await succeeds(orders.update(owner, id, decide(owner, { customer_id: null })));
      assert.equal(changed.order.id, second.id);
      await succeeds(orders.update(owner, id, decide(owner, { customer_id })));
      assert.equal((await succeeds(orders.find(owner, id))).customer_id, customer.id);
      await succeeds(orders.delete(owner, id, decideDeletion(owner)));
      assert.equal((await fails(orders.find(owner, second.id))).type, 'order_not_found');
    });
  });
}

function inUpperCase(order: AnyOrder): AnyOrder {
  return {
    ...order,
    id: order.id.toUpperCase(),
    customer_id: order.customer_id?.toUpperCase() ?? null,
    items: order.items.map((item) => ({ ...item, id: item.id.toUpperCase() })),
  };
}

const idOfAggregate = ({ aggregate_id }: { readonly aggregate_id: string }): string => aggregate_id;
