import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { Timestamp } from '../../shared/clock.ts';
import * as assert from '../assertions.ts';
import type { Cases } from '../contract-subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';
import { minute, type StoreBench } from '../store-bench.ts';

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
  { describe, it }: Cases<StoreBench>,
  { definition, anOrder, cancellable, cancellation }: OrderFixtures,
): void {
  describe('a stored order', () => {
    it('has every field that a change may set', async (bench) => {
      const order = await bench.orders.stored(anOrder({ status: cancellable, metadata: { a: '1', b: '2' } }));
      const wanted = {
        ...cancellation,
        customer_id: (await bench.customers.stored()).id,
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
      assert.deepEqual(await bench.orders.get(order.id), expected);
      await bench.update(order.id, { metadata: null });
      assert.deepEqual((await bench.orders.get(order.id)).metadata, {});
    });

    it('has the time at which each status was entered', async (bench) => {
      for (const path of pathsOf(definition)) {
        const order = await bench.orders.stored();
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
        assert.deepEqual(await bench.orders.get(order.id), expected, path.join(', '));
      }
    });

    it('has the last time of each status that was entered again', async (bench) => {
      const times = (at: Timestamp) => Object.fromEntries(Object.keys(definition.noTimes).map((name) => [name, at]));
      const order = await bench.orders.stored(anOrder(times(minute(0))));
      const { aggregate } = await bench.orders.set(order.id, times(minute(1)), { at: minute(1) });
      assert.deepEqual(await bench.orders.get(order.id), aggregate);
    });
  });
}
