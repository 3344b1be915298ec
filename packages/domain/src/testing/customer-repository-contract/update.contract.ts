import * as assert from '../assertions.ts';
import { err, ok, type Result } from 'neverthrow';
import type { CustomerDecision } from '../../customers/customer-repository.ts';
import type { Customer } from '../../customers/customer.ts';
import { aCustomer, anEventOfCustomer } from '../builders.ts';
import { anOwner, fails, storeCustomer, succeeds, type TestRunner } from '../contract-subject.ts';
import type { OpenAnySubject } from '../order-fixtures.ts';

const LATER = '2026-01-02T03:05:00.000Z';

/** Returns a decision that changes `fields`; without fields, it changes nothing. */
function change(owner: string, fields: Partial<Customer>): (before: Customer) => Result<CustomerDecision, never> {
  return (before) => {
    if (Object.keys(fields).length === 0) return ok({ customer: before, event: null });
    const customer = { ...before, ...fields, version: before.version + 1, updated_at: LATER };
    return ok({ customer, event: anEventOfCustomer(owner, customer) });
  };
}

export function updateContract({ describe, it }: TestRunner, open: OpenAnySubject): void {
  describe('updating a customer', () => {
    it('stores every field that may change, and records one event', async () => {
      const subject = await open();
      const owner = anOwner();
      const before = await storeCustomer(subject, owner);
      const fields = { email: 'New@Example.com', name: 'Ada', metadata: { tier: 'gold' } };
      const { customer, event } = await succeeds(subject.customers.update(owner, before.id, change(owner, fields)));
      assert.deepEqual(customer, { ...before, ...fields, version: 2, updated_at: LATER });
      assert.deepEqual(await succeeds(subject.customers.find(owner, before.id)), customer);
      assert.deepEqual((await subject.events(owner)).slice(1), [event]);
    });

    it('stores and records nothing when nothing changes, or when the change fails', async () => {
      const subject = await open();
      const owner = anOwner();
      const before = await storeCustomer(subject, owner);
      const nothing = await succeeds(subject.customers.update(owner, before.id, change(owner, {})));
      assert.deepEqual(nothing, { customer: before, event: null, replayed: false });
      const error = await fails(subject.customers.update(owner, before.id, () => err({ type: 'no' })));
      assert.deepEqual(error, { type: 'no' });
      assert.deepEqual(await succeeds(subject.customers.find(owner, before.id)), before);
      assert.equal((await subject.events(owner)).length, 1);
    });

    it('returns customer_not_found for an unknown id, without calling change', async () => {
      const { customers } = await open();
      const { id } = aCustomer();
      const error = await fails(customers.update(anOwner(), id, () => assert.fail('change was called')));
      assert.deepEqual(error, { type: 'customer_not_found', id });
    });

    it('rejects the email of another customer, but accepts its own in another case', async () => {
      const subject = await open();
      const owner = anOwner();
      const holder = await storeCustomer(subject, owner, aCustomer({ email: 'a@example.com' }));
      const other = await storeCustomer(subject, owner, aCustomer({ email: 'b@example.com' }));
      const take = change(owner, { email: 'A@example.com' });
      const error = await fails(subject.customers.update(owner, other.id, take));
      assert.deepEqual(error, { type: 'email_taken', customer_id: holder.id });
      assert.deepEqual(await succeeds(subject.customers.find(owner, other.id)), other);
      assert.equal((await subject.events(owner)).length, 2);
      const { customer } = await succeeds(subject.customers.update(owner, holder.id, take));
      assert.equal(customer.email, 'A@example.com');
    });

    it('loses none of many concurrent changes', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeCustomer(subject, owner);
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          succeeds(
            subject.customers.update(owner, id, (before) =>
              change(owner, { metadata: { ...before.metadata, [`k${index}`]: 'set' } })(before),
            ),
          ),
        ),
      );
      const found = await succeeds(subject.customers.find(owner, id));
      assert.equal(found.version, 21);
      assert.equal(Object.keys(found.metadata).length, 20);
      assert.equal((await subject.events(owner)).length, 21);
    });
  });
}
