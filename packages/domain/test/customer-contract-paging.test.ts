import type { Customer, CustomerRepository, Page, PageQuery } from '@orders/domain';
import { customerRepositoryContract } from '@orders/domain/testing';
import { describe } from 'vitest';
import { type Fault, itCatches, pageOf, positionOf } from './contract-faults.ts';

type CustomerPage = Page<Customer, string>;

/** Injects a store that alters the query of its list. */
const withQuery =
  (toQuery: (query: PageQuery) => PageQuery): Fault[1] =>
  ({ customers }) => ({ customers: { list: (owner, query) => customers.list(owner, toQuery(query)) } });

/** Injects a store that alters the pages of its list. */
const withPage =
  (change: (page: CustomerPage, query: PageQuery) => CustomerPage): Fault[1] =>
  ({ customers }) => {
    const list: CustomerRepository['list'] = (owner, query) =>
      customers.list(owner, query).map((page) => change(page, query));
    return { customers: { list } };
  };

/** Injects a store that splits the whole list into pages by `page`. */
const paging = (page: (all: readonly Customer[], query: PageQuery) => CustomerPage): Fault[1] => {
  const everything = { offset: 0, after: null, limit: 100 };
  return ({ customers }) => ({
    customers: {
      list: (owner, query) => customers.list(owner, { ...query, ...everything }).map(({ data }) => page(data, query)),
    },
  });
};

const faults: readonly Fault[] = [
  [
    'returns one element too many on the first page',
    withQuery((query) => (query.offset === 0 ? { ...query, limit: query.limit + 1 } : query)),
    /in pages of every size/,
    /a page of 2 for limit 1/,
  ],
  ['returns nothing', withPage(() => ({ data: [], next: null })), /in pages of every size/, /a page of 0 for limit 1/],
  [
    'omits the last element',
    withPage(({ data, next }) => ({ data: next || data.length < 2 ? data : data.slice(0, -1), next })),
    /in pages of every size/,
    /: limit \d/,
  ],
  [
    'ignores the direction',
    withQuery((query) => ({ ...query, sort: query.sort.endsWith('created_at') ? 'created_at' : 'updated_at' })),
    /sorts by -created_at/,
  ],
  [
    'sorts by creation instead of change',
    withQuery((query) => ({ ...query, sort: query.sort.startsWith('-') ? '-created_at' : 'created_at' })),
    /sorts by updated_at/,
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
    'continues after the time of a position, and omits customers with the same time',
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
    'starts a page with the last element of the previous page',
    paging((all, query) =>
      pageOf(
        all,
        query,
        (direction) => direction,
        (byTime, byId) => (byTime || byId) >= 0,
      ),
    ),
    /returns each customer once/,
  ],
  [
    'ignores the position',
    withQuery((query) => ({ ...query, after: null })),
    /in pages of every size/,
    /a customer was returned twice/,
  ],
  ['ignores the offset', withQuery((query) => ({ ...query, offset: 0 })), /in pages of every size/],
  ['ignores the limit', withQuery((query) => ({ ...query, limit: 100 })), /in pages of every size/],
  [
    'ends a page one element too late',
    withQuery((query) => ({ ...query, limit: query.limit + 1 })),
    /in pages of every size/,
  ],
  ['returns no next position', withPage(({ data }) => ({ data, next: null })), /in pages of every size/],
  [
    'returns a next position after the last page',
    withPage(({ data, next }, { sort }) => ({ data, next: next ?? positionOf(data.at(-1), sort) })),
    /in pages of every size/,
  ],
  [
    'returns a next position for an empty list',
    withPage(({ data, next }) => ({ data, next: data.length === 0 ? { value: '', id: '' } : next })),
    /returns an empty last page/,
  ],
];

describe('the contract of the customer port, on paging,', () => {
  itCatches(customerRepositoryContract, faults);
});
