import { at, listAt, textAt } from './json.ts';

/** The client of a walk, of a server in this or another process. */
export interface WalkingClient {
  /** Returns the body of the response. */
  get(url: string): Promise<unknown>;
  /** Creates a resource and returns its id. */
  create(url: string, body: unknown): Promise<string>;
  remove(url: string): Promise<void>;
}

export const SORTS = ['created_at', '-created_at', 'updated_at', '-updated_at'] as const;

/** Filters of orders, given a customer with orders. */
export const FILTERS: readonly [string, (customerId: string) => string][] = [
  ['without a filter', () => ''],
  ['by status', () => '&status=pending,paid'],
  ['by customer', (customerId) => `&customer_id=${customerId}`],
];

/** The ids that the walk returned, and those of the orders that existed throughout. */
export interface Walked {
  readonly seen: readonly string[];
  readonly stayed: readonly string[];
  readonly pages: number;
}

/**
 * Walks the list by cursor with three orders per page. Between the pages, others place and delete orders before and after
 * the cursor, including the order of the cursor.
 */
export async function walkWhileOthersWrite(
  client: WalkingClient,
  items: readonly unknown[],
  sort: string,
  filterOf: (customerId: string) => string,
): Promise<Walked> {
  const email = `walker${sort}${filterOf('').length}@example.com`;
  const customer_id = await client.create('/v1/customers', { email });
  const place = () => client.create('/v1/orders', { items, customer_id });
  // Concurrently, so that they share milliseconds.
  const stayed = new Set(await Promise.all(Array.from({ length: 14 }, place)));
  const others = new Set(await Promise.all(Array.from({ length: 12 }, place)));
  const remove = async (id: string | undefined) => {
    if (id !== undefined && others.delete(id)) await client.remove(`/v1/orders/${id}`);
  };
  const seen: string[] = [];
  const first = `/v1/orders?limit=3&sort=${sort}${filterOf(customer_id)}`;
  for (let url = first, pages = 1; ; pages += 1) {
    const page = await client.get(url);
    const ids = listAt(page, 'data').map((order) => textAt(order, 'id'));
    seen.push(...ids);
    if (at(page, 'page', 'has_more') !== true) return { seen, stayed: [...stayed], pages };
    await remove(ids.findLast((id) => others.has(id)));
    await remove([...others].find((id) => !seen.includes(id)));
    // One order per page of three, so that the walk ends.
    others.add(await place());
    url = `${first}&after=${textAt(page, 'page', 'next_cursor')}`;
  }
}
