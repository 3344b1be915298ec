import type { Customer } from '../../customers/customer.ts';
import { textsOf } from '../aggregate-store-contract/subject.ts';
import { change, create, remove } from '../aggregate-writes.ts';
import * as assert from '../assertions.ts';
import { aCustomer, anEventOfCustomer } from '../builders.ts';
import {
  anOwner,
  EVERY_EVENT,
  fails,
  loaded,
  removeCustomer,
  storeCustomer,
  succeeds,
  type TestRunner,
} from '../contract-subject.ts';
import { type OpenAnySubject, type OrderFixtures, removeOrder } from '../order-fixtures.ts';

const LATER = '2026-01-02T03:05:00.000Z';

/** Returns a decision that sets `fields`. */
const set = (owner: string, fields: Partial<Customer>) => (before: Customer) => {
  const after = { ...before, ...fields, version: before.version + 1, updated_at: LATER };
  return { after, event: anEventOfCustomer(owner, after) };
};

/** Returns a function that decides on a deletion. */
const deletionBy = (owner: string) => (before: Customer) =>
  anEventOfCustomer(owner, before, { type: 'customer.deleted' });

export function rulesContract(
  { describe, it }: TestRunner,
  open: OpenAnySubject,
  { anOrder, anEventOf, storeOrder, update }: OrderFixtures,
): void {
  describe('a stored customer', () => {
    it('has every field unchanged, also after a change', async () => {
      const subject = await open();
      const { customers } = subject;
      const owner = anOwner();
      const metadata = Object.fromEntries([
        ['__proto__', 'a'],
        ['2', 'two'],
      ]);
      const customer = aCustomer({ email: 'Zoë+π@Exämple.COM', name: 'Zoë “Z” 🎁', metadata });
      await storeCustomer(subject, owner, customer);
      const { aggregate } = await loaded(customers, owner, customer.id);
      assert.deepEqual(textsOf(aggregate), textsOf(customer));
      for (const fields of [{ email: 'New@Example.com', name: null, metadata: {} }, { metadata: { tier: 'gold' } }]) {
        const { aggregate: written } = await succeeds(change(customers, owner, customer.id, set(owner, fields)));
        assert.deepEqual((await loaded(customers, owner, customer.id)).aggregate, written);
      }
    });
  });

  describe('the email of a customer', () => {
    it('is refused in any case or composition, with the id of the holder', async () => {
      const subject = await open();
      const { customers } = subject;
      const owner = anOwner();
      const holder = await storeCustomer(subject, owner, aCustomer({ email: 'Jose\u0301@Example.com' }));
      const other = await storeCustomer(subject, owner);
      const taken = { type: 'email_taken', customer_id: holder.id };
      const initial = await subject.events(owner);
      for (const email of ['Jose\u0301@Example.com', 'JOSE\u0301@example.COM', 'jos\u00e9@example.com']) {
        const created = aCustomer({ email });
        const insert = create(customers, owner, created, anEventOfCustomer(owner, created));
        assert.deepEqual(await fails(insert), taken);
        assert.deepEqual(await fails(change(customers, owner, other.id, set(owner, { email }))), taken);
      }
      assert.deepEqual((await loaded(customers, owner, other.id)).aggregate, other);
      assert.deepEqual(await subject.events(owner), initial);
      const again = await succeeds(
        change(customers, owner, holder.id, set(owner, { email: 'JOSE\u0301@example.COM' })),
      );
      assert.deepEqual((await loaded(customers, owner, holder.id)).aggregate, again.aggregate);
    });

    it('is free after a deletion or a change of the holder, and in the customers of another owner', async () => {
      const subject = await open();
      const owner = anOwner();
      const first = await storeCustomer(subject, owner, aCustomer({ email: 'a@example.com' }));
      await storeCustomer(subject, anOwner(), aCustomer({ email: 'a@example.com' }));
      await removeCustomer(subject, owner, first.id);
      const second = await storeCustomer(subject, owner, aCustomer({ email: 'A@example.com' }));
      await succeeds(change(subject.customers, owner, second.id, set(owner, { email: 'b@example.com' })));
      await storeCustomer(subject, owner, aCustomer({ email: 'a@example.com' }));
    });

    it('is given to one of many concurrent customers', async () => {
      const subject = await open();
      const owner = anOwner();
      const candidates = Array.from({ length: 10 }, () => aCustomer({ email: 'one@example.com' }));
      const results = await Promise.all(
        candidates.map((customer) => create(subject.customers, owner, customer, anEventOfCustomer(owner, customer))),
      );
      const [holder, ...others] = candidates.filter((_, index) => results[index]?.isOk());
      assert.deepEqual(others, []);
      for (const result of results)
        if (result.isErr()) assert.deepEqual(result.error, { type: 'email_taken', customer_id: holder?.id });
      assert.equal((await subject.events(owner)).length, 1, EVERY_EVENT);
    });
  });

  describe('the deletion of a customer', () => {
    it('is refused while an order refers to the customer', async () => {
      const subject = await open();
      const { customers } = subject;
      const owner = anOwner();
      const customer = await storeCustomer(subject, owner);
      const { id } = customer;
      const [first, second] = [anOrder({ customer_id: id }), anOrder({ customer_id: id })];
      for (const order of [first, second]) await storeOrder(subject, owner, order);
      const refuse = async () => {
        const initial = await subject.events(owner);
        const error = await fails(remove(customers, owner, id, deletionBy(owner)));
        assert.deepEqual(error, { type: 'customer_has_orders' });
        const locked = customers.commitLocked(owner, id, undefined, ({ loaded: before }) => ({
          write: before && { kind: 'delete', before, event: deletionBy(owner)(before.aggregate), key: undefined },
          result: 'deleted',
        }));
        assert.deepEqual(await fails(locked), { type: 'refused', reason: { type: 'customer_has_orders' } });
        assert.deepEqual((await loaded(customers, owner, id)).aggregate, customer);
        assert.deepEqual(await subject.events(owner), initial);
      };
      await refuse();
      await update(subject, owner, first.id, { customer_id: null });
      await refuse();
      await removeOrder(subject, owner, second.id);
      await removeCustomer(subject, owner, id);
      assert.equal(await succeeds(customers.load(owner, id)), null);
    });

    it('never leaves an order without its customer when the order is placed concurrently', async () => {
      const subject = await open();
      const owner = anOwner();
      for (let count = 0; count < 5; count += 1) {
        const { id } = await storeCustomer(subject, owner);
        const order = anOrder({ customer_id: id });
        const [placed, deleted] = await Promise.all([
          create(subject.orders, owner, order, anEventOf(owner, order)),
          remove(subject.customers, owner, id, deletionBy(owner)),
        ]);
        assert.equal(placed.isOk(), deleted.isErr());
        if (placed.isErr()) assert.deepEqual(placed.error, { type: 'unknown_customer' });
        if (deleted.isErr()) assert.deepEqual(deleted.error, { type: 'customer_has_orders' });
      }
    });
  });
}
