import { randomUUIDv7 } from 'node:crypto';
import { type Order, type OrderQuery, type OrderQueryInput, parseOrderQuery, SORTS } from '@orders/domain';
import { aCustomer, anEventOf, anEventOfCustomer, anOrder } from '@orders/domain/testing';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { testDatabase } from './test-database.ts';
import { decidedCustomers, decidedOrders } from './decided-writes.ts';

const database = testDatabase();

/** A few timestamps, each shared by many orders. */
const MOMENTS = ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.679Z', '2026-01-02T03:04:05.680Z'];

const FILTERS: readonly (readonly [string, (customer: string) => OrderQueryInput])[] = [
  ['without a filter', () => ({})],
  ['by status', () => ({ status: ['pending', 'paid'] })],
  ['by customer', (customer_id) => ({ customer_id })],
];

/** Creates an owner with a customer, and returns operations on the owner's orders. */
async function anOwner() {
  const owner = randomUUIDv7();
  const orders = decidedOrders(database.current);
  const customer = aCustomer();
  const event = anEventOfCustomer(owner, customer);
  (await decidedCustomers(database.current).insert(owner, { customer, event }))._unsafeUnwrap();
  const place = async (n: number): Promise<Order> => {
    const created_at = MOMENTS[n % MOMENTS.length] ?? '';
    const status = n % 2 === 0 ? ('pending' as const) : ('paid' as const);
    const order = anOrder({ id: randomUUIDv7(), customer_id: customer.id, created_at, status });
    return (await orders.insert(owner, { order, event: anEventOf(owner, order) }))._unsafeUnwrap().order;
  };
  const remove = async ({ id }: Order): Promise<void> => {
    (await orders.delete(owner, id, (order) => ok(anEventOf(owner, order, { type: 'order.deleted' }))))._unsafeUnwrap();
  };
  const page = async (query: OrderQuery) => (await orders.list(owner, query))._unsafeUnwrap();
  return { customer: customer.id, place, remove, page };
}

describe.each(FILTERS)('a cursor walk during concurrent placements and deletions, %s', (_, filter) => {
  it.each(SORTS)('returns every order that stays exactly once, sorted by %s', async (sort) => {
    const { customer, place, remove, page } = await anOwner();
    const stayed = await Promise.all(Array.from({ length: 40 }, (_each, n) => place(n)));
    let walking = true;
    const write = async (first: number): Promise<number> => {
      let count = 0;
      for (; walking || count === 0; count += 1) await remove(await place(first + count));
      return count;
    };
    const writers = [0, 1, 2].map(write);
    const seen: string[] = [];
    const query = parseOrderQuery({ sort, limit: 3, ...filter(customer) })._unsafeUnwrap();
    for (let after: OrderQuery['after'] = null; ;) {
      const { data, next } = await page({ ...query, after });
      seen.push(...data.map(({ id }) => id));
      if (!next) break;
      after = next;
    }
    walking = false;
    const written = await Promise.all(writers);
    expect(written.every((count) => count > 0)).toBe(true);
    expect(stayed.map(({ id }) => seen.filter((other) => other === id).length)).toEqual(stayed.map(() => 1));
    expect(new Set(seen).size).toBe(seen.length);
  });
});
