import { ok } from 'neverthrow';
import { changeAggregate, createAggregate, deleteAggregate } from '../../aggregates/write-aggregate.ts';
import type { EmailErasure } from '../../customers/erasure-repository.ts';
import { UNKNOWN_AUTHOR } from '../../shared/author.ts';
import { createEvent } from '../../shared/domain-event.ts';
import type { Idempotency } from '../../shared/idempotency.ts';
import * as assert from '../assertions.ts';
import { aCustomer, aKey } from '../builders.ts';
import { type Cases, fails, succeeds } from '../contract-subject.ts';
import { sequentialIds } from '../sequential-ids.ts';
import { RECENT, type StoreBench } from '../store-bench.ts';

const ids = sequentialIds(0xe5);

export function emailErasuresContract({ describe, it }: Cases<StoreBench>): void {
  const customer_id = ids.next();
  const request = ({ owner, customers }: StoreBench, email_key: string, key?: Idempotency) => {
    const times = { created_at: RECENT, updated_at: RECENT };
    const after: EmailErasure = { id: ids.next(), status: 'pending', email_key, customer_id, version: 1, ...times };
    const event = createEvent(ids, owner, UNKNOWN_AUTHOR, { type: 'erasure.requested', changed: [] }, after);
    const destination = { store: customers.store.erasures, owner, key, missing: 'not_found' } as const;
    return createAggregate({ ...destination, isErased: () => true }, () => ({ after, event }));
  };

  describe('an erasure by email', () => {
    it('is pending until it is finished, and keeps no email then', async (bench) => {
      const { erasures } = bench.customers.store;
      const foreign = bench.ofAnother();
      const initial = await bench.events();
      const pending: EmailErasure[] = [];
      for (const name of ['ada', 'bob'])
        pending.push((await succeeds(request(bench, `${name}@example.com`))).aggregate);
      const [ada, bob] = pending;
      const expectPending = async (...expected: readonly (EmailErasure | undefined)[]) => {
        const found = await succeeds(erasures.findPending(bench.owner));
        const idsAndEmails = expected.map((erasure) => [erasure?.id, erasure?.email_key, customer_id, RECENT]);
        assert.deepEqual(
          found.map((each) => [each.id, each.email_key, each.customer_id, each.created_at]),
          idsAndEmails,
        );
      };
      await expectPending(ada, bob);
      assert.deepEqual(await succeeds(foreign.customers.store.erasures.findPending(foreign.owner)), []);
      await succeeds(foreign.customers.store.erasures.finish(foreign.owner, [ada?.id ?? '']));
      await expectPending(ada, bob);
      for (let times = 0; times < 2; times += 1) await succeeds(erasures.finish(bench.owner, [ada?.id ?? '']));
      await expectPending(bob);
      const found = await succeeds(erasures.load(bench.owner, ada?.id ?? ''));
      assert.deepEqual(found?.aggregate, { ...ada, email_key: null, status: 'done' });
      assert.deepEqual((await succeeds(erasures.load(bench.owner, bob?.id ?? '')))?.aggregate, bob);
      assert.equal(await succeeds(erasures.load(foreign.owner, bob?.id ?? '')), null);
      assert.deepEqual(await bench.events(), initial);
    });

    it('has a customer left to erase while the one with its id or its email is not erased', async (bench) => {
      const isLeft = async () =>
        (await succeeds(bench.customers.store.erasures.findPending(bench.owner))).map(
          ({ isCustomerLeft }) => isCustomerLeft,
        );
      const [first, second] = [aCustomer({ id: customer_id }), aCustomer({ email: 'Ada@example.com' })];
      await succeeds(request(bench, 'ada@example.com'));
      for (const customer of [first, second]) {
        assert.deepEqual(await isLeft(), [false]);
        await bench.customers.stored(customer);
        assert.deepEqual(await isLeft(), [true]);
        await bench.eraseCustomer(customer.id);
      }
      assert.deepEqual(await isLeft(), [false]);
      await bench.ofAnother().customers.stored(aCustomer({ email: 'ada@example.com' }));
      assert.deepEqual(await isLeft(), [false]);
    });

    it('is recorded once by its key, and as it is now', async (bench) => {
      const key = aKey();
      const { aggregate } = await succeeds(request(bench, 'ada@example.com', key));
      await succeeds(bench.customers.store.erasures.finish(bench.owner, [aggregate.id]));
      const { aggregate: again, replayed } = await succeeds(request(bench, 'ada@example.com', key));
      assert.deepEqual(
        { again, replayed },
        { again: { ...aggregate, email_key: null, status: 'done' }, replayed: true },
      );
      const reused = { type: 'idempotency_key_reused' };
      assert.deepEqual(await fails(request(bench, 'bob@example.com', { ...key, fingerprint: 'other' })), reused);
    });

    it('changes and ends as every aggregate does', async (bench) => {
      const { erasures: store } = bench.customers.store;
      const { aggregate } = await succeeds(request(bench, 'ada@example.com'));
      const destination = { store, owner: bench.owner, key: undefined, missing: 'not_found' } as const;
      const eventOf = (after: EmailErasure) =>
        createEvent(ids, bench.owner, UNKNOWN_AUTHOR, { type: 'erasure.requested', changed: [] }, after);
      const change = (before: EmailErasure) => {
        const after = { ...before, version: before.version + 1 };
        return ok({ after, event: eventOf(after) });
      };
      const { aggregate: changed } = await succeeds(changeAggregate(destination, aggregate.id, change));
      assert.deepEqual((await succeeds(store.load(bench.owner, aggregate.id)))?.aggregate, changed);
      const end = (before: EmailErasure) => ok(eventOf({ ...before, version: before.version + 1 }));
      await succeeds(deleteAggregate(destination, aggregate.id, end));
      assert.equal(await succeeds(store.load(bench.owner, aggregate.id)), null);
    });

    it('keeps the orders that it erases, again and again', async (bench) => {
      const { erasures } = bench.customers.store;
      const id = ids.next();
      for (let times = 0; times < 2; times += 1) await succeeds(erasures.keepOrder(bench.owner, id, RECENT));
    });
  });
}
