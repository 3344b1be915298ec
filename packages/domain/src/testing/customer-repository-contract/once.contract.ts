import assert from 'node:assert/strict';
import { ok } from 'neverthrow';
import { aCustomer, aKey, anEventOf, anEventOfCustomer, anOrder } from '../builders.ts';
import { anOwner, keepCustomer, type OpenSubject, refuses, succeeds, type TestRunner } from '../contract-subject.ts';

export function onceContract({ describe, it }: TestRunner, open: OpenSubject): void {
  describe('a write of a customer with a key', () => {
    it('creates one customer when repeated at once', async () => {
      const subject = await open();
      const owner = anOwner();
      const once = aKey();
      const results = await Promise.all(
        Array.from({ length: 20 }, () => {
          const customer = aCustomer({ email: 'one@example.com' });
          return succeeds(
            subject.customers.insert(owner, { customer, event: anEventOfCustomer(owner, customer) }, once),
          );
        }),
      );
      assert.equal(results.filter(({ replayed }) => !replayed).length, 1);
      assert.equal(new Set(results.map(({ customer }) => customer.id)).size, 1);
      assert.equal((await subject.events(owner)).length, 1);
    });

    it('replays a change as it was', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await keepCustomer(subject, owner);
      const once = aKey();
      const rename = (name: string, key = once) =>
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

    it('is refused under a key that an order was placed with, and the other way round', async () => {
      const subject = await open();
      const owner = anOwner();
      const [first, second] = [aKey({ fingerprint: 'an order' }), aKey({ fingerprint: 'a customer' })];
      const order = anOrder();
      const placing = { order, event: anEventOf(owner, order) };
      const customer = aCustomer();
      const creating = { customer, event: anEventOfCustomer(owner, customer) };
      await succeeds(subject.orders.insert(owner, placing, first));
      await succeeds(subject.customers.insert(owner, creating, second));
      const reused = { type: 'idempotency_key_reused' };
      const asCustomer = { ...first, fingerprint: 'a customer' };
      const asOrder = { ...second, fingerprint: 'an order' };
      assert.deepEqual(await refuses(subject.customers.insert(owner, creating, asCustomer)), reused);
      assert.deepEqual(await refuses(subject.orders.insert(owner, placing, asOrder)), reused);
    });
  });
}
