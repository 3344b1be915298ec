import type { OrderQueryInput } from '../../orders/order-query.ts';
import type { OrderVersionQueryInput } from '../../orders/order-version.ts';
import * as assert from '../assertions.ts';
import { anItem } from '../builders.ts';
import { casesOf, type TestRunner } from '../contract-subject.ts';
import type { AnyOrder, OrderFixtures } from '../order-fixtures.ts';
import { membersOf, pageSizeContract } from '../page-size.contract.ts';
import { charges, lines, type StoreBench } from '../store-bench.ts';
import { numbersOf } from './versions.contract.ts';

export function pageSizesContract(
  runner: TestRunner,
  open: () => Promise<StoreBench>,
  { anOrder, freeText }: OrderFixtures,
): void {
  const openOrders = async () => {
    const bench = await open();
    return {
      storeText: (bytes: number) => bench.orders.stored(anOrder(freeText(bytes))),
      storeElements: (count: number) => bench.orders.stored(anOrder(membersOf(count))),
      page: async (query: OrderQueryInput) => {
        const { data, next } = await bench.ordersPage({ ...query, limit: 100 });
        return { ids: data.map(({ id }) => id), next };
      },
    };
  };
  pageSizeContract(casesOf(runner, openOrders), 'orders', { elements: true, offset: true });

  const openVersions = async () => {
    const bench = await open();
    let id: string | undefined;
    const store = async (fields: Partial<AnyOrder>, changed = fields) => {
      if (id === undefined) ({ id } = await bench.orders.stored(anOrder(fields)));
      else await bench.orders.set(id, changed);
    };
    return {
      storeText: (bytes: number) => store(freeText(bytes)),
      storeElements: (count: number) => store(membersOf(count), { note: 'as many elements' }),
      page: async ({ after }: OrderVersionQueryInput) => {
        const { data, next } = await bench.versions(id ?? '', { after, limit: 100 });
        return { ids: numbersOf(data), next };
      },
    };
  };
  pageSizeContract(casesOf(runner, openVersions), 'versions', { elements: true, offset: false });

  const { describe, it } = casesOf(runner, open);
  describe('a page of versions', () => {
    it('has as many elements as each version has, and none for a deletion', async (bench) => {
      const items = Array.from({ length: 40 }, () => anItem());
      const { id } = await bench.orders.stored(anOrder({ items }));
      await bench.update(id, { note: '40 elements' });
      await bench.command(id, { name: 'add_items', lines: lines(50) });
      await bench.command(id, { name: 'fulfill_items', adjustments: charges(100) });
      for (const note of ['280', '280 again']) await bench.update(id, { note });
      const numbers = async () => numbersOf((await bench.versions(id, { limit: 100 })).data);
      assert.deepEqual(await numbers(), [6, 5, 4, 3, 2]);
      await bench.orders.remove(id);
      assert.deepEqual(await numbers(), [7, 6, 5, 4, 3, 2]);
    });
  });
}
