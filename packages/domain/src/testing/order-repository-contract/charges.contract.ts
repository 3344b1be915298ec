import type { OrderCommand } from '../../orders/apply-order-command.ts';
import type { Idempotency } from '../../shared/idempotency.ts';
import * as assert from '../assertions.ts';
import { aFulfillment, aKey, anAdjustment, anItem } from '../builders.ts';
import type { TestRunner } from '../contract-subject.ts';
import type { AnyOrder, AnyVersion, OrderFixtures } from '../order-fixtures.ts';
import { charges, type StoreBench } from '../store-bench.ts';

const EUR = 'EUR';

/** Returns the members of a new order with every kind of adjustment, fulfillment and quantity. */
function chargedMembers(): Partial<AnyOrder> {
  const first = anItem({ quantity: 5, fulfilled_quantity: 3, cancelled_quantity: 1, returned_quantity: 2 });
  const items = [first, anItem({ sku: 'B' }), anItem({ sku: 'C', fulfilled_quantity: 2 })];
  const tracking = { carrier: 'Bike “é”', number: null, url: '' };
  return {
    items,
    adjustments: [
      anAdjustment(),
      anAdjustment({ type: 'discount', name: 'Ω\n"', amount: { amount: -1e12, currency: EUR }, item_id: first.id }),
      anAdjustment({ type: 'tax', included: true, amount: { amount: 1e12, currency: EUR } }),
      anAdjustment({ type: 'other', amount: { amount: 1e12, currency: EUR }, created_at: '2026-01-02T03:04:05.679Z' }),
    ],
    fulfillments: [
      aFulfillment(items.slice(2), { tracking }),
      aFulfillment(items, { cancelled_at: '2026-01-02T03:04:05.679Z' }),
      aFulfillment([{ ...first, quantity: 3 }]),
    ],
  };
}

/** Places an order, changes it by each command, and returns its id, and each write with its key. */
async function storeCommands(bench: StoreBench) {
  const items = [anItem({ quantity: 9 }), anItem({ sku: 'B', quantity: 4 })];
  const [first = anItem(), second = first] = items;
  const placing = aKey();
  const placed = await bench.storeOrder(bench.fixtures.anOrder({ items, adjustments: [anAdjustment()] }), placing);
  const { id } = placed;
  const writes: [AnyOrder, Idempotency][] = [[placed, placing]];
  const apply = async (command: OrderCommand, day = 2) => {
    const key = aKey();
    writes.push([await bench.command(id, command, { at: `2026-01-0${day}T04:00:00.120Z`, key }), key]);
    return writes.at(-1)?.[0] ?? placed;
  };
  const some = (quantity: number, { id: item_id } = first) => [{ item_id, quantity }];
  const tracking = { carrier: null, number: '00340434', url: null };
  await apply({ name: 'fulfill_items', items: some(2), tracking });
  const { fulfillments } = await apply({ name: 'fulfill_items', items: [...some(3), ...some(1, second)] });
  await apply({ name: 'cancel_items', items: some(1), reason: 'out of “stock”', adjustments: charges(1) });
  const [mistaken, kept] = fulfillments.toReversed();
  await apply({ name: 'cancel_fulfillment', fulfillment_id: mistaken?.id ?? '' }, 3);
  await apply({ name: 'fulfill_items', adjustments: charges(2) }, 4);
  await apply({ name: 'return_items', items: some(1), reason: 'too small' }, 5);
  for (const count of [95, 1]) await apply({ name: 'adjust', adjustments: charges(count) }, 6);
  await apply({ name: 'cancel_fulfillment', fulfillment_id: kept?.id ?? '' }, 7);
  const key = aKey();
  writes.push([(await bench.update(id, { note: 'last' }, { at: '2026-01-08T04:00:00.120Z', key })).aggregate, key]);
  return { id, writes };
}

const textOf = (order: AnyOrder | null | undefined): string => JSON.stringify(order);

