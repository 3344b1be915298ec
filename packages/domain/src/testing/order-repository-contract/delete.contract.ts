import * as assert from '../assertions.ts';
import { err, ok } from 'neverthrow';
import { anOwner, fails, succeeds, type TestRunner } from '../contract-subject.ts';
import { decideDeletion, type OpenAnySubject, type OrderFixtures } from '../order-fixtures.ts';

export function deleteContract(
  { describe, it }: TestRunner,
  open: OpenAnySubject,
  { anOrder, anEventOf, storeOrder }: OrderFixtures,
): void {
  describe('deleting an order', () => {
    it('removes the order, records the event and keeps the other orders', async () => {
      const subject = await open();
      const owner = anOwner();
      const removed = await storeOrder(subject, owner);
      const other = await storeOrder(subject, owner);
      const event = anEventOf(owner, removed, { type: 'order.deleted' });
      const deleted = await succeeds(subject.orders.delete(owner, removed.id, () => ok(event)));
      assert.deepEqual(deleted, { event, replayed: false });
      assert.equal((await fails(subject.orders.find(owner, removed.id))).type, 'order_not_found');
      assert.deepEqual(await succeeds(subject.orders.find(owner, other.id)), other);
      assert.deepEqual((await subject.events(owner)).at(-1), event);
    });

    it('returns order_not_found for a deleted order', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeOrder(subject, owner);
      const remove = () => subject.orders.delete(owner, id, decideDeletion(owner));
      await succeeds(remove());
      assert.deepEqual(await fails(remove()), { type: 'order_not_found', id });
      assert.equal((await subject.events(owner)).length, 2);
    });

    it('returns the error of decide, and keeps the order', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = await storeOrder(subject, owner);
      const error = await fails(subject.orders.delete(owner, order.id, () => err({ type: 'no' })));
      assert.deepEqual(error, { type: 'no' });
      assert.deepEqual(await succeeds(subject.orders.find(owner, order.id)), order);
      assert.equal((await subject.events(owner)).length, 1);
    });

    it('frees the reference', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeOrder(subject, owner, anOrder({ reference: 'PO-1' }));
      await succeeds(subject.orders.delete(owner, id, decideDeletion(owner)));
      const next = await storeOrder(subject, owner, anOrder({ reference: 'PO-1' }));
      assert.equal(next.reference, 'PO-1');
    });
  });
}
