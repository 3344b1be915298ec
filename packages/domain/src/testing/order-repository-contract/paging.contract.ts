import { type OrderFilter, type OrderQueryInput } from '../../orders/order-query.ts';
import * as assert from '../assertions.ts';
import { anItem } from '../builders.ts';
import type { TestRunner } from '../contract-subject.ts';
import type { AnyOrder, OrderFixtures } from '../order-fixtures.ts';
import { pageBytesContract } from '../page-bytes.contract.ts';
import type { StoreBench } from '../store-bench.ts';

const SORTS = ['created_at', '-created_at', 'updated_at', '-updated_at'] as const;

/** Returns the orders of all pages of two. */
async function readAllPages(bench: StoreBench, input: OrderQueryInput): Promise<readonly AnyOrder[]> {
  const { data, next } = await bench.ordersPage({ ...input, limit: 2 });
  assert.ok(!next || data.length === 2, 'a page was too short');
  return next ? [...data, ...(await readAllPages(bench, { ...input, after: next }))] : data;
}

/**
 * Stores twelve orders of all statuses, or the first twelve, and two customers. Four orders share each millisecond, and
 * the order of their updates is the reverse of their creation.
 */
async function storeTwelveOrders(bench: StoreBench): Promise<AnyOrder[]> {
  const { definition, anOrder } = bench.fixtures;
  const customers = [(await bench.storeCustomer()).id, (await bench.storeCustomer()).id, null];
  const { statuses, initial } = definition;
  const stored: AnyOrder[] = [];
  for (let index = 0; index < 12; index += 1) {
    const order = anOrder({
      status: statuses[index % statuses.length] ?? initial,
      customer_id: customers[index % 3] ?? null,
      reference: `PO-${index}`,
      created_at: `2026-01-01T00:00:00.00${Math.floor(index / 4)}Z`,
      updated_at: `2026-01-02T00:00:00.00${3 - Math.floor(index / 4)}Z`,
    });
    stored.push(await bench.storeOrder(order));
  }
  return stored;
}

function expectedIds(orders: readonly AnyOrder[], sort: (typeof SORTS)[number]): string[] {
  const sortKey = (order: AnyOrder) => (sort.endsWith('created_at') ? order.created_at : order.updated_at) + order.id;
  const ascending = orders.toSorted((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1)).map(({ id }) => id);
  return sort.startsWith('-') ? ascending.toReversed() : ascending;
}

const idsOf = (orders: readonly AnyOrder[]): string[] => orders.map(({ id }) => id);

export function pagingContract(
  { describe, it }: TestRunner,
  open: () => Promise<StoreBench>,
  { anOrder }: OrderFixtures,
): void {
  describe('listing orders', () => {
    for (const sort of SORTS) {
      it(`sorts by ${sort} and filters by status, several statuses, customer, status and customer, and reference`, async () => {
        const bench = await open();
        const stored = await storeTwelveOrders(bench);
        const customer_id = stored[0]?.customer_id ?? '';
        const statusOf = (index: number) => stored[index]?.status ?? '';
        const among = (...indices: readonly number[]) => [...new Set(indices.map(statusOf))];
        type Case = readonly [OrderQueryInput, (order: AnyOrder) => boolean];
        const one: Readonly<Record<keyof OrderFilter, Case>> = {
          status: [{ status: among(1) }, ({ status }) => status === statusOf(1)],
          customer_id: [{ customer_id }, (order) => order.customer_id === customer_id],
          reference: [{ reference: 'PO-4' }, (order) => order.reference === 'PO-4'],
        };
        const several: readonly Case[] = [
          [{ status: among(0, 4) }, ({ status }) => among(0, 4).includes(status)],
          [
            { customer_id, status: among(0, 3) },
            (order) => order.customer_id === customer_id && among(0, 3).includes(order.status),
          ],
        ];
        for (const [filter, matches] of [...Object.values(one), ...several]) {
          const seen = await readAllPages(bench, { ...filter, sort });
          assert.deepEqual(idsOf(seen), expectedIds(stored.filter(matches), sort), JSON.stringify(filter));
        }
      });
    }

    it('ends a page before its items exceed 1,000, but returns at least one order', async () => {
      const bench = await open();
      const large = Array.from({ length: 100 }, () => anItem());
      const stored: AnyOrder[] = [];
      for (let index = 0; index < 12; index += 1) stored.push(await bench.storeOrder(anOrder({ items: large })));
      const first = await bench.ordersPage({ limit: 100 });
      assert.equal(first.data.length, 10);
      assert.ok(first.next, 'the first page must not be the last');
      const second = await bench.ordersPage({ limit: 100, after: first.next });
      assert.equal(second.data.length, 2);
      assert.equal(second.next, null);
      assert.deepEqual(idsOf([...first.data, ...second.data]), expectedIds(stored, '-created_at'));
    });
  });
}

export function orderPageBytesContract(
  runner: TestRunner,
  open: () => Promise<StoreBench>,
  { anOrder, freeText }: OrderFixtures,
): void {
  pageBytesContract(runner, 'orders', async () => {
    const bench = await open();
    return {
      storeEntry: (bytes) => bench.storeOrder(anOrder(freeText(bytes))),
      page: (query) => bench.ordersPage(query),
    };
  });
}
