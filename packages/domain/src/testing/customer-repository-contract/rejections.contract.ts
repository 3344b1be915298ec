import { ok } from 'neverthrow';
import type { Customer } from '../../customers/customer.ts';
import * as assert from '../assertions.ts';
import { aCustomer, aKey, anEventOfCustomer } from '../builders.ts';
import { anOwner, rejects, storeCustomer, succeeds, type TestRunner } from '../contract-subject.ts';
import { INVALID_TIMESTAMPS, THROWN_VALUES, UNSTORABLE_TEXTS, WRONG_VERSIONS } from '../invalid-values.ts';
import type { OpenAnySubject } from '../order-fixtures.ts';

export function rejectionsContract({ describe, it }: TestRunner, open: OpenAnySubject): void {
  describe('a customer write with a bug of its caller', () => {
    it('rejects a new customer with an existing id, overwrites nothing and leaves the key unused', async () => {
      const subject = await open();
      const owner = anOwner();
      const customer = await storeCustomer(subject, owner);
      const idempotency = aKey();
      for (const email of [customer.email, 'other@example.com']) {
        const again = aCustomer({ id: customer.id, email, name: 'overwritten' });
        const created = { customer: again, event: anEventOfCustomer(owner, again) };
        await rejects(() => subject.customers.insert(owner, created));
        await rejects(() => subject.customers.insert(owner, created, idempotency));
      }
      assert.deepEqual(await succeeds(subject.customers.find(owner, customer.id)), customer);
      assert.equal((await subject.events(owner)).length, 1);
      const next = aCustomer();
      assert.deepEqual(await storeCustomer(subject, owner, next, { ...idempotency, fingerprint: 'another' }), next);
    });

    it('rejects a customer or event whose version is not the next one, stores nothing and leaves the key unused', async () => {
      const subject = await open();
      const owner = anOwner();
      const { customers } = subject;
      const customer = await storeCustomer(subject, owner);
      const idempotency = aKey();
      const another = aCustomer();
      const event = anEventOfCustomer(owner, another, { version: 2 });
      await rejects(() => customers.insert(owner, { customer: another, event }, idempotency));
      for (const [version, versionOfEvent] of WRONG_VERSIONS) {
        const change = (before: Customer) => {
          const after = { ...before, name: 'x', version };
          return ok({ customer: after, event: anEventOfCustomer(owner, after, { version: versionOfEvent }) });
        };
        await rejects(() => customers.update(owner, customer.id, change, idempotency));
      }
      for (const version of [0, 1, 3]) {
        const deletion = () => ok(anEventOfCustomer(owner, customer, { type: 'customer.deleted', version }));
        await rejects(() => customers.delete(owner, customer.id, deletion, idempotency));
      }
      assert.deepEqual(await succeeds(customers.find(owner, customer.id)), customer);
      assert.equal((await subject.events(owner)).length, 1);
      const next = aCustomer();
      assert.deepEqual(await storeCustomer(subject, owner, next, { ...idempotency, fingerprint: 'another' }), next);
    });

    for (const [name, thrown] of THROWN_VALUES) {
      it(`rejects with the value that change or decide throws, and stores nothing: ${name}`, async () => {
        const subject = await open();
        const owner = anOwner();
        const customer = await storeCustomer(subject, owner);
        const raise = () => {
          throw thrown;
        };
        const { customers } = subject;
        const idempotency = aKey();
        for (let count = 0; count < 12; count += 1) {
          assert.equal(await rejects(() => customers.update(owner, customer.id, raise, idempotency)), thrown);
          assert.equal(await rejects(() => customers.delete(owner, customer.id, raise, idempotency)), thrown);
        }
        assert.deepEqual(await succeeds(customers.find(owner, customer.id)), customer);
        assert.equal((await subject.events(owner)).length, 1);
        const next = aCustomer();
        assert.deepEqual(await storeCustomer(subject, owner, next, { ...idempotency, fingerprint: 'another' }), next);
      });
    }

    for (const [name, text] of UNSTORABLE_TEXTS) {
      it(`rejects text with ${name}, and stores nothing`, async () => {
        const subject = await open();
        const owner = anOwner();
        const customer = await storeCustomer(subject, owner);
        const fields = [{ email: `${text}@example.com` }, { name: text }];
        for (const overrides of [...fields, { metadata: { value: text } }, { metadata: { [text]: 'key' } }]) {
          const bad = aCustomer(overrides);
          const created = { customer: bad, event: anEventOfCustomer(owner, bad) };
          await rejects(() => subject.customers.insert(owner, created));
          await rejects(() => subject.customers.update(owner, customer.id, changeTo(owner, overrides)));
        }
        assert.deepEqual(await succeeds(subject.customers.find(owner, customer.id)), customer);
        assert.equal((await subject.events(owner)).length, 1);
      });
    }

    for (const time of INVALID_TIMESTAMPS) {
      it(`rejects a time that is not RFC 3339 in UTC with milliseconds, and stores nothing: ${time}`, async () => {
        const subject = await open();
        const owner = anOwner();
        const customer = await storeCustomer(subject, owner);
        const overrides = { updated_at: time };
        for (const bad of [aCustomer(overrides), aCustomer({ created_at: time, updated_at: customer.updated_at })]) {
          const event = anEventOfCustomer(owner, customer);
          await rejects(() => subject.customers.insert(owner, { customer: bad, event }));
        }
        const good = aCustomer();
        const event = anEventOfCustomer(owner, good, { occurred_at: time });
        await rejects(() => subject.customers.insert(owner, { customer: good, event }));
        await rejects(() => subject.customers.update(owner, customer.id, changeTo(owner, overrides)));
        const deletion = anEventOfCustomer(owner, customer, { type: 'customer.deleted', occurred_at: time });
        await rejects(() => subject.customers.delete(owner, customer.id, () => ok(deletion)));
        assert.deepEqual(await succeeds(subject.customers.find(owner, customer.id)), customer);
        assert.equal((await subject.events(owner)).length, 1);
      });
    }
  });
}

const changeTo = (owner: string, fields: Partial<Customer>) => (before: Customer) => {
  const customer = { ...before, ...fields, version: 2 };
  return ok({ customer, event: anEventOfCustomer(owner, { ...customer, updated_at: before.updated_at }) });
};
