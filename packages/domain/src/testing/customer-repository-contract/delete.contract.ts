import * as assert from '../assertions.ts';
import { err, ok } from 'neverthrow';
import { aCustomer, aKey, anEventOfCustomer } from '../builders.ts';
import {
  anOwner,
  decideCustomerDeletion,
  fails,
  storeCustomer,
  succeeds,
  type TestRunner,
} from '../contract-subject.ts';
import type { OpenAnySubject, OrderFixtures } from '../order-fixtures.ts';

export function deleteContract(
  { describe, it }: TestRunner,
  open: OpenAnySubject,
  { anOrder, anEventOf, storeOrder, decide }: OrderFixtures,
): void {
  describe('deleting a customer', () => {
    it('removes the customer, records the event and frees the email', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeCustomer(subject, owner, aCustomer({ email: 'a@example.com' }));
      const deleted = await succeeds(subject.customers.delete(owner, id, decideCustomerDeletion(owner)));
      const notFound = { type: 'customer_not_found', id };
      assert.deepEqual(await fails(subject.customers.find(owner, id)), notFound);
      assert.deepEqual(await fails(subject.customers.delete(owner, id, decideCustomerDeletion(owner))), notFound);
      assert.deepEqual((await subject.events(owner)).slice(1), [deleted.event]);
      await storeCustomer(subject, owner, aCustomer({ email: 'A@example.com' }));
    });

    it('returns the error of decide, and keeps the customer', async () => {
      const subject = await open();
      const owner = anOwner();
      const customer = await storeCustomer(subject, owner);
      const error = await fails(subject.customers.delete(owner, customer.id, () => err({ type: 'no' })));
      assert.deepEqual(error, { type: 'no' });
      assert.deepEqual(await succeeds(subject.customers.find(owner, customer.id)), customer);
      assert.equal((await subject.events(owner)).length, 1);
    });

    it('fails while an order refers to the customer, and changes nothing', async () => {
      const subject = await open();
      const owner = anOwner();
      const customer = await storeCustomer(subject, owner);
      const order = await storeOrder(subject, owner, anOrder({ customer_id: customer.id }));
      const error = await fails(subject.customers.delete(owner, customer.id, decideCustomerDeletion(owner)));
      assert.deepEqual(error, { type: 'customer_has_orders' });
      assert.deepEqual(await succeeds(subject.customers.find(owner, customer.id)), customer);
      assert.equal((await subject.events(owner)).length, 2);
      await succeeds(subject.orders.update(owner, order.id, decide(owner, { customer_id: null })));
      await succeeds(subject.customers.delete(owner, customer.id, decideCustomerDeletion(owner)));
    });

    it('never leaves an order without its customer when the order is placed concurrently', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeCustomer(subject, owner);
      const order = anOrder({ customer_id: id });
      const [placed, deleted] = await Promise.all([
        subject.orders.insert(owner, { order, event: anEventOf(owner, order) }),
        subject.customers.delete(owner, id, decideCustomerDeletion(owner)),
      ]);
      assert.equal(placed.isOk(), deleted.isErr());
    });

    it('erases this customer alone from the recorded results, whose keys stay used', async () => {
      const subject = await open();
      const owner = anOwner();
      const [creation, deletion, update] = [aKey(), aKey(), aKey()];
      const customer = await storeCustomer(subject, owner, aCustomer(), creation);
      const [stays, staying] = [aCustomer(), aKey()];
      await storeCustomer(subject, owner, stays, staying);
      const touch = () =>
        subject.customers.update(owner, customer.id, (before) => ok({ customer: before, event: null }), update);
      await succeeds(touch());
      await succeeds(subject.customers.delete(owner, customer.id, decideCustomerDeletion(owner), deletion));
      const again = aCustomer();
      const created = { customer: again, event: anEventOfCustomer(owner, again) };
      const error = await fails(subject.customers.insert(owner, created, creation));
      assert.deepEqual(error, { type: 'customer_not_found', id: customer.id });
      assert.deepEqual(await fails(touch()), { type: 'customer_not_found', id: customer.id });
      const repeated = await succeeds(
        subject.customers.delete(owner, customer.id, decideCustomerDeletion(owner), deletion),
      );
      assert.deepEqual(repeated, { event: null, replayed: true });
      assert.deepEqual(await storeCustomer(subject, owner, stays, staying), stays);
      const other = { ...creation, fingerprint: 'another' };
      const reused = await fails(subject.customers.insert(owner, created, other));
      assert.deepEqual(reused, { type: 'idempotency_key_reused' });
    });
  });
}
