import { addItems } from '../../orders/add-items.ts';
import type { OrderCommand } from '../../orders/apply-order-command.ts';
import { ITEMS_MAX } from '../../orders/line-item.ts';
import type { Timestamp } from '../../shared/clock.ts';
import type { Idempotency } from '../../shared/idempotency.ts';
import * as assert from '../assertions.ts';
import { aCustomer, aKey, anAddress, anAdjustment, anItem } from '../builders.ts';
import { type Cases, fails } from '../contract-subject.ts';
import { fixedClock } from '../fixed-clock.ts';
import type { AnyChange, AnyOrder, AnyVersion, OrderFixtures } from '../order-fixtures.ts';
import { sequentialIds } from '../sequential-ids.ts';
import { charges, lines, minute, type StoreBench } from '../store-bench.ts';
import { METADATA } from './aggregates.ts';

/** Version numbers that no order has, whatever type a store uses for them. */
const UNKNOWN_NUMBERS = [
  [0, -0, -1, -3, 4, 99, 1.5, 2.999, 2 ** 31, 2 ** 32 + 1, 2 ** 53, -(2 ** 53), 2 ** 64 + 2 ** 12],
  [Number.MIN_VALUE, Number.MAX_VALUE, Number.NaN, Infinity, -Infinity],
].flat();

export const numbersOf = (versions: readonly AnyVersion[]): number[] => versions.map(({ version }) => version);

/** A version, whose type is that of a recorded event. */
type ExpectedVersion = Omit<AnyVersion, 'type'> & { readonly type: string };

/** Returns the versions of an order that follow from its events, newest first. */
async function versionsOf(
  bench: StoreBench,
  id: string,
  orders: readonly (AnyOrder | null)[],
  reasons: Readonly<Record<number, string>> = {},
): Promise<readonly ExpectedVersion[]> {
  const events = (await bench.events()).filter(({ aggregate_id }) => aggregate_id === id);
  assert.equal(events.length, orders.length, 'the number of events');
  return orders
    .map((order, index) => {
      const event = events.find(({ version }) => version === (order?.version ?? orders.length));
      assert.ok(event, 'a version has no event');
      const { version, type, changed, occurred_at, actor, external_user_id } = event;
      const reason = reasons[index + 1] ?? null;
      return { version, type, changed, occurred_at, actor, external_user_id, reason, order };
    })
    .toReversed();
}

/** Writes an order in every way. Returns its id, what each write returned, oldest first, and the keys of the writes. */
async function storeHistory(bench: StoreBench) {
  const { anOrder, advance, advanceAgain, definition } = bench.fixtures;
  const customer_id = (await bench.customers.stored()).id;
  const items = [anItem({ quantity: 9 }), anItem({ sku: 'B', quantity: 4 })];
  const [first = anItem(), second = first] = items;
  const orders: AnyOrder[] = [];
  const keys: Idempotency[] = [];
  const next = (actor: string | null = null) => {
    keys.push(aKey());
    return { at: minute(orders.length), key: keys.at(-1), event: { actor, external_user_id: actor && 'user 7' } };
  };
  const placed = anOrder({ items, adjustments: [anAdjustment()], note: '“é” 🎁', metadata: METADATA });
  const { id } = placed;
  orders.push((await bench.place({ ...placed, ...next('api_key:ord_4fT9') })).order);
  const update = async (wanted: AnyChange, actor: string | null = null) =>
    orders.push((await bench.update(id, wanted, next(actor))).aggregate);
  const apply = async (command: OrderCommand) => {
    const order = await bench.command(id, command, next());
    orders.push(order);
    return order;
  };
  const some = (quantity: number, { id: item_id } = first) => [{ item_id, quantity }];
  const metadata = { z: null, '11': 'eleven', b: '4' };
  await update({ customer_id, reference: 'PO-1', note: null, metadata }, 'client: a b~');
  await update({ external_ids: { erp: ['4711'], psp: ['1'] }, buyer: { name: 'Ada' }, shipping_address: anAddress() });
  await update({ external_ids: { erp: null }, buyer: { email: 'a@b', name: null }, shipping_address: null });
  if (definition.custom) orders.push((await bench.orders.set(id, { custom: [METADATA, 1.5] }, next())).aggregate);
  await apply({ name: 'add_items', lines: lines(2) });
  const tracking = { carrier: null, number: '00340434', url: null };
  await apply({ name: 'fulfill_items', items: some(2), tracking });
  const { fulfillments } = await apply({ name: 'fulfill_items', items: [...some(3), ...some(1, second)] });
  await apply({ name: 'cancel_items', items: some(1), reason: 'out of “stock”', adjustments: charges(1) });
  const cancelled = orders.length;
  const [mistaken, kept] = fulfillments.toReversed();
  await apply({ name: 'cancel_fulfillment', fulfillment_id: mistaken?.id ?? '' });
  await update(advance);
  await apply({ name: 'fulfill_items', adjustments: charges(2) });
  await apply({ name: 'return_items', items: some(1), reason: 'too small' });
  const reasons: Record<number, string> = { [cancelled]: 'out of “stock”', [orders.length]: 'too small' };
  await apply({ name: 'add_items', lines: lines(1), adjustments: charges(1).map((one) => ({ ...one, item: 0 })) });
  for (const count of [94, 1]) await apply({ name: 'adjust', adjustments: charges(count) });
  await apply({ name: 'cancel_fulfillment', fulfillment_id: kept?.id ?? '' });
  await update({ metadata: null }, 'x'.repeat(255));
  await update(advanceAgain, 'certificate:0123456789abcdef');
  for (const status of [definition.initial, definition.cancel].filter(() => definition.statuses.length > 1)) {
    const reason = `not ${orders.at(-1)?.status}`;
    orders.push(await bench.correct(id, status, { ...next(), reason }));
    reasons[orders.length] = reason;
  }
  return { id, orders, keys, reasons };
}

