import type { Customer, CustomerRepository, Page, PageQuery } from '@orders/domain';
import { customerRepositoryContract } from '@orders/domain/testing';
import { describe } from 'vitest';
import { type Fault, itCatches, pageOf, positionOf } from './contract-faults.ts';

type CustomerPage = Page<Customer, string>;

/** A store whose list is asked something else than it was. */
const asking =
  (ask: (query: PageQuery) => PageQuery): Fault[1] =>
  ({ customers }) => ({ customers: { list: (owner, query) => customers.list(owner, ask(query)) } });

/** A store whose list answers something else than it should. */
const answering =
  (answer: (page: CustomerPage, query: PageQuery) => CustomerPage): Fault[1] =>
  ({ customers }) => {
    const list: CustomerRepository['list'] = (owner, query) =>
      customers.list(owner, query).map((page) => answer(page, query));
    return { customers: { list } };
  };

/** A store that takes everything, and makes pages of it in its own way. */
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
    'has a first page that is one too long',
    asking((query) => (query.offset === 0 ? { ...query, limit: query.limit + 1 } : query)),
    /in pages of every size/,
    /a page of 2 for limit 1/,
  ],
  ['shows nothing', answering(() => ({ data: [], next: null })), /in pages of every size/, /a page of 0 for limit 1/],
  [
    'leaves the last out',
    answering(({ data, next }) => ({ data: next || data.length < 2 ? data : data.slice(0, -1), next })),
    /in pages of every size/,
    /: limit \d/,
  ],
  [
    'ignores the direction',
    asking((query) => ({ ...query, sort: query.sort.endsWith('created_at') ? 'created_at' : 'updated_at' })),
    /sorts by -created_at/,
  ],
  [
    'sorts by creation instead of change',
    asking((query) => ({ ...query, sort: query.sort.startsWith('-') ? '-created_at' : 'created_at' })),
    /sorts by updated_at/,
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
    'goes on behind the time of a position, and leaves out who shares it',
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
    'begins a page with the last of the page before',
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
    asking((query) => ({ ...query, after: null })),
    /in pages of every size/,
    /a customer was returned twice/,
  ],
  ['ignores the offset', asking((query) => ({ ...query, offset: 0 })), /in pages of every size/],
  ['ignores the limit', asking((query) => ({ ...query, limit: 100 })), /in pages of every size/],
  ['ends a page one too late', asking((query) => ({ ...query, limit: query.limit + 1 })), /in pages of every size/],
  ['names no next page', answering(({ data }) => ({ data, next: null })), /in pages of every size/],
  [
    'names a next page behind the last',
    answering(({ data, next }, { sort }) => ({ data, next: next ?? positionOf(data.at(-1), sort) })),
    /in pages of every size/,
  ],
  [
    'names a next page behind nothing',
    answering(({ data, next }) => ({ data, next: data.length === 0 ? { value: '', id: '' } : next })),
    /returns an empty last page/,
  ],
];

describe('the contract of the customer port, on paging,', () => {
  itCatches(customerRepositoryContract, faults);
});
