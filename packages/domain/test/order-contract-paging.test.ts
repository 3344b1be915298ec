import { type Order, type OrderQuery, type OrderRepository, type Page, PAGE_ITEMS_MAX } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches, pageOf, positionOf } from './contract-faults.ts';

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

/** Injects a store that splits all matching orders into pages by `page`. */
const paging = (page: (all: readonly Order[], query: OrderQuery) => OrderPage): Fault[1] => {
  const everything = { offset: 0, after: null, limit: 100 };
  return ({ orders }) => ({
    orders: {
      list: (owner, query) => orders.list(owner, { ...query, ...everything }).map(({ data }) => page(data, query)),
    },
  });
};

const faults: readonly Fault[] = [
  [
    'returns one element too many on the first page',
    withQuery((query) => (query.offset === 0 ? { ...query, limit: query.limit + 1 } : query)),
    /sorts by created_at .* in pages of every size/,
    /a page was longer than its limit/,
  ],
  [
    'returns an empty page before the end',
    withPage(({ next }) => ({ data: [], next })),
    /sorts by created_at .* in pages of every size/,
    /a page was empty/,
  ],
  [
    'omits the last order',
    withPage(({ data, next }) => ({ data: next || data.length < 2 ? data : data.slice(0, -1), next })),
    /sorts by created_at .* in pages of every size/,
    /: limit \d/,
  ],
  [
    'returns a next position for an empty list',
    withPage(({ data, next }) => ({ data, next: data.length === 0 ? { value: '', id: '' } : next })),
    /returns an empty last page/,
  ],
  [
    'returns a next position after the last thousand items',
    withPage(({ data, next }, { sort }) => ({ data, next: next ?? positionOf(data.at(-1), sort) })),
    /before its items exceed 1,000/,
  ],
  [
    'lists orders with only their first item',
    withPage(({ data, next }) => ({
      data: data.map((order) => ({ ...order, items: order.items.slice(0, 1) })),
      next,
    })),
    /returns whole orders/,
  ],
  [
    'lists orders without their metadata',
    withPage(({ data, next }) => ({ data: data.map((order) => ({ ...order, metadata: {} })), next })),
    /returns whole orders/,
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
    'ignores the direction',
    withQuery((query) => ({ ...query, sort: query.sort.endsWith('created_at') ? 'created_at' : 'updated_at' })),
    /sorts by -created_at .* in pages of every size/,
  ],
  [
    'sorts by creation instead of change',
    withQuery((query) => ({ ...query, sort: query.sort.startsWith('-') ? '-created_at' : 'created_at' })),
    /sorts by updated_at .* in pages of every size/,
  ],
  [
    'sorts equal times by ascending id in every direction',
    paging((all, query) => pageOf(all, query, () => 1)),
    /sorts by -updated_at .* with equal timestamps/,
  ],
  [
    'sorts equal times in alternating directions',
    (correct) => {
      let way = 1;
      return paging((all, query) => pageOf(all, query, (direction) => direction * (way = -way)))(correct);
    },
    /with equal timestamps/,
  ],
  [
    'continues after the time of a position, and omits orders with the same time',
    paging((all, query) =>
      pageOf(
        all,
        query,
        (direction) => direction,
        (byTime) => byTime > 0,
      ),
    ),
    /with equal timestamps/,
  ],
  [
    'continues at the time of a position, and repeats orders with the same time',
    paging((all, query) =>
      pageOf(
        all,
        query,
        (direction) => direction,
        (byTime) => byTime >= 0,
      ),
    ),
    /with equal timestamps/,
  ],
  [
    'starts a page with the last element of the previous page',
    paging((all, query) =>
      pageOf(
        all,
        query,
        (direction) => direction,
        (byTime, byId) => (byTime || byId) >= 0,
      ),
    ),
    /returns each order once in pages of every size/,
  ],
  [
    'starts from the beginning if the order of a position was deleted',
    paging((all, query) => {
      const isThere = all.some(({ id }) => id === query.after?.id);
      return pageOf(all, { ...query, after: isThere ? query.after : null }, (direction) => direction);
    }),
    /continues after an order that was deleted in between/,
  ],
  [
    'continues by offset instead of position',
    ({ orders }) => {
      const shown = new Map<string, number>();
      const list: OrderRepository['list'] = (owner, query) => {
        const offset = query.after ? (shown.get(query.after.id) ?? 0) : query.offset;
        return orders.list(owner, { ...query, after: null, offset }).map((page) => {
          if (page.next) shown.set(page.next.id, offset + page.data.length);
          return page;
        });
      };
      return { orders: { list } };
    },
    /returns no order twice when others are added/,
  ],
  [
    'ignores the position',
    withQuery((query) => ({ ...query, after: null })),
    /returns each order once in pages of every size/,
    /an order was returned twice/,
  ],
  ['ignores the offset', withQuery((query) => ({ ...query, offset: 0 })), /skips the number of orders/],
  [
    'ends a page one element too late',
    withQuery((query) => ({ ...query, limit: query.limit + 1 })),
    /in pages of every size/,
  ],
  [
    'ends a page one element too early',
    withQuery((query) => ({ ...query, limit: Math.max(query.limit - 1, 1) })),
    /skips the number of orders/,
  ],
  ['returns no next position', withPage(({ data }) => ({ data, next: null })), /in pages of every size/],
  [
    'returns a next position after the last page',
    withPage(({ data, next }, { sort }) => ({ data, next: next ?? positionOf(data.at(-1), sort) })),
    /returns whole orders/,
  ],
  [
    'returns a next position after a full last page',
    withPage(({ data, next }, { sort, limit }) => ({
      data,
      next: next ?? (data.length === limit ? positionOf(data.at(-1), sort) : null),
    })),
    /in pages of every size/,
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
  [
    'lists orders without their items',
    withPage(({ data, next }) => ({ data: data.map((order) => ({ ...order, items: [] })), next })),
    /returns whole orders/,
  ],
];

describe('the contract of the order port, on paging,', () => {
  itCatches(orderRepositoryContract, faults);
});
