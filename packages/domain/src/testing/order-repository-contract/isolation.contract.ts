import * as assert from '../assertions.ts';
import { ok } from 'neverthrow';
import { parseOrderQuery } from '../../orders/order-query.ts';
import { aKey, anEventOf, anOrder } from '../builders.ts';
import { anOwner, decide, keep, type OpenSubject, refuses, succeeds, type TestRunner } from '../contract-subject.ts';

export function isolationContract({ describe, it }: TestRunner, open: OpenSubject): void {
  describe("another owner's order", () => {
    it('is not found, changed or deleted by its id', async () => {
      const subject = await open();
      const owner = anOwner();
      const stranger = anOwner();
      const order = await keep(subject, owner);
      const notFound = { type: 'order_not_found', id: order.id };
      const { orders } = subject;
      assert.deepEqual(await refuses(orders.find(stranger, order.id)), notFound);
      assert.deepEqual(await refuses(orders.update(stranger, order.id, decide(stranger, { note: 'x' }))), notFound);
      const judge = () => ok(anEventOf(stranger, order));
      assert.deepEqual(await refuses(orders.delete(stranger, order.id, judge)), notFound);
      assert.deepEqual(await succeeds(orders.find(owner, order.id)), order);
      assert.deepEqual(await subject.events(stranger), []);
    });

    it('is not listed, and its reference and keys are not in the way', async () => {
      const subject = await open();
      const owner = anOwner();
      const stranger = anOwner();
      const idempotency = aKey();
      await keep(subject, owner, anOrder({ reference: 'PO-1' }), idempotency);
      const own = await keep(subject, stranger, anOrder({ reference: 'PO-1' }), {
        ...idempotency,
        fingerprint: 'another',
      });
      const page = await succeeds(subject.orders.list(stranger, parseOrderQuery({})._unsafeUnwrap()));
      assert.deepEqual(page.data, [own]);
    });
  });
}
