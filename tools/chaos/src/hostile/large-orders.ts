import { query } from '../processes/postgres.ts';
import { placeOrder } from './place-order.ts';
import type { Writer } from './writers.ts';

/** The maximum metadata of an order: 50 keys of 40 characters with values of 500. */
const METADATA = Object.fromEntries(
  Array.from({ length: 50 }, (_, index) => [`${index}`.padStart(40, 'k'), 'v'.repeat(500)]),
);

/** Places orders with maximum metadata. */
export async function placeLargeOrders(url: string, apiKey: string, count: number): Promise<void> {
  for (let placed = 0; placed < count; placed += 1) await placeOrder(url, apiKey, { metadata: METADATA });
}

/** Text whose every character is six bytes in JSON. */
const escaped = (length: number) => '\u0001'.repeat(length);

const LONGEST_ITEM = { sku: escaped(64), name: escaped(255), quantity: 1, unit_price: { amount: 1, currency: 'EUR' } };

/** The orders of a page, and the items of each on a page with as many items as possible. */
const [PAGE_ORDERS, PAGE_ORDER_ITEMS] = [100, 10];

/** An order whose every member but the reference is as large as possible. */
export const LARGEST_ORDER = {
  items: Array.from({ length: 100 }, () => LONGEST_ITEM),
  note: escaped(2000),
  metadata: Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`${index}`.padStart(40, '\u0001'), escaped(500)]),
  ),
  // 16 KiB that are valid: the last alternative of each item.
  custom: { choices: Array.from({ length: 2700 }, () => 'n59') },
};

/** The path of the largest page, after {@link fillLargestPage}. */
export const LARGEST_PAGE = `/v1/orders?limit=${PAGE_ORDERS}&status=cancelled`;

/** Gives an owner a page of cancelled orders with as many items and as long notes as a page may have. */
export async function fillLargestPage(databaseUrl: string, url: string, { owner, apiKey }: Writer): Promise<void> {
  const items = LARGEST_ORDER.items.slice(0, PAGE_ORDER_ITEMS);
  const id = await placeOrder(url, apiKey, { items, note: LARGEST_ORDER.note });
  await query(
    databaseUrl,
    `insert into orders.orders
     select (jsonb_populate_record(placed, jsonb_build_object('id', gen_random_uuid(), 'status', 'cancelled'))).*
     from orders.orders placed, generate_series(1, $2::int) where owner_id = $1 and id = $3`,
    [owner, PAGE_ORDERS, id],
  );
}
