import { ok, type Result } from 'neverthrow';
import type { CustomerDecision } from '../../customers/customer-repository.ts';
import type { Customer } from '../../customers/customer.ts';
import type { Idempotency } from '../../shared/idempotency.ts';
import type { Owner } from '../../shared/ids.ts';
import * as assert from '../assertions.ts';
import { aCustomer, aKey, anEventOfCustomer } from '../builders.ts';
import {
  anOwner,
  decideCustomerDeletion,
  fails,
  storeCustomer,
  succeeds,
  type TestRunner,
} from '../contract-subject.ts';
import type { AnySubject, OpenAnySubject } from '../order-fixtures.ts';

/** Metadata whose keys lose their order, or disappear, when they are sorted or assigned to an object. */
const METADATA = Object.fromEntries([
  ['z', '1'],
  ['__proto__', '2'],
  ['10', 'ten'],
  ['a', '“é” 🎁'],
]);

/** Returns a callback of {@link CustomerRepository.update} that changes the name. */
function rename(owner: Owner, name: string): (before: Customer) => Result<CustomerDecision, never> {
  return (before) => {
    const customer = { ...before, name, version: before.version + 1 };
    return ok({ customer, event: anEventOfCustomer(owner, customer, { changed: ['name'], actor: `client:${name}` }) });
  };
}

/** Creates a customer and changes it twice with keys; a third keyed change has no effect. Each call is a retry. */
function keyedWrites({ customers }: AnySubject, owner: Owner, customer: Customer) {
  const update = (change: (before: Customer) => Result<CustomerDecision, never>) => {
    const idempotency = aKey();
    return () => customers.update(owner, customer.id, change, idempotency);
  };
  const creation: Idempotency = aKey();
  const event = anEventOfCustomer(owner, customer, { actor: 'api_key:ord_4fT9' });
  return [
    () => customers.insert(owner, { customer, event }, creation),
    update(rename(owner, 'Ada')),
    update((before) => ok({ customer: before, event: null })),
    update(rename(owner, 'Grace')),
  ];
}

export function versionsContract({ describe, it }: TestRunner, open: OpenAnySubject): void {
  describe('the versions of a customer', () => {
    it('are recorded with one event each, with its actor, and the deletion is the last', async () => {
      const subject = await open();
      const owner = anOwner();
      const customer = aCustomer();
      for (const write of keyedWrites(subject, owner, customer)) await succeeds(write());
      const deletion = (before: Customer) =>
        ok(anEventOfCustomer(owner, before, { type: 'customer.deleted', actor: 'client:last' }));
      await succeeds(subject.customers.delete(owner, customer.id, deletion));
      assert.deepEqual(
        (await subject.events(owner)).map(({ type, version, changed, actor }) => [type, version, changed, actor]),
        [
          ['customer.created', 1, [], 'api_key:ord_4fT9'],
          ['customer.changed', 2, ['name'], 'client:Ada'],
          ['customer.changed', 3, ['name'], 'client:Grace'],
          ['customer.deleted', 4, [], 'client:last'],
        ],
      );
    });

    it('are what retries return, in the same JSON text, after later changes', async () => {
      const subject = await open();
      const owner = anOwner();
      const writes = keyedWrites(subject, owner, aCustomer({ metadata: METADATA }));
      const written: Customer[] = [];
      for (const write of writes) written.push((await succeeds(write())).customer);
      for (const [index, write] of writes.entries()) {
        const replay = await succeeds(write());
        assert.deepEqual(replay, { customer: written[index], event: null, replayed: true });
        assert.equal(JSON.stringify(replay.customer), JSON.stringify(written[index]));
      }
      assert.equal((await subject.events(owner)).length, 3);
    });

    it('are all erased by the deletion', async () => {
      const subject = await open();
      const owner = anOwner();
      const customer = aCustomer();
      const notFound = { type: 'customer_not_found', id: customer.id };
      const writes = keyedWrites(subject, owner, customer);
      for (const write of writes) await succeeds(write());
      const deletion = aKey();
      const remove = () => subject.customers.delete(owner, customer.id, decideCustomerDeletion(owner), deletion);
      await succeeds(remove());
      for (const write of writes) assert.deepEqual(await fails(write()), notFound);
      assert.deepEqual(await succeeds(remove()), { event: null, replayed: true });
      assert.equal((await subject.events(owner)).length, 4);
    });

    it('are all erased by a deletion that runs concurrently with changes', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeCustomer(subject, owner);
      const changes = Array.from({ length: 10 }, (_, index) => {
        const idempotency = aKey();
        const change = rename(owner, `name ${index}`);
        const nothing = (customer: Customer) => ok({ customer, event: null });
        return () => subject.customers.update(owner, id, index % 2 === 0 ? change : nothing, idempotency);
      });
      const running = changes.map((change) => change());
      await succeeds(subject.customers.delete(owner, id, decideCustomerDeletion(owner)));
      await Promise.all(running);
      for (const change of changes) assert.deepEqual(await fails(change()), { type: 'customer_not_found', id });
    });
  });
}
