import {
  type Customer,
  freeTextBytes,
  type Metadata,
  type Order,
  type OrderQuery,
  type Owner,
  type Page,
  PAGE_BYTES_MAX,
  type PageQuery,
  type Unavailable,
} from '@orders/domain';
import { customerRepositoryContract, orderRepositoryContract } from '@orders/domain/testing';
import { okAsync, type ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { type Fault, itCatches, positionOf } from './contract-faults.ts';

type Listed = Order | Customer;
type List<T, Q> = (owner: Owner, query: Q) => ResultAsync<Page<T, string>, Unavailable>;

/** Every element of a list from its beginning, or behind a position. */
function all<T, Q extends PageQuery>(list: List<T, Q>, owner: Owner, query: Q): ResultAsync<readonly T[], Unavailable> {
  return list(owner, { ...query, limit: 100 }).andThen(({ data, next }) =>
    next ? all(list, owner, { ...query, offset: 0, after: next }).map((more) => [...data, ...more]) : okAsync(data),
  );
}

/** A list whose pages end where the elements together weigh more than a page may have. */
function weighing<T extends Listed, Q extends PageQuery>(
  list: List<T, Q>,
  weigh: (element: T) => number,
  { counts = 'shown', max = PAGE_BYTES_MAX }: { readonly counts?: 'shown' | 'skipped'; readonly max?: number } = {},
): List<T, Q> {
  return (owner, query) =>
    all(list, owner, counts === 'skipped' ? { ...query, offset: 0 } : query).map((elements) => {
      let weight = 0;
      const first = counts === 'skipped' ? query.offset : 0;
      const end = elements.findIndex((element, index) => {
        weight += weigh(element);
        return index > first && (weight > max || index - first >= query.limit);
      });
      const data = elements.slice(first, end < 0 ? undefined : end);
      return { data, next: end < 0 ? null : positionOf(data.at(-1), query.sort) };
    });
}

/** A store whose lists of both kinds are made anew from those of the correct one. */
const listing =
  (anew: <T extends Listed, Q extends PageQuery>(list: List<T, Q>) => List<T, Q>): Fault[1] =>
  ({ orders, customers }) => ({
    orders: { list: anew((owner, query: OrderQuery) => orders.list(owner, query)) },
    customers: { list: anew((owner, query: PageQuery) => customers.list(owner, query)) },
  });

const bytes = (element: Listed) => freeTextBytes('note' in element ? element : { metadata: element.metadata });

const faults: readonly Fault[] = [
  ['has pages of any size', listing((list) => weighing(list, () => 0)), /ends before it would exceed them/],
  [
    'counts free text in characters',
    listing((list) => weighing(list, ({ metadata }) => JSON.stringify(metadata).length)),
    /ends before it would exceed them/,
  ],
  [
    'counts the values of metadata without their JSON',
    listing((list) => weighing(list, ({ metadata }) => freeTextBytes({ metadata }) - 300)),
    /one byte more/,
  ],
  [
    'ends a page with which 256 KiB is reached',
    listing((list) => weighing(list, bytes, { max: PAGE_BYTES_MAX - 1 })),
    /ends before it would exceed them/,
    /256 KiB fits/,
  ],
  [
    'accepts one byte more than 256 KiB',
    listing((list) => weighing(list, bytes, { max: PAGE_BYTES_MAX + 1 })),
    /one byte more/,
  ],
  [
    'counts what an offset skips',
    listing((list) => weighing(list, bytes, { counts: 'skipped' })),
    /does not count elements that an offset skips/,
  ],
  [
    'names no next page where a page ends early',
    listing((list) => (owner, query) => list(owner, query).map(({ data }) => ({ data, next: null }))),
    /ends before it would exceed them/,
    /must not be the last/,
  ],
  [
    'goes on behind what an early end cut off',
    listing(
      (list) => (owner, query) =>
        all(list, owner, query).andThen((elements) =>
          list(owner, query).map(({ data, next }) => ({
            data,
            next: next && positionOf(elements[data.length], query.sort),
          })),
        ),
    ),
    /the following pages return each element once/,
  ],
];

const ofOrders: readonly Fault[] = [
  [
    'counts no notes',
    listing((list) => weighing(list, ({ metadata }) => freeTextBytes({ metadata }))),
    /one byte more/,
  ],
];

describe('the contract of the order port, on the bytes of a page,', () => {
  itCatches(orderRepositoryContract, [...faults, ...ofOrders]);
});

describe('the contract of the customer port, on the bytes of a page,', () => {
  itCatches(customerRepositoryContract, faults);
});

describe('the bytes of free text', () => {
  it.each([
    [{ metadata: {} }, 2],
    [{ note: null, metadata: {} }, 2],
    [{ note: 'abc', metadata: {} }, 5],
    [{ note: '\n', metadata: {} }, 3],
    [{ metadata: { a: '\n' } }, 10],
    [{ note: '\u007F\u0080\u07FF\u0800\uFFFF😀', metadata: {} }, 1 + 2 + 2 + 3 + 3 + 4 + 2],
  ] as const)('of %j are %i', (element: { note?: string | null; metadata: Metadata }, count) => {
    expect(freeTextBytes(element)).toBe(count);
    const encoded = (text: string) => new TextEncoder().encode(text).length;
    expect(encoded(element.note ?? '') + encoded(JSON.stringify(element.metadata))).toBe(count);
  });
});
