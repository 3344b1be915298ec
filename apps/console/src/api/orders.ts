import { type Call, call } from './call.ts';
import { keepOwners } from './known-owners.ts';
import type { ListedOrders } from './types.ts';

/** The most pages that are read for one: each looks at some owners, and may have no order although others follow. */
const PAGES_MAX = 25;

/**
 * Returns a page of orders of one or all owners. Goes on while pages have no order, or with `all` to the end, so that what one
 * owner has is found behind owners that have nothing.
 */
export async function listOrders({ query = {}, ...request }: Call, { all = false } = {}): Promise<ListedOrders> {
  const read = async (after: string | undefined) =>
    (await call<ListedOrders>('/admin/v1/orders', { ...request, query: { ...query, after } })).body;
  return await readOn(read, typeof query['after'] === 'string' ? query['after'] : undefined, all);
}

/** Returns the orders of all owners whose buyer has an email, which stands in no URL. */
export async function searchOrders(email: string, limit: number, signal: AbortSignal): Promise<ListedOrders> {
  const read = async (after: string | undefined) => {
    const body = { buyer_email: email, limit, after };
    return (await call<ListedOrders>('/admin/v1/order_searches', { method: 'POST', body, signal })).body;
  };
  return await readOn(read, undefined, true);
}

async function readOn(
  read: (after: string | undefined) => Promise<ListedOrders>,
  from: string | undefined,
  all: boolean,
): Promise<ListedOrders> {
  let found = await read(from);
  for (let pages = 1; pages < PAGES_MAX; pages += 1) {
    const next = found.page.next_cursor;
    if (next === null || (found.data.length > 0 && !all)) break;
    const more = await read(next);
    found = { ...more, data: [...found.data, ...more.data] };
  }
  keepOwners(found.data);
  return found;
}
