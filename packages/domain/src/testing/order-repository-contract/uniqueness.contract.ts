import * as assert from '../assertions.ts';
import { anOwner, fails, succeeds, type TestRunner } from '../contract-subject.ts';
import type { OpenAnySubject, OrderFixtures } from '../order-fixtures.ts';

export function uniquenessContract(
  { describe, it }: TestRunner,
  open: OpenAnySubject,
  { anOrder, anEventOf, storeOrder, decide, cancellable, cancellation }: OrderFixtures,
): void {
  describe('an order reference', () => {
    it('is rejected for a second order with the id of the holder, even a cancelled one', async () => {
      const subject = await open();
      const owner = anOwner();
      const holder = await storeOrder(subject, owner, anOrder({ status: cancellable, reference: 'PO-1' }));
      await succeeds(subject.orders.update(owner, holder.id, decide(owner, cancellation)));
      const second = anOrder({ reference: 'PO-1' });
      const error = await fails(subject.orders.insert(owner, { order: second, event: anEventOf(owner, second) }));
      assert.deepEqual(error, { type: 'reference_taken', order_id: holder.id });
      assert.equal((await subject.events(owner)).length, 2);
    });

    it('is rejected for a change, which then changes nothing', async () => {
      const subject = await open();
      const owner = anOwner();
      const holder = await storeOrder(subject, owner, anOrder({ reference: 'PO-1' }));
      const other = await storeOrder(subject, owner);
      const change = decide(owner, { reference: 'PO-1', note: 'x' });
      const error = await fails(subject.orders.update(owner, other.id, change));
      assert.deepEqual(error, { type: 'reference_taken', order_id: holder.id });
      assert.deepEqual(await succeeds(subject.orders.find(owner, other.id)), other);
    });

    it('is checked after the customer, whose error has priority', async () => {
      const subject = await open();
      const owner = anOwner();
      const holder = await storeOrder(subject, owner, anOrder({ reference: 'PO-1' }));
      const order = anOrder({ reference: 'PO-1', customer_id: holder.id });
      const error = await fails(subject.orders.insert(owner, { order, event: anEventOf(owner, order) }));
      assert.deepEqual(error, { type: 'unknown_customer' });
    });

    it('is compared exactly', async () => {
      const subject = await open();
      const owner = anOwner();
      for (const reference of ['PO-1', 'po-1', 'PO-1 ', 'é', 'e\u0301']) {
        const { reference: stored } = await storeOrder(subject, owner, anOrder({ reference }));
        assert.equal(stored, reference);
      }
    });

    it('may be absent from any number of orders', async () => {
      const subject = await open();
      const owner = anOwner();
      await storeOrder(subject, owner);
      const second = await storeOrder(subject, owner);
      assert.equal(second.reference, null);
    });

    it('is given to one of many concurrent orders', async () => {
      const subject = await open();
      const owner = anOwner();
      const candidates = Array.from({ length: 10 }, () => anOrder({ reference: 'PO-1' }));
      const results = await Promise.all(
        candidates.map((order) => subject.orders.insert(owner, { order, event: anEventOf(owner, order) })),
      );
      const successes = results.filter((result) => result.isOk());
      assert.equal(successes.length, 1);
      for (const result of results) {
        if (result.isErr()) assert.equal(result.error.type, 'reference_taken');
      }
      assert.equal((await subject.events(owner)).length, 1);
    });
  });
}
