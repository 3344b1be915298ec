import { change, create } from '../aggregate-writes.ts';
import * as assert from '../assertions.ts';
import { aCustomer, aKey } from '../builders.ts';
import {
  anOwner,
  EVERY_EVENT,
  fails,
  loaded,
  removeCustomer,
  storeCustomer,
  succeeds,
  type TestRunner,
} from '../contract-subject.ts';
import { type AnyOrder, type OpenAnySubject, type OrderFixtures, removeOrder } from '../order-fixtures.ts';

export function uniquenessContract(
  { describe, it }: TestRunner,
  open: OpenAnySubject,
  { anOrder, anEventOf, storeOrder, decide, update, cancellable, cancellation }: OrderFixtures,
): void {
  const insert = (orders: Awaited<ReturnType<OpenAnySubject>>['orders'], owner: string, order: AnyOrder) =>
    create(orders, owner, order, anEventOf(owner, order));

  describe('an order reference', () => {
    it('is refused to a second order with the id of the holder, even a cancelled one', async () => {
      const subject = await open();
      const owner = anOwner();
      const holder = await storeOrder(subject, owner, anOrder({ status: cancellable, reference: 'PO-1' }));
      const taken = { type: 'reference_taken', order_id: holder.id };
      const other = await storeOrder(subject, owner);
      const take = decide(owner, { reference: 'PO-1', note: 'x' });
      await update(subject, owner, holder.id, cancellation);
      const initial = await subject.events(owner);
      assert.deepEqual(await fails(insert(subject.orders, owner, anOrder({ reference: 'PO-1' }))), taken);
      assert.deepEqual(await fails(change(subject.orders, owner, other.id, take)), taken);
      assert.deepEqual((await loaded(subject.orders, owner, other.id)).aggregate, other);
      assert.deepEqual(await subject.events(owner), initial);
    });

    it('is free after a deletion or a change of the holder, and in the orders of another owner', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = () => anOrder({ reference: 'PO-1' });
      const first = await storeOrder(subject, owner, order());
      await storeOrder(subject, anOwner(), order());
      await update(subject, owner, first.id, { note: 'keeps its reference' });
      await removeOrder(subject, owner, first.id);
      const second = await storeOrder(subject, owner, order());
      await update(subject, owner, second.id, { reference: 'PO-2' });
      const third = await storeOrder(subject, owner, order());
      assert.equal((await loaded(subject.orders, owner, third.id)).aggregate.reference, 'PO-1');
    });

    it('is compared exactly', async () => {
      const subject = await open();
      const owner = anOwner();
      for (const reference of ['PO-1', 'po-1', 'PO-1 ', 'é', 'e\u0301']) {
        const { id } = await storeOrder(subject, owner, anOrder({ reference }));
        assert.equal((await loaded(subject.orders, owner, id)).aggregate.reference, reference);
      }
    });

    it('may be absent from any number of orders', async () => {
      const subject = await open();
      const owner = anOwner();
      await storeOrder(subject, owner);
      const { id } = await storeOrder(subject, owner);
      assert.equal((await loaded(subject.orders, owner, id)).aggregate.reference, null);
    });

    it('is given to one of many concurrent orders', async () => {
      const subject = await open();
      const owner = anOwner();
      const candidates = Array.from({ length: 10 }, () => anOrder({ reference: 'PO-1' }));
      const results = await Promise.all(candidates.map((order) => insert(subject.orders, owner, order)));
      const [holder, ...others] = candidates.filter((_, index) => results[index]?.isOk());
      assert.deepEqual(others, []);
      for (const result of results)
        if (result.isErr()) assert.deepEqual(result.error, { type: 'reference_taken', order_id: holder?.id });
      assert.equal((await subject.events(owner)).length, 1, EVERY_EVENT);
    });
  });

  describe('the customer of an order', () => {
    it('must exist, and be one of the same owner', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = await storeOrder(subject, owner);
      const removed = await storeCustomer(subject, owner);
      await removeCustomer(subject, owner, removed.id);
      const initial = await subject.events(owner);
      for (const customer_id of [(await storeCustomer(subject, anOwner())).id, removed.id, aCustomer().id, order.id]) {
        const created = anOrder({ customer_id });
        assert.deepEqual(await fails(insert(subject.orders, owner, created)), { type: 'unknown_customer' });
        assert.equal(await succeeds(subject.orders.load(owner, created.id)), null);
        const changed = change(subject.orders, owner, order.id, decide(owner, { customer_id }), aKey());
        assert.deepEqual(await fails(changed), { type: 'unknown_customer' });
      }
      assert.deepEqual((await loaded(subject.orders, owner, order.id)).aggregate, order);
      assert.deepEqual(await subject.events(owner), initial);
    });

    it('is refused before a reference that another order has', async () => {
      const subject = await open();
      const owner = anOwner();
      const holder = await storeOrder(subject, owner, anOrder({ reference: 'PO-1' }));
      const other = await storeOrder(subject, owner);
      const both = { reference: 'PO-1', customer_id: holder.id };
      assert.deepEqual(await fails(insert(subject.orders, owner, anOrder(both))), { type: 'unknown_customer' });
      const changed = change(subject.orders, owner, other.id, decide(owner, both));
      assert.deepEqual(await fails(changed), { type: 'unknown_customer' });
    });
  });
}
