import { queryOptions } from '@tanstack/react-query';
import { listOrders } from '../../api/orders.ts';
import { type Filter, requestOf } from './filter.ts';

/** The orders of a page. */
export const PAGE = 50;

/** A page of the orders of a filter. */
export function ordersOf(filter: Filter) {
  return queryOptions({
    queryKey: ['orders', filter],
    // Rows never move under the cursor: new ones are announced, and shown on request.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => await listOrders(await requestOf(filter, PAGE, signal)),
  });
}
