import { withoutPersonalData } from '../../orders/erase-order.ts';
import type { OrderOfPersons, OrdersOfPersons, VersionPosition } from '../../orders/order-repository.ts';
import * as assert from '../assertions.ts';
import { aBuyer, aFulfillment, aKey, anAddress } from '../builders.ts';
import { type Cases, fails, succeeds } from '../contract-subject.ts';
import type { AnyOrder, AnyVersion, OrderFixtures } from '../order-fixtures.ts';
import type { StoreBench } from '../store-bench.ts';

const TRACKING = { carrier: 'Harbour Mail', number: 'HM 1', url: null };

export function erasuresContract({ describe, it }: Cases<StoreBench>, { anOrder }: OrderFixtures): void {
  /** Stores an order with personal data in each version, and returns it with the key of its first. */
  const storePersonal = async (bench: StoreBench, customer_id: string | null = null) => {
    const key = aKey();
    const { id, items } = await bench.orders.stored(
      anOrder({
        customer_id,
        reference: aKey().key,
        external_ids: { erp: ['4711'] },
        buyer: aBuyer(),
        shipping_address: anAddress(),
        note: 'For Ada',
        metadata: { gift: 'Ada' },
      }),
      key,
    );
    const fulfillments = [aFulfillment(items, { tracking: TRACKING }), aFulfillment(items)];
    await bench.orders.set(id, { fulfillments }, { reason: 'Ada moved' });
    const left = { cancel_reason: 'Ada left', billing_address: anAddress() };
    await bench.orders.set(id, left, { event: { external_user_id: 'Ada 1' } });
    return { id, key };
  };

  const erasedOf = (order: AnyOrder | null) => order && withoutPersonalData(order);

  const erasedVersion = (version: AnyVersion): AnyVersion => {
    return { ...version, external_user_id: null, reason: null, order: erasedOf(version.order) };
  };

  /** Returns the orders of persons by their ids, from all batches. */
  const ordersOf = async (bench: StoreBench, persons: readonly string[]) => {
    const found: Record<string, Omit<OrderOfPersons, 'id'>> = {};
    for (let after: VersionPosition | null = null; ;) {
      const batch: OrdersOfPersons = await succeeds(bench.orders.store.findOrdersOf(bench.owner, persons, after));
      for (const { id, ...order } of batch.orders) {
        assert.equal(Object.hasOwn(found, id), false);
        found[id] = { ...order, persons: order.persons.toSorted() };
      }
      if (batch.next === null) return found;
      after = batch.next;
    }
  };

  /** What is found of an order of one person, without personal data. */
  const ofPerson = (person: string, version: number, others: Partial<OrderOfPersons> = {}) => {
    return { version, erased_at: null, persons: [person], newest: [person], isPersonal: false, ...others };
  };

  const withoutText = (order: Partial<AnyOrder>) => withoutPersonalData(anOrder(order));

  describe('the erasure of an order', () => {
    it('leaves nothing personal in any version or retry, and everything else', async (bench) => {
      const [{ id, key }, other] = [await storePersonal(bench), await storePersonal(bench)];
      const before = await bench.allVersions(id);
      const untouched = await bench.allVersions(other.id);
      const erased = await bench.eraseOrder(id);
      const [newest, ...earlier] = await bench.allVersions(id);
      assert.deepEqual(newest?.order, erased);
      assert.deepEqual(await bench.orders.get(id), erased);
      assert.deepEqual(earlier, before.map(erasedVersion));
      assert.equal(/Ada|HM 1/.test(JSON.stringify([newest, earlier])), false);
      assert.deepEqual((await bench.orders.recorded(key))?.aggregate, erasedOf(before.at(-1)?.order ?? null));
      assert.deepEqual(await bench.allVersions(other.id), untouched);
      const users = (await bench.events()).map((event) => [event.aggregate_id, event.external_user_id]);
      assert.deepEqual(
        users.filter(([, user]) => user !== null),
        [[other.id, 'Ada 1']],
      );
    });

    it('stays after later changes and a deletion', async (bench) => {
      const { id } = await storePersonal(bench);
      await bench.eraseOrder(id);
      await bench.update(id, { metadata: { vip: 'no' } });
      await bench.orders.remove(id);
      const versions = await bench.allVersions(id);
      assert.equal(/Ada|HM 1/.test(JSON.stringify(versions)), false);
      assert.deepEqual(versions.at(1)?.order?.metadata, { vip: 'no' });
    });
  });

  describe('the erasure of a deleted order', () => {
    it('leaves nothing personal in any version, and adds none', async (bench) => {
      const { id } = await storePersonal(bench);
      await bench.orders.remove(id);
      const before = await bench.allVersions(id);
      await succeeds(bench.orders.store.eraseDeleted(bench.owner, id));
      assert.deepEqual(await bench.allVersions(id), before.map(erasedVersion));
    });

    it('changes no order that exists, nor one of another owner', async (bench) => {
      const { id } = await storePersonal(bench);
      const before = await bench.allVersions(id);
      await succeeds(bench.orders.store.eraseDeleted(bench.owner, id));
      assert.deepEqual(await bench.allVersions(id), before);
      await bench.orders.remove(id);
      const deleted = await bench.allVersions(id);
      await succeeds(bench.orders.store.eraseDeleted(bench.ofAnother().owner, id));
      assert.deepEqual(await bench.allVersions(id), deleted);
    });
  });

  describe('the orders of persons', () => {
    it('are those of which a version has one of them, also moved and deleted ones', async (bench) => {
      const [ada, grace] = [await bench.customers.stored(), await bench.customers.stored()];
      const orders: AnyOrder[] = [];
      for (let count = 0; count < 25; count += 1)
        orders.push(await bench.orders.stored(withoutText({ customer_id: ada.id })));
      const [moved, deleted, ...rest] = orders;
      const [movedId, deletedId] = [moved?.id ?? '', deleted?.id ?? ''];
      await bench.update(movedId, { customer_id: grace.id });
      await bench.orders.remove(deletedId);
      await bench.orders.stored(withoutText({ customer_id: grace.id }));
      await bench.orders.stored();
      const other = bench.ofAnother();
      await other.customers.stored({ ...ada });
      await other.orders.stored(anOrder({ customer_id: ada.id }));
      const earlier = ofPerson(ada.id, 2, { newest: [] });
      assert.deepEqual(await ordersOf(bench, [ada.id]), {
        [movedId]: earlier,
        [deletedId]: earlier,
        ...Object.fromEntries(rest.map(({ id }) => [id, ofPerson(ada.id, 1)])),
      });
    });

    it('are also those of buyers, whose email is compared as that of a customer', async (bench) => {
      const email = 'z\u00eb@example.com';
      const { id: customer_id } = await bench.customers.stored();
      const spelt = ['Z\u00cb@EXAMPLE.com', 'ze\u0308@example.com'].map((spelling) => aBuyer({ email: spelling }));
      const found: Record<string, object> = {};
      for (const buyer of spelt) {
        const { id } = await bench.orders.stored(anOrder({ buyer }));
        found[id] = ofPerson(email, 1, { isPersonal: true });
      }
      const { id } = await bench.orders.stored(anOrder({ buyer: aBuyer({ email }), customer_id }));
      await bench.update(id, { buyer: null });
      const both = [customer_id, email].toSorted();
      found[id] = { ...ofPerson(customer_id, 2), persons: both, newest: [customer_id], isPersonal: true };
      await bench.orders.stored(anOrder({ buyer: aBuyer({ email: 'ze@example.com' }) }));
      await bench.orders.stored(anOrder({ buyer: aBuyer({ email: null }) }));
      assert.deepEqual(await ordersOf(bench, [email, customer_id]), found);
      assert.deepEqual(await ordersOf(bench.ofAnother(), [email]), {});
      for (const each of Object.keys(found)) await bench.eraseOrder(each);
      assert.deepEqual(await ordersOf(bench, [email]), {});
    });

    it('have the time of an erasure that is their newest version', async (bench) => {
      const { id: customer_id } = await bench.customers.stored();
      const { id } = await bench.orders.stored(anOrder({ customer_id }));
      const { erased_at } = await bench.eraseOrder(id);
      assert.deepEqual(await ordersOf(bench, [customer_id]), { [id]: ofPerson(customer_id, 2, { erased_at }) });
      await bench.update(id, { note: 'For Ada' });
      const later = { [id]: ofPerson(customer_id, 3, { isPersonal: true }) };
      assert.deepEqual(await ordersOf(bench, [customer_id]), later);
    });

    it('are personal if any version has personal data, a reason or a user', async (bench) => {
      const { id: customer_id } = await bench.customers.stored();
      const found: Record<string, boolean> = {};
      const texts = [{ note: 'Ada' }, { metadata: { gift: 'Ada' } }, { cancel_reason: 'Ada' }, { buyer: aBuyer() }];
      for (const text of [...texts, { billing_address: anAddress() }, 'reason', 'user', 'tracking']) {
        const { id, items } = await bench.orders.stored(anOrder({ customer_id }));
        await bench.eraseOrder(id);
        const tracked = { fulfillments: [aFulfillment(items, { tracking: TRACKING })] };
        const reason = text === 'reason' ? 'Ada left' : null;
        const event = text === 'user' ? { external_user_id: 'Ada 1' } : {};
        const fields = text === 'tracking' ? tracked : typeof text === 'string' ? {} : text;
        const { aggregate } = await bench.orders.set(id, fields, { reason, event });
        // All but the tracking is in an earlier version alone.
        if (text !== 'tracking') await bench.orders.set(id, withoutPersonalData(aggregate));
        found[id] = true;
      }
      const { id } = await bench.orders.stored(withoutText({ customer_id }));
      found[id] = false;
      const isPersonal = Object.entries(await ordersOf(bench, [customer_id])).map(([each, order]) => [
        each,
        order.isPersonal,
      ]);
      assert.deepEqual(Object.fromEntries(isPersonal), found);
    });

    it('are found from the position before each of their versions, for all of the persons whom they concern', async (bench) => {
      const { id: customer_id } = await bench.customers.stored();
      const { id } = await bench.orders.stored(withoutText({ customer_id }));
      const [grace, other] = [await bench.customers.stored(), await bench.customers.stored()];
      await bench.update(id, { customer_id: grace.id });
      const persons = [customer_id, grace.id, other.id];
      const { orders } = await succeeds(bench.orders.store.findOrdersOf(bench.owner, persons, { id, version: 0 }));
      const found = orders.map((order) => ({ ...order, persons: order.persons.toSorted() }));
      const expected = { persons: [customer_id, grace.id].toSorted(), newest: [grace.id] };
      assert.deepEqual(found, [{ id, ...ofPerson('', 2, expected) }]);
    });
  });

  describe('an erased customer', () => {
    it('has orders that can be changed', async (bench) => {
      const { id } = await bench.customers.stored();
      const order = await bench.orders.stored(anOrder({ customer_id: id }));
      await bench.eraseCustomer(id);
      await bench.update(order.id, { metadata: { a: 'b' } });
      await bench.update(order.id, { customer_id: null });
    });

    it('gets an imported order that was erased since, with what came after', async (bench) => {
      const { id } = await bench.customers.stored();
      await bench.eraseCustomer(id);
      const tryImport = (order: AnyOrder) => bench.orders.tryStore(order, { event: { type: 'order.imported' } });
      const erased = withoutPersonalData(anOrder({ customer_id: id }));
      const initial = await bench.events();
      const fulfillments = [aFulfillment(erased.items, { tracking: TRACKING })];
      for (const personal of [
        {},
        { note: 'For Ada' },
        { buyer: aBuyer() },
        { shipping_address: anAddress() },
        { fulfillments },
      ]) {
        const order = { ...erased, ...personal };
        assert.deepEqual(await fails(tryImport(order)), { type: 'customer_erased' });
      }
      assert.deepEqual(await bench.events(), initial);
      const since = (erased_at: string) => anOrder({ customer_id: id, note: 'For Ada', erased_at });
      assert.deepEqual(await fails(tryImport(since('2026-01-02T03:04:59.999Z'))), { type: 'customer_erased' });
      const kept = since('2026-01-02T03:05:00.000Z');
      await succeeds(tryImport(kept));
      assert.deepEqual(await bench.orders.get(kept.id), kept);
      // One that was erased is not for another erased customer.
      const moved = await bench.orders.stored();
      await bench.eraseOrder(moved.id);
      assert.deepEqual(await fails(bench.tryUpdate(moved.id, { customer_id: id })), { type: 'customer_erased' });
    });

    it('never gets an order that is placed concurrently and is not found', async (bench) => {
      for (let count = 0; count < 5; count += 1) {
        const { id } = await bench.customers.stored();
        const place = () => bench.orders.tryStore(anOrder({ customer_id: id }));
        const erasing = bench.eraseCustomer(id);
        const finding = erasing.then(() => ordersOf(bench, [id]));
        const [found, ...results] = await Promise.all([finding, erasing.then(place), place(), place()]);
        for (const placed of results)
          if (placed.isErr()) assert.deepEqual(placed.error, { type: 'customer_erased' });
          else assert.equal(Object.hasOwn(found, placed.value.aggregate.id), true);
      }
    });
  });
}
