import { withoutPersonalData } from '../../orders/erase-order.ts';
import type { PersonErased } from '../../customers/customer-repository.ts';
import type { UnerasedOrders, VersionPosition } from '../../orders/order-repository.ts';
import * as assert from '../assertions.ts';
import { aBuyer, aFulfillment, aKey, anAddress } from '../builders.ts';
import { type Cases, fails, succeeds } from '../contract-subject.ts';
import type { AnyOrder, OrderFixtures } from '../order-fixtures.ts';
import { RECENT, type StoreBench } from '../store-bench.ts';

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
    await bench.orders.set(id, { cancel_reason: 'Ada left', billing_address: anAddress() });
    return { id, key };
  };

  const erasureOf = (customer_id: string, erased_at: string, isRepeated = false): PersonErased => {
    return { customer_id, erased_at, requested_at: erased_at, isRepeated };
  };

  const erasedOf = (order: AnyOrder | null) => order && withoutPersonalData(order);

  /** Returns the newest version of each order that is to be erased, by its id. */
  const unerased = async (bench: StoreBench, persons: readonly PersonErased[]) => {
    const found: Record<string, number> = {};
    for (let after: VersionPosition | null = null; ;) {
      const batch: UnerasedOrders = await succeeds(bench.orders.store.findUnerased(bench.owner, persons, after));
      for (const { id, version } of batch.orders) {
        assert.equal(Object.hasOwn(found, id), false);
        found[id] = version;
      }
      if (batch.next === null) return found;
      after = batch.next;
    }
  };

  describe('the erasure of an order', () => {
    it('leaves nothing personal in any version or retry, and everything else', async (bench) => {
      const [{ id, key }, other] = [await storePersonal(bench), await storePersonal(bench)];
      const before = await bench.allVersions(id);
      const untouched = await bench.allVersions(other.id);
      const erased = await bench.eraseOrder(id);
      const [newest, ...earlier] = await bench.allVersions(id);
      assert.deepEqual(newest?.order, erased);
      assert.deepEqual(await bench.orders.get(id), erased);
      const expected = before.map((version) => ({ ...version, reason: null, order: erasedOf(version.order) }));
      assert.deepEqual(earlier, expected);
      assert.equal(/Ada|HM 1/.test(JSON.stringify([newest, earlier])), false);
      assert.deepEqual((await bench.orders.recorded(key))?.aggregate, erasedOf(before.at(-1)?.order ?? null));
      assert.deepEqual(await bench.allVersions(other.id), untouched);
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
      const expected = before.map((version) => ({ ...version, reason: null, order: erasedOf(version.order) }));
      assert.deepEqual(await bench.allVersions(id), expected);
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

  describe('the orders to be erased', () => {
    it('are those that a version assigns to one of the persons, also moved and deleted ones', async (bench) => {
      const [ada, grace, alan] = [
        await bench.customers.stored(),
        await bench.customers.stored(),
        await bench.customers.stored(),
      ];
      const orders: AnyOrder[] = [];
      for (let count = 0; count < 25; count += 1)
        orders.push(await bench.orders.stored(anOrder({ customer_id: ada.id })));
      const [moved, deleted, ...rest] = orders;
      const [movedId, deletedId] = [moved?.id ?? '', deleted?.id ?? ''];
      await bench.update(movedId, { customer_id: alan.id });
      await bench.orders.remove(deletedId);
      const ofGrace = await bench.orders.stored(anOrder({ customer_id: grace.id }));
      await bench.orders.stored(anOrder({ customer_id: alan.id }));
      await bench.orders.stored();
      const other = bench.ofAnother();
      await other.customers.stored({ ...ada });
      await other.orders.stored(anOrder({ customer_id: ada.id }));
      const erased_at = '2026-01-02T03:07:00.000Z';
      const found = await unerased(
        bench,
        [ada, grace].map(({ id }) => erasureOf(id, erased_at)),
      );
      const twice = [movedId, deletedId].map((id) => [id, 2] as const);
      const once = [...rest, ofGrace].map(({ id }) => [id, 1] as const);
      assert.deepEqual(found, Object.fromEntries([...twice, ...once]));
    });

    it('are not those that were erased last, since the person was', async (bench) => {
      const [ada, grace] = [await bench.customers.stored(), await bench.customers.stored()];
      const { id } = await bench.orders.stored(anOrder({ customer_id: ada.id }));
      await bench.update(id, { customer_id: grace.id });
      const at = (await bench.eraseOrder(id)).erased_at ?? '';
      const later = '2026-01-02T03:07:00.000Z';
      const find = (ofAda: string, ofGrace: string) =>
        unerased(bench, [erasureOf(ada.id, ofAda), erasureOf(grace.id, ofGrace)]);
      assert.deepEqual(await find(at, at), {});
      assert.deepEqual(await find(later, at), { [id]: 3 });
      assert.deepEqual(await find(at, later), { [id]: 3 });
      // Clocks differ: what came after the erasure may be from before that of the person.
      await bench.update(id, { note: 'For Ada' });
      assert.deepEqual(await find(at, at), { [id]: 4 });
    });

    it('are for a repeated erasure those that are still assigned and have got text since, in any version', async (bench) => {
      const [ada, grace] = [await bench.customers.stored(), await bench.customers.stored()];
      const persons = [erasureOf(ada.id, RECENT, true)];
      const found: Record<string, number> = {};
      const texts = [{ note: 'Ada' }, { metadata: { gift: 'Ada' } }, { cancel_reason: 'Ada' }, { buyer: aBuyer() }];
      for (const text of [...texts, { billing_address: anAddress() }, {}, 'tracking']) {
        const { id, items } = await bench.orders.stored(anOrder({ customer_id: ada.id }));
        await bench.eraseOrder(id);
        const tracked = { fulfillments: [aFulfillment(items, { tracking: TRACKING })] };
        const reason = Object.keys(text).length === 0 ? 'Ada left' : null;
        const { aggregate } = await bench.orders.set(id, typeof text === 'string' ? tracked : text, { reason });
        // All but the tracking is in an earlier version alone.
        if (typeof text !== 'string') await bench.orders.set(id, withoutPersonalData(aggregate));
        found[id] = typeof text === 'string' ? 3 : 4;
      }
      assert.deepEqual(await unerased(bench, persons), found);
      const [moved = '', deleted = '', ...rest] = Object.keys(found);
      await bench.update(moved, { customer_id: grace.id });
      await bench.orders.remove(deleted);
      // Without text, though it was never erased.
      await bench.orders.stored(withoutPersonalData(anOrder({ customer_id: ada.id })));
      assert.deepEqual(Object.keys(await unerased(bench, persons)), rest.toSorted());
      for (const id of rest) await bench.eraseOrder(id);
      assert.deepEqual(await unerased(bench, persons), {});
    });

    it('are found from the position before each of their versions, for all of the persons whom they concern', async (bench) => {
      const { id: customer_id } = await bench.customers.stored();
      const { id } = await bench.orders.stored(anOrder({ customer_id }));
      const [grace, other] = [await bench.customers.stored(), await bench.customers.stored()];
      await bench.update(id, { customer_id: grace.id });
      const persons = [customer_id, grace.id, other.id].map((each) => erasureOf(each, RECENT));
      const { orders } = await succeeds(bench.orders.store.findUnerased(bench.owner, persons, { id, version: 0 }));
      const found = orders.map((order) => ({ ...order, customer_ids: order.customer_ids.toSorted() }));
      assert.deepEqual(found, [{ id, version: 2, customer_ids: [customer_id, grace.id].toSorted() }]);
    });
  });

  describe('an erased customer', () => {
    it('gets no order, and those that it has can be changed', async (bench) => {
      const { id } = await bench.customers.stored();
      const order = await bench.orders.stored(anOrder({ customer_id: id }));
      const other = await bench.orders.stored();
      await bench.eraseCustomer(id);
      const initial = await bench.events();
      const refused = { type: 'customer_erased' };
      assert.deepEqual(await fails(bench.orders.tryStore(anOrder({ customer_id: id }))), refused);
      assert.deepEqual(await fails(bench.tryUpdate(other.id, { customer_id: id })), refused);
      assert.deepEqual(await bench.events(), initial);
      assert.deepEqual(await bench.orders.get(other.id), other);
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

    it('is not deleted, and has its orders as the first reason', async (bench) => {
      const { id } = await bench.customers.stored();
      const order = await bench.orders.stored(anOrder({ customer_id: id }));
      await bench.eraseCustomer(id);
      assert.deepEqual(await fails(bench.customers.tryRemove(id)), { type: 'customer_has_orders' });
      await bench.orders.remove(order.id);
      assert.deepEqual(await fails(bench.customers.tryRemove(id)), { type: 'customer_erased' });
    });

    it('never gets an order that is placed concurrently and is not found', async (bench) => {
      for (let count = 0; count < 5; count += 1) {
        const { id } = await bench.customers.stored();
        const place = () => bench.orders.tryStore(anOrder({ customer_id: id }));
        const erasing = bench.eraseCustomer(id);
        const finding = erasing.then(({ erased_at }) => unerased(bench, [erasureOf(id, erased_at ?? '')]));
        const [found, ...results] = await Promise.all([finding, erasing.then(place), place(), place()]);
        for (const placed of results)
          if (placed.isErr()) assert.deepEqual(placed.error, { type: 'customer_erased' });
          else assert.equal(Object.hasOwn(found, placed.value.aggregate.id), true);
      }
    });
  });
}
