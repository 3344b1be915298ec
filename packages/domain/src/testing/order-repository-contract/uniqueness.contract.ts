import * as assert from '../assertions.ts';
import { aCustomer, aKey } from '../builders.ts';
import { EVERY_EVENT, fails, succeeds, type TestRunner } from '../contract-subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';
import type { StoreBench } from '../store-bench.ts';

export function uniquenessContract(
  { describe, it }: TestRunner,
  open: () => Promise<StoreBench>,
  { anOrder, cancellable, cancellation }: OrderFixtures,
): void {
  describe('an order reference', () => {
    it('is refused to a second order with the id of the holder, even a cancelled one', async () => {
      const bench = await open();
      const holder = await bench.storeOrder(anOrder({ status: cancellable, reference: 'PO-1' }));
      const taken = { type: 'reference_taken', order_id: holder.id };
      const other = await bench.storeOrder();
      await bench.update(holder.id, cancellation);
      const initial = await bench.events();
      assert.deepEqual(await fails(bench.tryStore(anOrder({ reference: 'PO-1' }))), taken);
      assert.deepEqual(await fails(bench.tryUpdate(other.id, { reference: 'PO-1', note: 'x' })), taken);
      assert.deepEqual(await bench.order(other.id), other);
      assert.deepEqual(await bench.events(), initial);
    });

    it('is free after a deletion or a change of the holder, and in the orders of another owner', async () => {
      const bench = await open();
      const order = () => anOrder({ reference: 'PO-1' });
      const first = await bench.storeOrder(order());
      await bench.ofAnother().storeOrder(order());
      await bench.update(first.id, { note: 'keeps its reference' });
      await bench.removeOrder(first.id);
      const second = await bench.storeOrder(order());
      await bench.update(second.id, { reference: 'PO-2' });
      const third = await bench.storeOrder(order());
      assert.equal((await bench.order(third.id)).reference, 'PO-1');
    });

    it('is compared exactly', async () => {
      const bench = await open();
      for (const reference of ['PO-1', 'po-1', 'PO-1 ', 'é', 'e\u0301']) {
        const { id } = await bench.storeOrder(anOrder({ reference }));
        assert.equal((await bench.order(id)).reference, reference);
      }
    });

    it('may be absent from any number of orders', async () => {
      const bench = await open();
      await bench.storeOrder();
      const { id } = await bench.storeOrder();
      assert.equal((await bench.order(id)).reference, null);
    });

    it('is given to one of many concurrent orders', async () => {
      const bench = await open();
      const candidates = Array.from({ length: 10 }, () => anOrder({ reference: 'PO-1' }));
      const results = await Promise.all(candidates.map((order) => bench.tryStore(order)));
      const [holder, ...others] = candidates.filter((_, index) => results[index]?.isOk());
      assert.deepEqual(others, []);
      for (const result of results)
        if (result.isErr()) assert.deepEqual(result.error, { type: 'reference_taken', order_id: holder?.id });
      assert.equal((await bench.events()).length, 1, EVERY_EVENT);
    });
  });

  describe('the customer of an order', () => {
    it('must exist, and be one of the same owner', async () => {
      const bench = await open();
      const order = await bench.storeOrder();
      const removed = await bench.storeCustomer();
      await bench.removeCustomer(removed.id);
      const initial = await bench.events();
      for (const customer_id of [(await bench.ofAnother().storeCustomer()).id, removed.id, aCustomer().id, order.id]) {
        const created = anOrder({ customer_id });
        assert.deepEqual(await fails(bench.tryStore(created)), { type: 'unknown_customer' });
        assert.equal(await succeeds(bench.orders.load(bench.owner, created.id)), null);
        const changed = bench.tryUpdate(order.id, { customer_id }, aKey());
        assert.deepEqual(await fails(changed), { type: 'unknown_customer' });
      }
      assert.deepEqual(await bench.order(order.id), order);
      assert.deepEqual(await bench.events(), initial);
    });
  });
}
