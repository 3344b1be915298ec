import * as assert from '../assertions.ts';
import { ok } from 'neverthrow';
import { InvalidFields } from '../../shared/validation.ts';
import { readPageQuery } from '../../shared/page-query.ts';
import { aCustomer, aKey, anEventOfCustomer } from '../builders.ts';
import { anOwner, fails, storeCustomer, succeeds, type TestRunner } from '../contract-subject.ts';
import type { OpenAnySubject } from '../order-fixtures.ts';

export function createContract({ describe, it }: TestRunner, open: OpenAnySubject): void {
  describe('creating a customer', () => {
    it('stores every field unchanged, and records the event', async () => {
      const subject = await open();
      const owner = anOwner();
      const metadata = Object.fromEntries([
        ['__proto__', 'a'],
        ['2', 'two'],
      ]);
      const customer = aCustomer({ email: 'Zoë+π@Exämple.COM', name: 'Zoë “Z” 🎁', metadata });
      const event = anEventOfCustomer(owner, customer);
      const written = await succeeds(subject.customers.insert(owner, { customer, event }));
      assert.deepEqual(written, { customer, event, replayed: false });
      assert.deepEqual(await succeeds(subject.customers.find(owner, customer.id)), customer);
      assert.deepEqual(await subject.events(owner), [event]);
    });

    it('rejects an email that differs only in case or composition, and returns the holder', async () => {
      const subject = await open();
      const owner = anOwner();
      const holder = await storeCustomer(subject, owner, aCustomer({ email: 'Jose\u0301@Example.com' }));
      for (const email of ['Jose\u0301@Example.com', 'JOSE\u0301@example.COM', 'jos\u00e9@example.com']) {
        const customer = aCustomer({ email });
        const created = { customer, event: anEventOfCustomer(owner, customer) };
        const error = await fails(subject.customers.insert(owner, created));
        assert.deepEqual(error, { type: 'email_taken', customer_id: holder.id });
      }
      assert.equal((await subject.events(owner)).length, 1);
    });

    it('accepts one of many concurrent customers with the same email', async () => {
      const subject = await open();
      const owner = anOwner();
      const results = await Promise.all(
        Array.from({ length: 10 }, () => {
          const customer = aCustomer({ email: 'one@example.com' });
          return subject.customers.insert(owner, { customer, event: anEventOfCustomer(owner, customer) });
        }),
      );
      assert.equal(results.filter((result) => result.isOk()).length, 1);
      for (const result of results) if (result.isErr()) assert.equal(result.error.type, 'email_taken');
      assert.equal((await subject.events(owner)).length, 1);
    });

    it('copies arguments and results, so that changing them does not change the store', async () => {
      const { customers } = await open();
      const owner = anOwner();
      const customer = aCustomer({ metadata: { tier: 'gold' } });
      const idempotency = aKey();
      const insert = async () =>
        (await succeeds(customers.insert(owner, { customer, event: anEventOfCustomer(owner, customer) }, idempotency)))
          .customer;
      const find = () => succeeds(customers.find(owner, customer.id));
      const list = async () => (await succeeds(customers.list(owner, readPageQuery({}, new InvalidFields())))).data[0];
      const touch = async () =>
        (await succeeds(customers.update(owner, customer.id, (before) => ok({ customer: before, event: null }))))
          .customer;
      for (const way of [insert, insert, find, find, list, list, touch, touch, find]) {
        const copy = await way();
        assert.deepEqual(copy?.metadata, { tier: 'gold' });
        for (const one of [copy, customer]) Object.assign(one.metadata, { tier: 'lead' });
      }
    });
  });
}
