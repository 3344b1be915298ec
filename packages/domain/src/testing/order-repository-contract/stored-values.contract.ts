import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { type Timestamp, toTimestamp } from '../../shared/clock.ts';
import { textsOf } from '../aggregate-store-contract/subject.ts';
import * as assert from '../assertions.ts';
import { anItem } from '../builders.ts';
import { succeeds, type TestRunner } from '../contract-subject.ts';
import type { AnyOrder, OrderFixtures } from '../order-fixtures.ts';
import type { StoreBench } from '../store-bench.ts';

/** Returns a time, later for a higher number. */
const minute = (count: number): Timestamp => toTimestamp(Date.UTC(2026, 0, 2, 4, count, 0, 120));

/** Returns paths from the initial status that together enter every other status, each a shortest path to its end. */
function pathsOf({ lifecycle, initial, statuses }: OrderDefinition): readonly (readonly string[])[] {
  const shortest = new Map<string, readonly string[]>([[initial, []]]);
  // A map is iterated over the entries that are added meanwhile, too.
  for (const [status, path] of shortest)
    for (const target of lifecycle[status] ?? []) if (!shortest.has(target)) shortest.set(target, [...path, target]);
  const isPart = (status: string) =>
    [...shortest.values()].some((path) => path.includes(status) && path.at(-1) !== status);
  return statuses.filter((status) => !isPart(status)).map((status) => shortest.get(status) ?? []);
}

export function storedValuesContract(
  { describe, it }: TestRunner,
  open: () => Promise<StoreBench>,
  { definition, anOrder, cancellable, cancellation }: OrderFixtures,
): void {
  describe('a stored order', () => {
    it('has every field of a new order unchanged', async () => {
      const bench = await open();
      const item = anItem({
        sku: 'ß-🎁',
        name: 'هدية 🎁',
        quantity: 9000,
        unit_price: { amount: 1e12, currency: 'KWD' },
      });
      const order = anOrder({
        customer_id: (await bench.storeCustomer()).id,
        reference: 'PO 2026/0001 — "Ω"',
        items: [item, anItem({ quantity: 1, unit_price: { amount: 0, currency: 'KWD' } })],
        note: 'line one\nline two\t\u202eright to left',
        metadata: Object.fromEntries([
          ['__proto__', 'a'],
          ['constructor', 'b'],
          ['10', 'ten'],
          ['2', 'two'],
          ['created_at', 'not a time'],
        ]),
      });
      await bench.storeOrder(order);
      assert.deepEqual(textsOf(await bench.order(order.id)), textsOf(order));
    });

    it('has one hundred items in their order', async () => {
      const bench = await open();
      const items = Array.from({ length: 100 }, (_, line) => anItem({ sku: `SKU-${100 - line}` }));
      const { id } = await bench.storeOrder(anOrder({ items }));
      assert.deepEqual((await bench.order(id)).items, items);
    });

    it('has every field that a change may set', async () => {
      const bench = await open();
      const order = await bench.storeOrder(anOrder({ status: cancellable, metadata: { a: '1', b: '2' } }));
      const wanted = {
        ...cancellation,
        customer_id: (await bench.storeCustomer()).id,
        reference: 'PO-7',
        note: 'ring twice',
        metadata: { a: null, c: '3' },
      };
      await bench.update(order.id, wanted);
      const at = '2026-01-02T03:05:00.000Z';
      const { customer_id, reference, note, cancel_reason = null, status = order.status } = wanted;
      const time = status === order.status ? null : definition.entries[status]?.time;
      const changed = { status, customer_id, reference, note, cancel_reason, metadata: { b: '2', c: '3' } };
      const expected = { ...order, ...changed, version: 2, updated_at: at, ...(time && { [time]: at }) };
      assert.deepEqual(await bench.order(order.id), expected);
      await bench.update(order.id, { metadata: null });
      assert.deepEqual((await bench.order(order.id)).metadata, {});
    });

    it('has the time at which each status was entered', async () => {
      const bench = await open();
      for (const path of pathsOf(definition)) {
        const order = await bench.storeOrder();
        const entered: Record<string, Timestamp> = {};
        for (const [index, status] of path.entries()) {
          const at = minute(index);
          await bench.update(order.id, { status }, { at });
          const time = definition.entries[status]?.time;
          if (time) entered[time] = at;
        }
        const last = path.at(-1);
        const expected = {
          ...order,
          ...(last !== undefined && { status: last, updated_at: minute(path.length - 1) }),
          ...entered,
          version: path.length + 1,
        };
        assert.deepEqual(await bench.order(order.id), expected, path.join(', '));
      }
    });

    it('has the last time of each status that was entered again', async () => {
      const bench = await open();
      const times = (at: Timestamp) => Object.fromEntries(Object.keys(definition.noTimes).map((name) => [name, at]));
      const order = await bench.storeOrder(anOrder(times(minute(0))));
      const enterAgain = (before: AnyOrder) => {
        const after = { ...before, ...times(minute(1)), version: 2, updated_at: minute(1) };
        return { after, event: bench.eventOf(after) };
      };
      await succeeds(bench.tryChange(order.id, enterAgain));
      const expected = { ...order, ...times(minute(1)), version: 2, updated_at: minute(1) };
      assert.deepEqual(await bench.order(order.id), expected);
    });
  });
}