export function chargesContract(
  { describe, it }: TestRunner,
  open: () => Promise<StoreBench>,
  { anOrder }: OrderFixtures,
): void {
  describe('the adjustments, fulfillments and quantities of an order', () => {
    it('have the JSON text of a new order in the order, in lists, versions and the record of its key', async () => {
      const bench = await open();
      const key = aKey();
      const order = await bench.storeOrder(anOrder(chargedMembers()), key);
      const { id } = order;
      const listed = (await bench.ordersPage({})).data;
      const [version] = await bench.allVersions(id);
      const recorded = (await bench.recorded(key))?.aggregate;
      for (const read of [await bench.order(id), listed[0], version?.order, recorded])
        assert.equal(textOf(read), textOf(order));
    });

    it('are those of each write in its version and the record of its key, whatever is written later', async () => {
      const bench = await open();
      const { id, writes } = await storeCommands(bench);
      const check = async () => {
        const versions = await bench.allVersions(id);
        for (const [index, [order, key]] of writes.entries()) {
          const version = await bench.version(id, index + 1);
          const listed = versions.find((one) => one.version === order.version);
          const recorded = await bench.recorded(key);
          for (const read of [version.order, listed?.order, recorded?.aggregate])
            assert.equal(textOf(read), textOf(order), `version ${index + 1}`);
        }
      };
      await check();
      assert.equal(textOf(await bench.order(id)), textOf(writes.at(-1)?.[0]));
      assert.equal(textOf((await bench.ordersPage({})).data[0]), textOf(writes.at(-1)?.[0]));
      await bench.removeOrder(id);
      await check();
    });

    it('have the reason of a change in its version, and nowhere else', async () => {
      const bench = await open();
      const { id, writes } = await storeCommands(bench);
      const reasons = (versions: readonly AnyVersion[]) =>
        versions.flatMap(({ version, reason }) => (reason === null ? [] : [[version, reason]]));
      const expected = [
        [7, 'too small'],
        [4, 'out of “stock”'],
      ];
      for (const isRemoved of [false, true]) {
        if (isRemoved) await bench.removeOrder(id);
        const found: AnyVersion[] = [];
        while (found.length < writes.length) found.push(await bench.version(id, writes.length - found.length));
        assert.deepEqual(reasons(found), expected);
        assert.deepEqual(reasons(await bench.allVersions(id)), expected);
        assert.deepEqual(reasons((await bench.versions(id, { at: '2026-01-05T05:00:00.000Z' })).data), [
          [7, 'too small'],
        ]);
        assert.equal(textOf((await bench.version(id, 7)).order), textOf(writes[6]?.[0]));
      }
    });

    it('count towards the elements of a page of orders', async () => {
      const bench = await open();
      const items = Array.from({ length: 10 }, () => anItem({ fulfilled_quantity: 2 }));
      const adjustments = Array.from({ length: 50 }, () => anAdjustment());
      const fulfillments = Array.from({ length: 4 }, () => aFulfillment(items));
      const stored: string[] = [];
      for (let count = 0; count < 10; count += 1)
        stored.unshift((await bench.storeOrder(anOrder({ items, adjustments, fulfillments }))).id);
      const idsOf = (orders: readonly AnyOrder[]) => orders.map(({ id }) => id);
      assert.deepEqual(idsOf((await bench.ordersPage({ limit: 100 })).data), stored);
      // It is the newest.
      const [last = ''] = stored;
      await bench.command(last, { name: 'adjust', adjustments: charges(1) });
      assert.deepEqual(idsOf((await bench.ordersPage({ limit: 100 })).data), stored.slice(0, 9));
    });

    it('count towards the elements of a page of versions, as many as each version has', async () => {
      const bench = await open();
      const items = Array.from({ length: 100 }, () => anItem());
      const { id } = await bench.storeOrder(anOrder({ items }));
      await bench.update(id, { note: '100 elements' });
      await bench.command(id, { name: 'fulfill_items', adjustments: charges(100) });
      for (const note of ['300', '300 again']) await bench.update(id, { note });
      const numbersOf = async () => (await bench.versions(id, { limit: 100 })).data.map(({ version }) => version);
      assert.deepEqual(await numbersOf(), [5, 4, 3, 2]);
      await bench.removeOrder(id);
      assert.deepEqual(await numbersOf(), [6, 5, 4, 3, 2]);
    });
  });
}
