import { type Order, type OrderQuery, type Page, PAGE_ITEMS_MAX } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches, positionOf } from './contract-faults.ts';

type OrderPage = Page<Order, string>;

/** Injects a store that alters the query of its list. */
const withQuery =
  (toQuery: (query: OrderQuery) => OrderQuery): Fault[1] =>
  ({ orders }) => ({ orders: { list: (owner, query) => orders.list(owner, toQuery(query)) } });

/** Injects a store that alters the pages of its list. */
const withPage =
  (change: (page: OrderPage, query: OrderQuery) => OrderPage): Fault[1] =>
  ({ orders }) => ({
    orders: { list: (owner, query) => orders.list(owner, query).map((page) => change(page, query)) },
  });

const faults: readonly Fault[] = [
  [
    'returns a next position after the last thousand items',
    withPage(({ data, next }, { sort }) => ({ data, next: next ?? positionOf(data.at(-1), sort) })),
    /before its items exceed 1,000/,
  ],
  ['ignores the status', withQuery((query) => ({ ...query, status: null })), /filters by status/],
  [
    'filters by the first status only',
    withQuery((query) => ({ ...query, status: query.status?.slice(0, 1) ?? null })),
    /several statuses/,
  ],
  ['ignores the customer', withQuery((query) => ({ ...query, customer_id: null })), /filters by .* customer/],
  ['ignores the reference', withQuery((query) => ({ ...query, reference: null })), /filters by .* reference/],
  [
    'ignores the status if a customer is given',
    withQuery((query) => (query.customer_id === null ? query : { ...query, status: null })),
    /filters by .* status and customer/,
  ],
  [
    'filters after it splits the list into pages',
    ({ orders }) => ({
      orders: {
        list: (owner, query) =>
          orders.list(owner, { ...query, status: null }).map(({ data, next }) => ({
            data: data.filter(({ status }) => query.status?.includes(status) ?? true),
            next,
          })),
      },
    }),
    /filters by status/,
  ],
  [
    'returns pages of more than a thousand items',
    ({ orders }) => ({
      orders: {
        list: (owner, query) =>
          orders.list(owner, query).andThen((page) => {
            const limit = query.limit - page.data.length;
            if (page.next === null || limit < 1) return okAsync(page);
            const rest = orders.list(owner, { ...query, offset: 0, limit, after: page.next });
            return rest.map(({ data, next }) => ({ data: [...page.data, ...data], next }));
          }),
      },
    }),
    /before its items exceed 1,000/,
  ],
  [
    'ends a page before it has a thousand items',
    withPage(({ data, next }, { sort }) => {
      const isFull = data.reduce((sum, { items }) => sum + items.length, 0) >= PAGE_ITEMS_MAX;
      return isFull ? { data: data.slice(0, -1), next: positionOf(data.at(-2), sort) } : { data, next };
    }),
    /before its items exceed 1,000/,
  ],
];

describe('the contract of the order port, on paging,', () => {
  itCatches(orderRepositoryContract, faults);
});
