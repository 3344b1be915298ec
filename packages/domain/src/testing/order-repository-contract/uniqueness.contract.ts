import * as assert from '../assertions.ts';
import { aCustomer, aKey } from '../builders.ts';
import { type Cases, fails, succeeds } from '../contract-subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';
import type { StoreBench } from '../store-bench.ts';

export function uniquenessContract({ describe, it }: Cases<StoreBench>, { anOrder }: OrderFixtures): void {
  describe('an order reference', () => {
    it('is free after a deletion or a change of the holder, and in the orders of another owner', async (bench) => {
      const order = () => anOrder({ reference: 'PO-1' });
      const first = await bench.orders.stored(order());
      await bench.ofAnother().orders.stored(order());
      await bench.update(first.id, { note: 'keeps its reference' });
      await bench.orders.remove(first.id);
      const second = await bench.orders.stored(order());
      await bench.update(second.id, { reference: 'PO-2' });
      const third = await bench.orders.stored(order());
      assert.equal((await bench.orders.get(third.id)).reference, 'PO-1');
    });

    it('is compared exactly', async (bench) => {
      for (const reference of ['PO-1', 'po-1', 'PO-1 ', 'é', 'e\u0301']) {
        const { id } = await bench.orders.stored(anOrder({ reference }));
        assert.equal((await bench.orders.get(id)).reference, reference);
      }
    });

    it('may be absent from any number of orders', async (bench) => {
      await bench.orders.stored();
      const { id } = await bench.orders.stored();
      assert.equal((await bench.orders.get(id)).reference, null);
    });
  });

  describe('the customer of an order', () => {
    it('must exist, and be one of the same owner', async (bench) => {
      const order = await bench.orders.stored();
      const removed = await bench.customers.stored();
      await bench.customers.remove(removed.id);
      const initial = await bench.events();
      for (const customer_id of [
        (await bench.ofAnother().customers.stored()).id,
        removed.id,
        aCustomer().id,
        order.id,
      ]) {
        const created = anOrder({ customer_id });
        assert.deepEqual(await fails(bench.orders.tryStore(created)), { type: 'unknown_customer' });
        assert.equal(await succeeds(bench.orders.store.load(bench.owner, created.id)), null);
        const changed = bench.tryUpdate(order.id, { customer_id }, { key: aKey() });
        assert.deepEqual(await fails(changed), { type: 'unknown_customer' });
      }
      assert.deepEqual(await bench.orders.get(order.id), order);
      assert.deepEqual(await bench.events(), initial);
    });
  });
}