const textOf = (versions: readonly ExpectedVersion[]) => JSON.stringify(versions.map(({ order }) => order));

function assertVersions(actual: readonly AnyVersion[], expected: readonly ExpectedVersion[]): void {
  assert.deepEqual(actual, expected);
  assert.equal(textOf(actual), textOf(expected), 'the JSON text of the orders');
}

export function versionsContract(
  { describe, it }: Cases<StoreBench>,
  { definition, anOrder, advance }: OrderFixtures,
): void {
  describe('a stored order', () => {
    it('has the last time of each status that was entered again', async (bench) => {
      const times = (at: Timestamp) => Object.fromEntries(Object.keys(definition.noTimes).map((name) => [name, at]));
      const { id } = await bench.orders.stored(anOrder(times(minute(0))));
      const { aggregate } = await bench.orders.set(id, times(minute(1)), { at: minute(1) });
      assert.deepEqual(await bench.orders.get(id), aggregate);
    });
  });

  describe('the versions of an order', () => {
    it('have the event, order and reason of each write, as its key has, also after later ones', async (bench) => {
      await bench.orders.stored();
      const { id, orders, keys, reasons } = await storeHistory(bench);
      const check = async (expected: readonly ExpectedVersion[]) => {
        assertVersions(await bench.allVersions(id), expected);
        for (const version of expected) {
          assertVersions([await bench.version(id, version.version)], [version]);
          assertVersions((await bench.versions(id, { at: version.occurred_at })).data, [version]);
        }
        for (const [index, key] of keys.entries()) {
          const recorded = (await bench.orders.recorded(key))?.aggregate;
          assert.equal(JSON.stringify(recorded), JSON.stringify(orders[index]), `the record of write ${index + 1}`);
        }
      };
      await check(await versionsOf(bench, id, orders, reasons));
      assert.deepEqual(await bench.orders.get(id), orders.at(-1));
      await bench.orders.remove(id, { occurred_at: minute(orders.length), actor: 'client:shop' });
      await check(await versionsOf(bench, id, [...orders, null], reasons));
    });

    it('have the lines of their time, each once when twenty are added at once', async (bench) => {
      const items = Array.from({ length: ITEMS_MAX - 15 }, () => anItem());
      const { id } = await bench.orders.stored(anOrder({ items }));
      const { orders, customers, owner } = bench;
      const ports = {
        orders: orders.store,
        customers: customers.store,
        definition,
        clock: fixedClock(),
        ids: sequentialIds(),
      };
      const adding = lines(20).map((line) => addItems(ports, owner, id, { items: [line] }));
      const errors = (await Promise.all(adding)).flatMap((result) => (result.isErr() ? [result.error] : []));
      assert.deepEqual(errors, Array(5).fill({ type: 'too_many_items' }));
      const after = (await bench.orders.get(id)).items;
      assert.equal(new Set(after.slice(-15).map(({ sku }) => sku)).size, 15);
      const versions = [...(await bench.versions(id, { limit: 8 })).data, await bench.version(id, 1)];
      for (const { version, order } of versions) assert.deepEqual(order?.items, after.slice(0, 84 + version));
    });

    it('are not found by other numbers', async (bench) => {
      const { id } = await bench.orders.stored();
      await bench.update(id, advance);
      await bench.orders.remove(id);
      for (const number of UNKNOWN_NUMBERS) {
        const error = await fails(bench.tryVersion(id, number));
        assert.deepEqual(error, { type: 'version_not_found', id }, `version ${number}`);
      }
    });

    it('belong to their owner alone, even if another owner has an order with the same id', async (bench) => {
      const other = bench.ofAnother();
      const first = await bench.orders.stored();
      const { id } = first;
      const { aggregate: second } = await bench.update(id, advance);
      for (const at of [undefined, '2026-02-01T00:00:00.000Z'])
        assert.deepEqual(await fails(other.tryVersions(id, { at })), { type: 'order_not_found', id });
      assert.deepEqual(await fails(other.tryVersion(id, 1)), { type: 'version_not_found', id });
      const order = await other.orders.stored(anOrder({ id, note: 'mine' }));
      assertVersions(await other.allVersions(id), await versionsOf(other, id, [order]));
      assert.deepEqual(await fails(other.tryVersion(id, 2)), { type: 'version_not_found', id });
      assertVersions(await bench.allVersions(id), await versionsOf(bench, id, [first, second]));
    });

    it('start with that of an imported order, at the time of the import', async (bench) => {
      const occurred_at = '2026-01-02T03:04:05.678Z';
      const { order } = await bench.place({
        version: 7,
        at: '2020-01-01T00:00:00.000Z',
        updated_at: '2021-01-01T00:00:00.000Z',
        event: { type: 'order.imported', occurred_at },
      });
      const versions = await versionsOf(bench, order.id, [order]);
      assert.equal(versions[0]?.occurred_at, occurred_at);
      assertVersions(await bench.allVersions(order.id), versions);
      assert.deepEqual((await bench.versions(order.id, { at: '2026-01-02T03:04:05.677Z' })).data, []);
      await bench.update(order.id, advance);
      assert.deepEqual(numbersOf(await bench.allVersions(order.id)), [8, 7]);
      assertVersions([await bench.version(order.id, 7)], versions);
    });

    it('are separate from those of a customer with the same id', async (bench) => {
      const [placing, creating] = [aKey(), aKey()];
      const order = await bench.orders.stored(anOrder(), placing);
      const { id } = order;
      const customer = await bench.customers.stored(aCustomer({ id }), creating);
      const advanced = await bench.update(id, advance);
      const recorded = await bench.customers.recorded(creating);
      assert.deepEqual(recorded, { sameCommand: true, id, aggregate: customer });
      await bench.customers.remove(id);
      const versions = (await bench.allVersions(id)).map((version) => version.order);
      assert.deepEqual(versions, [advanced.aggregate, order]);
      assert.deepEqual((await bench.orders.recorded(placing))?.aggregate, order);
    });

    it('are returned as copies', async (bench) => {
      const { id } = await bench.orders.stored(anOrder({ metadata: { colour: 'blue' } }));
      await bench.update(id, { metadata: { size: 'L' } });
      for (let time = 0; time < 3; time += 1) {
        const [listed] = await bench.allVersions(id);
        const found = await bench.version(id, 2);
        const { data: atTime } = await bench.versions(id, { at: '9999-01-01T00:00:00Z' });
        for (const order of [listed?.order, found.order, atTime[0]?.order]) {
          assert.deepEqual(order?.metadata, { colour: 'blue', size: 'L' });
          Object.assign(order.metadata, { colour: 'red' });
        }
      }
    });
  });
}
