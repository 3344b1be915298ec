import type { PersonErased } from '../../customers/customer-repository.ts';
import { type CustomerQueryInput, parseCustomerQuery } from '../../customers/customer-query.ts';
import { type Customer, emailKey } from '../../customers/customer.ts';
import * as assert from '../assertions.ts';
import { aCustomer, aKey } from '../builders.ts';
import { type Cases, fails, succeeds } from '../contract-subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';
import { RECENT, type StoreBench } from '../store-bench.ts';

export function rulesContract({ describe, it }: Cases<StoreBench>, { anOrder }: OrderFixtures): void {
  describe('the email of a customer', () => {
    it('is refused in any case or composition, with the id of the holder', async (bench) => {
      const holder = await bench.customers.stored(aCustomer({ email: 'Jose\u0301@Example.com' }));
      const other = await bench.customers.stored();
      const taken = { type: 'email_taken', customer_id: holder.id };
      const initial = await bench.events();
      for (const email of ['Jose\u0301@Example.com', 'JOSE\u0301@example.COM', 'jos\u00e9@example.com']) {
        assert.deepEqual(await fails(bench.customers.tryStore(aCustomer({ email }))), taken);
        assert.deepEqual(await fails(bench.customers.trySet(other.id, { email })), taken);
      }
      assert.deepEqual(await bench.customers.get(other.id), other);
      assert.deepEqual(await bench.events(), initial);
      const again = await succeeds(bench.customers.trySet(holder.id, { email: 'JOSE\u0301@example.COM' }));
      assert.deepEqual(await bench.customers.get(holder.id), again.aggregate);
    });

    it('is free after a deletion or a change of the holder, and in the customers of another owner', async (bench) => {
      const first = await bench.customers.stored(aCustomer({ email: 'a@example.com' }));
      await bench.ofAnother().customers.stored(aCustomer({ email: 'a@example.com' }));
      await bench.customers.remove(first.id);
      const second = await bench.customers.stored(aCustomer({ email: 'A@example.com' }));
      await succeeds(bench.customers.trySet(second.id, { email: 'b@example.com' }));
      await bench.customers.stored(aCustomer({ email: 'a@example.com' }));
    });
  });

  describe('a customer', () => {
    it('is found by its email in any case and composition, while the owner has it', async (bench) => {
      const customer = await bench.customers.stored(aCustomer({ email: 'Jose\u0301@Example.com' }));
      await bench.customers.stored();
      const find = (of: StoreBench, email: string) =>
        succeeds(of.customers.store.findByEmail(of.owner, emailKey(email)));
      assert.deepEqual(await find(bench, 'JOS\u00e9@example.com'), customer);
      assert.equal(await find(bench, 'jose@example.com'), null);
      assert.equal(await find(bench.ofAnother(), 'Jose\u0301@Example.com'), null);
      await bench.customers.remove(customer.id);
      assert.equal(await find(bench, 'Jose\u0301@Example.com'), null);
    });

    it('is listed by its id and by ranges of its times, whatever the list is sorted by', async (bench) => {
      const stored: Customer[] = [];
      for (const day of [1, 2, 3, 4])
        stored.push(
          await bench.customers.stored(
            aCustomer({ created_at: `2026-01-0${day}T00:00:00.000Z`, updated_at: `2026-01-1${9 - day}T00:00:00.000Z` }),
          ),
        );
      const list = async (input: CustomerQueryInput) => {
        const query = parseCustomerQuery(input)._unsafeUnwrap();
        const { data } = await succeeds(bench.customers.store.list(bench.owner, query));
        return data.map(({ id }) => stored.findIndex((customer) => customer.id === id));
      };
      const ids = [stored[2], stored[0]].map((customer) => customer?.id ?? '');
      assert.deepEqual(await list({ ids: [...ids, '019b0000-dddd-7000-8000-000000000000'] }), [2, 0]);
      for (const sort of ['created_at', 'updated_at', '-updated_at'] as const) {
        const sorted = sort === 'updated_at' ? [2, 1] : [1, 2];
        const created = { created_at_from: '2026-01-02T00:00:00.000Z', created_at_before: '2026-01-04T00:00:00.000Z' };
        assert.deepEqual(await list({ sort, ...created }), sorted);
        const updated = { updated_at_from: '2026-01-16T00:00:00.000Z', updated_at_before: '2026-01-18T00:00:00.000Z' };
        assert.deepEqual(await list({ sort, ...updated }), sorted);
        assert.deepEqual(await list({ sort, ...created, ...updated, limit: 1 }), sorted.slice(0, 1));
      }
    });
  });

  describe('the erasure of a customer', () => {
    it('erases every earlier version and its user, and frees the email at once', async (bench) => {
      const [creation, renaming] = [aKey(), aKey()];
      const customer = await bench.customers.stored(aCustomer({ email: 'ada@example.com', name: 'Ada' }), creation);
      await succeeds(
        bench.customers.trySet(customer.id, { name: 'A.' }, { key: renaming, event: { external_user_id: 'Ada 1' } }),
      );
      const erased = await bench.eraseCustomer(customer.id);
      assert.deepEqual(await bench.customers.get(customer.id), erased);
      const users = (await bench.events()).map((event) => event.external_user_id);
      assert.deepEqual(users, [null, null, null]);
      for (const key of [creation, renaming]) {
        const recorded = await bench.customers.recorded(key);
        assert.deepEqual(recorded, { sameCommand: true, id: customer.id, aggregate: null });
      }
      await bench.customers.stored(aCustomer({ email: 'ADA@example.com' }));
      assert.deepEqual(await fails(bench.customers.tryRemove(customer.id)), { type: 'customer_erased' });
      // No two erased customers are in the way of each other.
      await bench.eraseCustomer((await bench.customers.stored()).id);
    });

    it('is done for its last request alone, and pending again once it is repeated, without a version', async (bench) => {
      const { owner } = bench;
      const { store: customers } = bench.customers;
      const [key, { id }, other] = [aKey(), await bench.customers.stored(), await bench.customers.stored()];
      const pending = await bench.eraseCustomer(id, key);
      const done = { ...pending, erasure: { status: 'done' } };
      const initial = await bench.events();
      const erased_at = pending.erased_at ?? '';
      const first = { customer_id: id, erased_at, requested_at: erased_at, isRepeated: false };
      const repeat = (at: string, of = bench) => succeeds(of.customers.store.repeatErasure(of.owner, id, at));
      const foreign = bench.ofAnother();
      const finish = ({ customer_id, ...person }: PersonErased, of = bench) => {
        const persons = [other.id, customer_id].map((each) => ({ ...person, customer_id: each }));
        return succeeds(of.customers.store.finishErasures(of.owner, persons));
      };
      const expectPersons = async (...persons: readonly PersonErased[]) => {
        assert.deepEqual(await succeeds(customers.findErasing(owner)), persons);
        assert.deepEqual(await succeeds(customers.findErasing(foreign.owner)), []);
        const current = persons.length > 0 ? pending : done;
        assert.deepEqual(await bench.customers.get(id), current);
        assert.deepEqual((await bench.customers.recorded(key))?.aggregate, current);
      };
      assert.equal(await succeeds(customers.repeatErasure(owner, other.id, RECENT)), null);
      assert.equal(await repeat(RECENT, foreign), null);
      await finish(first, foreign);
      await expectPersons(first);
      // The clock of the server is behind, and the first one is still pending.
      const again = { ...first, requested_at: '2026-01-02T03:05:00.001Z' };
      assert.deepEqual(await repeat(RECENT), again);
      await finish(first);
      await expectPersons(again);
      for (let times = 0; times < 2; times += 1) {
        await finish(again);
        await expectPersons();
      }
      const later = { ...first, requested_at: '2026-01-02T03:09:00.000Z', isRepeated: true };
      assert.deepEqual(await repeat(later.requested_at), later);
      await finish(again);
      await expectPersons(later);
      const last = { ...later, requested_at: '2026-01-02T03:09:00.001Z' };
      assert.deepEqual(await repeat(later.requested_at), last);
      await finish(last);
      await expectPersons();
      assert.deepEqual(await bench.customers.get(other.id), other);
      assert.deepEqual(await bench.events(), initial);
    });
  });

  describe('the deletion of a customer', () => {
    it('is refused while an order refers to the customer', async (bench) => {
      const { id } = await bench.customers.stored();
      const [first, second] = [anOrder({ customer_id: id }), anOrder({ customer_id: id })];
      for (const order of [first, second]) await bench.orders.stored(order);
      await bench.update(first.id, { customer_id: null });
      assert.deepEqual(await fails(bench.customers.tryRemove(id)), { type: 'customer_has_orders' });
      await bench.orders.remove(second.id);
      await bench.customers.remove(id);
      assert.equal(await succeeds(bench.customers.store.load(bench.owner, id)), null);
    });

    it('never leaves an order without its customer when the order is placed concurrently', async (bench) => {
      for (let count = 0; count < 5; count += 1) {
        const { id } = await bench.customers.stored();
        const [placed, deleted] = await Promise.all([
          bench.orders.tryStore(anOrder({ customer_id: id })),
          bench.customers.tryRemove(id),
        ]);
        assert.equal(placed.isOk(), deleted.isErr());
        if (placed.isErr()) assert.deepEqual(placed.error, { type: 'unknown_customer' });
        if (deleted.isErr()) assert.deepEqual(deleted.error, { type: 'customer_has_orders' });
      }
    });
  });
}
