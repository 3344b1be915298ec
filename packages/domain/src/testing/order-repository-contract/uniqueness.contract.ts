import * as assert from '../assertions.ts';
import { type Cases, fails } from '../contract-subject.ts';
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
  });

  describe('the customer of an order', () => {
    it('must exist, and be one of the same owner', async (bench) => {
      const order = await bench.orders.stored();
      const removed = await bench.customers.stored();
      await bench.customers.remove(removed.id);
      const foreign = await bench.ofAnother().customers.stored();
      for (const customer_id of [foreign.id, removed.id, order.id]) {
        const unknown = { type: 'unknown_customer' };
        assert.deepEqual(await fails(bench.orders.tryStore(anOrder({ customer_id }))), unknown);
        assert.deepEqual(await fails(bench.tryUpdate(order.id, { customer_id })), unknown);
      }
    });
  });
}
