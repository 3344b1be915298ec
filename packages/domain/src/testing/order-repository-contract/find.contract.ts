import * as assert from '../assertions.ts';
import { parseOrderQuery } from '../../orders/order-query.ts';
import { aKey } from '../builders.ts';
import { anOwner, fails, succeeds, type TestRunner } from '../contract-subject.ts';
import type { OpenAnySubject, OrderFixtures } from '../order-fixtures.ts';

export function findContract(
  { describe, it }: TestRunner,
  open: OpenAnySubject,
  { definition, anOrder, storeOrder, decide }: OrderFixtures,
): void {
  describe('finding an order', () => {
    it('returns order_not_found for an unknown id', async () => {
      const { orders } = await open();
      const { id } = anOrder();
      assert.deepEqual(await fails(orders.find(anOwner(), id)), { type: 'order_not_found', id });
    });

    it('copies arguments and results, so that changing them does not change the store', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = anOrder({ metadata: { colour: 'blue' } });
      const written = await storeOrder(subject, owner, order);
      Object.assign(written.metadata, { colour: 'red' });
      Object.assign(order.metadata, { colour: 'green' });
      const found = await succeeds(subject.orders.find(owner, order.id));
      assert.deepEqual(found.metadata, { colour: 'blue' });
      Object.assign(found.metadata, { colour: 'black' });
      const again = await succeeds(subject.orders.find(owner, order.id));
      assert.deepEqual(again.metadata, { colour: 'blue' });
    });

    it('returns the stored order after the copies from a list, a change and a replay were changed', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeOrder(subject, owner, anOrder({ metadata: { colour: 'blue' } }));
      const idempotency = aKey();
      const change = () => subject.orders.update(owner, id, decide(owner, { metadata: { size: 'L' } }), idempotency);
      const page = () => succeeds(subject.orders.list(owner, parseOrderQuery({}, definition)._unsafeUnwrap()));
      const stored = { colour: 'blue', size: 'L' };
      for (let time = 0; time < 3; time += 1) {
        const { order } = await succeeds(change());
        assert.deepEqual(order.metadata, stored);
        Object.assign(order.metadata, { colour: 'red' });
      }
      for (let time = 0; time < 2; time += 1) {
        const [listed] = (await page()).data;
        assert.deepEqual(listed?.metadata, stored);
        Object.assign(listed.metadata, { colour: 'green' });
      }
      assert.deepEqual((await succeeds(subject.orders.find(owner, id))).metadata, stored);
    });
  });
}
