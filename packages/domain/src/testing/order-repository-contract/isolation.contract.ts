import * as assert from '../assertions.ts';
import { parseOrderQuery } from '../../orders/order-query.ts';
import { aKey } from '../builders.ts';
import { anOwner, fails, succeeds, type TestRunner } from '../contract-subject.ts';
import { decideDeletion, type OpenAnySubject, type OrderFixtures } from '../order-fixtures.ts';

export function isolationContract(
  { describe, it }: TestRunner,
  open: OpenAnySubject,
  { definition, anOrder, storeOrder, decide }: OrderFixtures,
): void {
  describe("another owner's order", () => {
    it('cannot be found, changed or deleted by id', async () => {
      const subject = await open();
      const owner = anOwner();
      const otherOwner = anOwner();
      const order = await storeOrder(subject, owner);
      const notFound = { type: 'order_not_found', id: order.id };
      const { orders } = subject;
      assert.deepEqual(await fails(orders.find(otherOwner, order.id)), notFound);
      assert.deepEqual(await fails(orders.update(otherOwner, order.id, decide(otherOwner, { note: 'x' }))), notFound);
      assert.deepEqual(await fails(orders.delete(otherOwner, order.id, decideDeletion(otherOwner))), notFound);
      assert.deepEqual(await succeeds(orders.find(owner, order.id)), order);
      assert.deepEqual(await subject.events(otherOwner), []);
    });

    it('is not listed, and does not reserve its reference and keys', async () => {
      const subject = await open();
      const owner = anOwner();
      const otherOwner = anOwner();
      const idempotency = aKey();
      await storeOrder(subject, owner, anOrder({ reference: 'PO-1' }), idempotency);
      const own = await storeOrder(subject, otherOwner, anOrder({ reference: 'PO-1' }), {
        ...idempotency,
        fingerprint: 'another',
      });
      const page = await succeeds(subject.orders.list(otherOwner, parseOrderQuery({}, definition)._unsafeUnwrap()));
      assert.deepEqual(page.data, [own]);
    });
  });
}
