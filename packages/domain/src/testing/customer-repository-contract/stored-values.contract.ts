import { ok } from 'neverthrow';
import type { Customer } from '../../customers/customer.ts';
import { InvalidFields } from '../../shared/validation.ts';
import { readPageQuery } from '../../shared/page-query.ts';
import * as assert from '../assertions.ts';
import { aCustomer, aKey, anEventOfCustomer } from '../builders.ts';
import {
  anOwner,
  decideCustomerDeletion,
  fails,
  rejects,
  storeCustomer,
  succeeds,
  type TestRunner,
} from '../contract-subject.ts';
import type { OpenAnySubject } from '../order-fixtures.ts';

export function storedValuesContract({ describe, it }: TestRunner, open: OpenAnySubject): void {
  describe('a decision about a customer', () => {
    it('stores nothing without an event: the write and its replay return the stored customer', async () => {
      const subject = await open();
      const owner = anOwner();
      const holder = await storeCustomer(subject, owner);
      const customer = await storeCustomer(subject, owner);
      const idempotency = aKey();
      const renamed = { name: 'x', email: holder.email };
      const changed = (before: Customer) => ok({ customer: { ...before, ...renamed }, event: null });
      const update = () => subject.customers.update(owner, customer.id, changed, idempotency);
      assert.deepEqual(await succeeds(update()), { customer, event: null, replayed: false });
      assert.deepEqual(await succeeds(subject.customers.find(owner, customer.id)), customer);
      assert.deepEqual(await succeeds(update()), { customer, event: null, replayed: true });
      assert.equal((await subject.events(owner)).length, 2);
    });

    it('never changes id and created_at of the written, stored and replayed customer', async () => {
      const subject = await open();
      const owner = anOwner();
      const customer = await storeCustomer(subject, owner);
      const idempotency = aKey();
      const { id, created_at } = aCustomer({ created_at: '2025-01-01T00:00:00.000Z' });
      const changed = (before: Customer) => {
        const after = { ...before, id, created_at, name: 'x', version: 2 };
        return ok({ customer: after, event: anEventOfCustomer(owner, { ...after, id: customer.id }) });
      };
      const update = () => subject.customers.update(owner, customer.id, changed, idempotency);
      const expected = { ...customer, name: 'x', version: 2 };
      assert.deepEqual((await succeeds(update())).customer, expected);
      assert.deepEqual(await succeeds(subject.customers.find(owner, customer.id)), expected);
      assert.deepEqual(await succeeds(update()), { customer: expected, event: null, replayed: true });
      assert.equal((await fails(subject.customers.find(owner, id))).type, 'customer_not_found');
    });
  });

  describe('a customer with an upper-case id', () => {
    it('is stored, recorded and returned in lower case, and accessible by an id in either case', async () => {
      const subject = await open();
      const owner = anOwner();
      const { customers } = subject;
      const customer = aCustomer();
      const id = customer.id.toUpperCase();
      const upper = { ...customer, id };
      const idempotency = aKey();
      assert.deepEqual(await storeCustomer(subject, owner, upper, idempotency), customer);
      assert.deepEqual(await storeCustomer(subject, owner, aCustomer(), idempotency), customer);
      assert.deepEqual(await succeeds(customers.find(owner, id)), customer);
      assert.equal((await subject.events(owner))[0]?.aggregate_id, customer.id);
      await rejects(() => customers.insert(owner, { customer: upper, event: anEventOfCustomer(owner, upper) }));
      const after = { value: customer.created_at, id };
      const query = { ...readPageQuery({}, new InvalidFields()), after };
      assert.deepEqual((await succeeds(customers.list(owner, query))).data, []);
      const rename = (before: Customer) => {
        const renamed = { ...before, name: 'Ada', version: 2 };
        return ok({ customer: renamed, event: anEventOfCustomer(owner, renamed) });
      };
      assert.equal((await succeeds(customers.update(owner, id, rename))).customer.id, customer.id);
      await succeeds(customers.delete(owner, id, decideCustomerDeletion(owner)));
      assert.equal((await fails(customers.find(owner, customer.id))).type, 'customer_not_found');
      // The deletion by an upper-case id also erased the customer from the recorded result of the creation.
      const again = aCustomer();
      const created = { customer: again, event: anEventOfCustomer(owner, again) };
      assert.equal((await fails(customers.insert(owner, created, idempotency))).type, 'customer_not_found');
    });
  });
}
