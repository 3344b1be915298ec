import * as assert from '../assertions.ts';
import { err, ok } from 'neverthrow';
import type { Customer } from '../../customers/customer.ts';
import { aCustomer, aKey, anEventOfCustomer } from '../builders.ts';
import { anOwner, fails, storeCustomer, succeeds, type TestRunner } from '../contract-subject.ts';
import type { OpenAnySubject, OrderFixtures } from '../order-fixtures.ts';

export function idempotencyContract(
  { describe, it }: TestRunner,
  open: OpenAnySubject,
  { anOrder, anEventOf }: OrderFixtures,
): void {
  describe('a customer write with an idempotency key', () => {
    const reused = { type: 'idempotency_key_reused' };

    it('creates one customer for concurrent retries', async () => {
      const subject = await open();
      const owner = anOwner();
      const idempotency = aKey();
      const results = await Promise.all(
        Array.from({ length: 20 }, () => {
          const customer = aCustomer({ email: 'one@example.com' });
          return succeeds(
            subject.customers.insert(owner, { customer, event: anEventOfCustomer(owner, customer) }, idempotency),
          );
        }),
      );
      assert.equal(results.filter(({ replayed }) => !replayed).length, 1);
      assert.equal(new Set(results.map(({ customer }) => customer.id)).size, 1);
      assert.equal((await subject.events(owner)).length, 1);
    });

    it('replays a change with its first result', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeCustomer(subject, owner);
      const idempotency = aKey();
      const rename = (name: string, key = idempotency) =>
        subject.customers.update(
          owner,
          id,
          (before) => {
            const customer = { ...before, name, version: before.version + 1 };
            return ok({ customer, event: anEventOfCustomer(owner, customer) });
          },
          key,
        );
      const first = await succeeds(rename('Ada'));
      await succeeds(rename('Grace', aKey()));
      assert.deepEqual(await succeeds(rename('Ada')), { customer: first.customer, event: null, replayed: true });
    });

    it('replays a creation, and a change without effect, with their first results', async () => {
      const { customers } = await open();
      const owner = anOwner();
      const [creation, nothing] = [aKey(), aKey()];
      const customer = aCustomer();
      const create = () => customers.insert(owner, { customer, event: anEventOfCustomer(owner, customer) }, creation);
      const touch = () =>
        customers.update(owner, customer.id, (before) => ok({ customer: before, event: null }), nothing);
      await succeeds(create());
      assert.equal((await succeeds(touch())).replayed, false);
      const rename = (before: Customer) => {
        const renamed = { ...before, name: 'Ada', version: 2 };
        return ok({ customer: renamed, event: anEventOfCustomer(owner, renamed) });
      };
      await succeeds(customers.update(owner, customer.id, rename));
      assert.deepEqual(await succeeds(create()), { customer, event: null, replayed: true });
      assert.deepEqual(await succeeds(touch()), { customer, event: null, replayed: true });
    });

    it('creates one of several different customers that are created concurrently with one key', async () => {
      const subject = await open();
      const owner = anOwner();
      const idempotency = aKey();
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, index) => {
          const customer = aCustomer();
          const created = { customer, event: anEventOfCustomer(owner, customer) };
          return subject.customers.insert(owner, created, { ...idempotency, fingerprint: `command ${index}` });
        }),
      );
      assert.equal(results.filter((result) => result.isOk()).length, 1);
      for (const result of results) if (result.isErr()) assert.deepEqual(result.error, reused);
      assert.equal((await subject.events(owner)).length, 1);
    });

    it('looks up the key before the customer, the change and the email', async () => {
      const subject = await open();
      const owner = anOwner();
      const idempotency = aKey();
      const holder = await storeCustomer(subject, owner, aCustomer(), idempotency);
      const other = { ...idempotency, fingerprint: 'another' };
      const failIfCalled = () => assert.fail('change ran for a customer');
      assert.deepEqual(await fails(subject.customers.update(owner, aCustomer().id, failIfCalled, other)), reused);
      assert.deepEqual(await fails(subject.customers.delete(owner, aCustomer().id, failIfCalled, other)), reused);
      const taken = aCustomer({ email: holder.email });
      const created = { customer: taken, event: anEventOfCustomer(owner, taken) };
      assert.deepEqual(await fails(subject.customers.insert(owner, created, other)), reused);
    });

    it('leaves the key unused when it fails', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id, email } = await storeCustomer(subject, owner);
      const idempotency = aKey();
      const under = (fingerprint: string) => ({ ...idempotency, fingerprint });
      const no = () => err({ type: 'no' });
      const taken = aCustomer({ email });
      const created = { customer: taken, event: anEventOfCustomer(owner, taken) };
      await fails(subject.customers.insert(owner, created, under('a creation')));
      await fails(subject.customers.update(owner, id, no, under('a change')));
      await fails(subject.customers.delete(owner, id, no, under('a deletion')));
      const corrected = aCustomer();
      assert.deepEqual(await storeCustomer(subject, owner, corrected, under('corrected')), corrected);
    });

    it('can use a key again after it expires', async () => {
      const subject = await open();
      const owner = anOwner();
      const idempotency = aKey();
      await storeCustomer(subject, owner, aCustomer(), idempotency);
      const later = { fingerprint: 'another', now: idempotency.expires_at, expires_at: '2026-02-01T00:00:00.000Z' };
      const second = aCustomer();
      assert.deepEqual(await storeCustomer(subject, owner, second, { ...idempotency, ...later }), second);
    });

    it('rejects a key that an order was placed with, and the reverse', async () => {
      const subject = await open();
      const owner = anOwner();
      const [first, second] = [aKey({ fingerprint: 'an order' }), aKey({ fingerprint: 'a customer' })];
      const order = anOrder();
      const placing = { order, event: anEventOf(owner, order) };
      const customer = aCustomer();
      const creating = { customer, event: anEventOfCustomer(owner, customer) };
      await succeeds(subject.orders.insert(owner, placing, first));
      await succeeds(subject.customers.insert(owner, creating, second));
      const asCustomer = { ...first, fingerprint: 'a customer' };
      const asOrder = { ...second, fingerprint: 'an order' };
      assert.deepEqual(await fails(subject.customers.insert(owner, creating, asCustomer)), reused);
      assert.deepEqual(await fails(subject.orders.insert(owner, placing, asOrder)), reused);
    });
  });
}
