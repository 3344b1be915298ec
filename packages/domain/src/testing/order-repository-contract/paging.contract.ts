import { type OrderFilter, type OrderQueryInput } from '../../orders/order-query.ts';
import { SORTS } from '../../shared/page-query.ts';
import * as assert from '../assertions.ts';
import type { Cases } from '../contract-subject.ts';
import type { AnyOrder, OrderFixtures } from '../order-fixtures.ts';
import type { StoreBench } from '../store-bench.ts';

/** Returns the orders of all pages of `limit`. */
async function readAllPages(bench: StoreBench, input: OrderQueryInput, limit: number): Promise<readonly AnyOrder[]> {
  const { data, next } = await bench.ordersPage({ ...input, limit });
  assert.ok(!next || data.length === limit, 'a page was too short');
  return next ? [...data, ...(await readAllPages(bench, { ...input, after: next }, limit))] : data;
}

/** Returns every set of at most `size` of `all`, each in their order. */
function subsets<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  const [first, ...rest] = all;
  if (first === undefined || size === 0) return [[]];
  return [...subsets(rest, size), ...subsets(rest, size - 1).map((others) => [first, ...others])];
}

/**
 * Stores twelve orders of all statuses, or the first twelve, and two customers. Four orders share each millisecond, and
 * the order of their updates is the reverse of their creation.
 */
async function storeTwelveOrders(bench: StoreBench): Promise<AnyOrder[]> {
  const { definition, anOrder } = bench.fixtures;
  const customers = [(await bench.customers.stored()).id, (await bench.customers.stored()).id, null];
  const { statuses, initial } = definition;
  const stored: AnyOrder[] = [];
  for (let index = 0; index < 12; index += 1) {
    const order = anOrder({
      status: statuses[index % statuses.length] ?? initial,
      customer_id: customers[index % 3] ?? null,
      reference: `PO-${index}`,
      external_ids: index % 5 < 3 ? { shop: ['1', `${index}`.padStart(3, '0')], erp: ['1'] } : {},
      created_at: AT.created[Math.floor(index / 4)] ?? '',
      updated_at: AT.updated[Math.floor(index / 4)] ?? '',
    });
    stored.push(await bench.orders.stored(order));
  }
  return stored;
}

/** The times of the orders, in the order of their creation. */
const AT = {
  created: ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.002Z'],
  updated: ['2026-01-02T00:00:00.003Z', '2026-01-02T00:00:00.002Z', '2026-01-02T00:00:00.001Z'],
} as const;

const UNKNOWN_ID = '019b0000-dddd-7000-8000-000000000000';

const hasOwnOrder = ({ ids, lookup, reference_prefix }: OrderQueryInput) =>
  (ids ?? lookup ?? reference_prefix) !== undefined;

function expectedIds(orders: readonly AnyOrder[], sort: (typeof SORTS)[number] | 'reference'): string[] {
  const sortKey = ({ reference, created_at, updated_at, id }: AnyOrder) =>
    sort === 'reference' ? String(reference) : (sort.endsWith('created_at') ? created_at : updated_at) + id;
  const ascending = orders.toSorted((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1)).map(({ id }) => id);
  return sort.startsWith('-') ? ascending.toReversed() : ascending;
}

const idsOf = (orders: readonly AnyOrder[]): string[] => orders.map(({ id }) => id);

export function pagingContract({ describe, it }: Cases<StoreBench>, { anOrder }: OrderFixtures): void {
  describe('listing orders', () => {
    for (const sort of [...SORTS, 'own'] as const) {
      it(`sorts by ${sort} and filters by every one, two and three filters that leave the order so, on each page`, async (bench) => {
        const stored = await storeTwelveOrders(bench);
        const customer_id = stored[0]?.customer_id ?? '';
        const status = [...new Set([0, 1, 4].map((index) => stored[index]?.status ?? ''))];
        const ids = idsOf(stored.filter((_, index) => index % 4 < 3));
        const filters: Readonly<Record<keyof OrderFilter, readonly [OrderQueryInput, (order: AnyOrder) => boolean]>> = {
          status: [{ status }, (order) => status.includes(order.status)],
          customer_id: [{ customer_id }, (order) => order.customer_id === customer_id],
          reference: [{ reference: 'PO-10' }, ({ reference }) => reference === 'PO-10'],
          reference_prefix: [{ reference_prefix: 'PO-1' }, ({ reference }) => reference?.startsWith('PO-1') ?? false],
          lookup: [{ lookup: 'external.shop:1' }, ({ external_ids }) => external_ids['shop']?.includes('1') ?? false],
          ids: [{ ids: [...ids, UNKNOWN_ID] }, ({ id }) => ids.includes(id)],
          created_at_from: [{ created_at_from: AT.created[1] }, ({ created_at }) => created_at >= AT.created[1]],
          created_at_before: [{ created_at_before: AT.created[2] }, ({ created_at }) => created_at < AT.created[2]],
          updated_at_from: [{ updated_at_from: AT.updated[2] }, ({ updated_at }) => updated_at >= AT.updated[2]],
          updated_at_before: [{ updated_at_before: AT.updated[0] }, ({ updated_at }) => updated_at < AT.updated[0]],
        };
        for (const chosen of subsets(Object.values(filters), 3)) {
          const query = chosen.reduce<OrderQueryInput>((all, [input]) => ({ ...all, ...input }), {});
          if (hasOwnOrder(query) !== (sort === 'own')) continue;
          if (query.lookup !== undefined && (query.ids ?? query.reference_prefix) !== undefined) continue;
          const matching = stored.filter((order) => chosen.every(([, matches]) => matches(order)));
          const limit = Math.max(1, Math.ceil(matching.length / 2));
          const seen = await readAllPages(bench, { ...query, ...(sort !== 'own' && { sort }) }, limit);
          const own = query.reference_prefix === undefined ? '-created_at' : 'reference';
          const expected = expectedIds(matching, sort === 'own' ? own : sort);
          assert.deepEqual(idsOf(seen), expected, JSON.stringify(query));
        }
      });
    }

    it('sorts references by code points, and filters by the first of them', async (bench) => {
      const references = [
        'PO',
        'PO-10',
        'PO-9',
        'PO-A',
        'PO-a',
        'PO-é',
        'PO-\uFFFD',
        'PO-😀',
        `PO-${'\u{10FFFF}'.repeat(61)}`,
      ];
      for (const reference of [...references.toReversed(), 'PP', 'P', 'O', 'po-1', null])
        await bench.orders.stored(anOrder({ reference }));
      const seen = await readAllPages(bench, { reference_prefix: 'PO' }, 2);
      const found = seen.map(({ reference }) => reference);
      assert.deepEqual(found, references);
      const none = await bench.ordersPage({ reference_prefix: 'PO-99' });
      assert.deepEqual(none, { data: [], next: null });
    });
  });
}
