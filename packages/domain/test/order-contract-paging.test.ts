import { type Order, type OrderQuery, type OrderRepository, type Page, PAGE_ITEMS_MAX } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, itCatches, pageOf, positionOf } from './contract-faults.ts';

type OrderPage = Page<Order, string>;

/** A store whose list is asked something else than it was. */
const asking =
  (ask: (query: OrderQuery) => OrderQuery): Fault[1] =>
  ({ orders }) => ({ orders: { list: (owner, query) => orders.list(owner, ask(query)) } });

/** A store whose list answers something else than it should. */
const answering =
  (answer: (page: OrderPage, query: OrderQuery) => OrderPage): Fault[1] =>
  ({ orders }) => ({
    orders: { list: (owner, query) => orders.list(owner, query).map((page) => answer(page, query)) },
  });

/** A store that takes all that matches, and makes pages of it in its own way. */
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
    'has a first page that is one too long',
    asking((query) => (query.offset === 0 ? { ...query, limit: query.limit + 1 } : query)),
    /sorts by created_at .* in pages of every size/,
    /a page was longer than its limit/,
  ],
  [
    'has an empty page in the middle',
    answering(({ next }) => ({ data: [], next })),
    /sorts by created_at .* in pages of every size/,
    /a page was empty/,
  ],
  [
    'leaves the last order out',
    answering(({ data, next }) => ({ data: next || data.length < 2 ? data : data.slice(0, -1), next })),
    /sorts by created_at .* in pages of every size/,
    /: limit \d/,
  ],
  [
    'names a next page behind nothing',
    answering(({ data, next }) => ({ data, next: data.length === 0 ? { value: '', id: '' } : next })),
    /returns an empty last page/,
  ],
  [
    'names a next page behind the last thousand items',
    answering(({ data, next }, { sort }) => ({ data, next: next ?? positionOf(data.at(-1), sort) })),
    /before its items exceed 1,000/,
  ],
  [
    'lists orders with their first item',
    answering(({ data, next }) => ({
      data: data.map((order) => ({ ...order, items: order.items.slice(0, 1) })),
      next,
    })),
    /returns whole orders/,
  ],
  [
    'lists orders without their metadata',
    answering(({ data, next }) => ({ data: data.map((order) => ({ ...order, metadata: {} })), next })),
    /returns whole orders/,
  ],
  ['ignores the status', asking((query) => ({ ...query, status: null })), /filters by status/],
  [
    'takes the first status only',
    asking((query) => ({ ...query, status: query.status?.slice(0, 1) ?? null })),
    /several statuses/,
  ],
  ['ignores the customer', asking((query) => ({ ...query, customer_id: null })), /filters by .* customer/],
  ['ignores the reference', asking((query) => ({ ...query, reference: null })), /filters by .* reference/],
  [
    'ignores the status beside a customer',
    asking((query) => (query.customer_id === null ? query : { ...query, status: null })),
    /filters by .* status and customer/,
  ],
  [
    'filters what it cut into pages before',
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
    asking((query) => ({ ...query, sort: query.sort.endsWith('created_at') ? 'created_at' : 'updated_at' })),
    /sorts by -created_at .* in pages of every size/,
  ],
  [
    'sorts by creation instead of change',
    asking((query) => ({ ...query, sort: query.sort.startsWith('-') ? '-created_at' : 'created_at' })),
    /sorts by updated_at .* in pages of every size/,
  ],
  [
    'sorts equal times by id upwards whatever the direction',
    paging((all, query) => pageOf(all, query, () => 1)),
    /sorts by -updated_at .* with equal timestamps/,
  ],
  [
    'sorts equal times one way and then the other',
    (correct) => {
      let way = 1;
      return paging((all, query) => pageOf(all, query, (direction) => direction * (way = -way)))(correct);
    },
    /with equal timestamps/,
  ],
  [
    'goes on behind the time of a position, and leaves out what shares it',
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
    'goes on at the time of a position, and repeats what shares it',
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
    'begins a page with the last of the page before',
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
    'goes on behind an order, and begins anew when that was deleted',
    paging((all, query) => {
      const isThere = all.some(({ id }) => id === query.after?.id);
      return pageOf(all, { ...query, after: isThere ? query.after : null }, (direction) => direction);
    }),
    /continues after an order that was deleted in between/,
  ],
  [
    'counts its way to the next page',
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
    asking((query) => ({ ...query, after: null })),
    /returns each order once in pages of every size/,
    /an order was returned twice/,
  ],
  ['ignores the offset', asking((query) => ({ ...query, offset: 0 })), /skips the number of orders/],
  ['ends a page one too late', asking((query) => ({ ...query, limit: query.limit + 1 })), /in pages of every size/],
  [
    'ends a page one too early',
    asking((query) => ({ ...query, limit: Math.max(query.limit - 1, 1) })),
    /skips the number of orders/,
  ],
  ['names no next page', answering(({ data }) => ({ data, next: null })), /in pages of every size/],
  [
    'names a next page behind the last',
    answering(({ data, next }, { sort }) => ({ data, next: next ?? positionOf(data.at(-1), sort) })),
    /returns whole orders/,
  ],
  [
    'names a next page behind a last one that is full',
    answering(({ data, next }, { sort, limit }) => ({
      data,
      next: next ?? (data.length === limit ? positionOf(data.at(-1), sort) : null),
    })),
    /in pages of every size/,
  ],
  [
    'has pages of more than a thousand items',
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
    'ends a page before a thousand items are reached',
    answering(({ data, next }, { sort }) => {
      const isFull = data.reduce((sum, { items }) => sum + items.length, 0) >= PAGE_ITEMS_MAX;
      return isFull ? { data: data.slice(0, -1), next: positionOf(data.at(-2), sort) } : { data, next };
    }),
    /before its items exceed 1,000/,
  ],
  [
    'lists orders without their items',
    answering(({ data, next }) => ({ data: data.map((order) => ({ ...order, items: [] })), next })),
    /returns whole orders/,
  ],
];

describe('the contract of the order port, on paging,', () => {
  itCatches(orderRepositoryContract, faults);
});
