import * as assert from '../assertions.ts';
import { err, ok } from 'neverthrow';
import { anEventOf, anOrder } from '../builders.ts';
import { anOwner, keep, type OpenSubject, refuses, succeeds, type TestRunner } from '../contract-subject.ts';

export function deleteContract({ describe, it }: TestRunner, open: OpenSubject): void {
  describe('deleting an order', () => {
    it('removes it, records the event and leaves the others', async () => {
      const subject = await open();
      const owner = anOwner();
      const gone = await keep(subject, owner);
      const other = await keep(subject, owner);
      const event = anEventOf(owner, gone, { type: 'order.deleted' });
      const deleted = await succeeds(subject.orders.delete(owner, gone.id, () => ok(event)));
      assert.deepEqual(deleted, { event, replayed: false });
      assert.equal((await refuses(subject.orders.find(owner, gone.id))).type, 'order_not_found');
      assert.deepEqual(await succeeds(subject.orders.find(owner, other.id)), other);
      assert.deepEqual((await subject.events(owner)).at(-1), event);
    });

    it('says of a deleted order that there is none', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await keep(subject, owner);
      const remove = () => subject.orders.delete(owner, id, (order) => ok(anEventOf(owner, order)));
      await succeeds(remove());
      assert.deepEqual(await refuses(remove()), { type: 'order_not_found', id });
      assert.equal((await subject.events(owner)).length, 2);
    });

    it('answers with the refusal of the judge, and keeps the order', async () => {
      const subject = await open();
      const owner = anOwner();
      const order = await keep(subject, owner);
      const refusal = await refuses(subject.orders.delete(owner, order.id, () => err({ type: 'no' })));
      assert.deepEqual(refusal, { type: 'no' });
      assert.deepEqual(await succeeds(subject.orders.find(owner, order.id)), order);
      assert.equal((await subject.events(owner)).length, 1);
    });

    it('frees the reference', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await keep(subject, owner, anOrder({ reference: 'PO-1' }));
      await succeeds(subject.orders.delete(owner, id, (order) => ok(anEventOf(owner, order))));
      const next = await keep(subject, owner, anOrder({ reference: 'PO-1' }));
      assert.equal(next.reference, 'PO-1');
    });
  });
}
