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

/** Returns all elements of a list from its start, or after a position. */
function all<T, Q extends PageQuery>(list: List<T, Q>, owner: Owner, query: Q): ResultAsync<readonly T[], Unavailable> {
  return list(owner, { ...query, limit: 100 }).andThen(({ data, next }) =>
    next ? all(list, owner, { ...query, offset: 0, after: next }).map((more) => [...data, ...more]) : okAsync(data),
  );
}

/** Returns a list whose pages end before the total weight of their elements exceeds `max`. */
function limitedBy<T extends Listed, Q extends PageQuery>(
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

/** Injects a store that replaces both lists. */
const withLists =
  (toList: <T extends Listed, Q extends PageQuery>(list: List<T, Q>) => List<T, Q>): Fault[1] =>
  ({ orders, customers }) => ({
    orders: { list: toList((owner, query: OrderQuery) => orders.list(owner, query)) },
    customers: { list: toList((owner, query: PageQuery) => customers.list(owner, query)) },
  });

const bytes = (element: Listed) => freeTextBytes('note' in element ? element : { metadata: element.metadata });

const faults: readonly Fault[] = [
  [
    'does not limit the bytes of a page',
    withLists((list) => limitedBy(list, () => 0)),
    /ends before it would exceed them/,
  ],
  [
    'counts free text in characters',
    withLists((list) => limitedBy(list, ({ metadata }) => JSON.stringify(metadata).length)),
    /ends before it would exceed them/,
  ],
  [
    'counts metadata values without their JSON',
    withLists((list) => limitedBy(list, ({ metadata }) => freeTextBytes({ metadata }) - 300)),
    /one byte more/,
  ],
  [
    'ends a page before it has 256 KiB',
    withLists((list) => limitedBy(list, bytes, { max: PAGE_BYTES_MAX - 1 })),
    /ends before it would exceed them/,
    /256 KiB fits/,
  ],
  [
    'accepts one byte more than 256 KiB',
    withLists((list) => limitedBy(list, bytes, { max: PAGE_BYTES_MAX + 1 })),
    /one byte more/,
  ],
  [
    'counts elements that an offset skips',
    withLists((list) => limitedBy(list, bytes, { counts: 'skipped' })),
    /does not count elements that an offset skips/,
  ],
  [
    'returns no next position for a page that ends early',
    withLists((list) => (owner, query) => list(owner, query).map(({ data }) => ({ data, next: null }))),
    /ends before it would exceed them/,
    /must not be the last/,
  ],
  [
    'continues after the elements that an early end omitted',
    withLists(
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
    withLists((list) => limitedBy(list, ({ metadata }) => freeTextBytes({ metadata }))),
    /one byte more/,
  ],
];

describe('the contract of the order port, on the bytes of a page,', () => {
  itCatches(orderRepositoryContract, [...faults, ...ofOrders]);
});

describe('the contract of the customer port, on the bytes of a page,', () => {
  itCatches(customerRepositoryContract, faults);
});

describe('free text', () => {
  it.each([
    [{ metadata: {} }, 2],
    [{ note: null, metadata: {} }, 2],
    [{ note: 'abc', metadata: {} }, 5],
    [{ note: '\n', metadata: {} }, 3],
    [{ metadata: { a: '\n' } }, 10],
    [{ note: '\u007F\u0080\u07FF\u0800\uFFFF😀', metadata: {} }, 1 + 2 + 2 + 3 + 3 + 4 + 2],
    [{ note: '\uD7FF\uE000\u{10000}\u{10FFFF}', metadata: {} }, 3 + 3 + 4 + 4 + 2],
  ] as const)('counts in bytes: %j has %i', (element: { note?: string | null; metadata: Metadata }, count) => {
    expect(freeTextBytes(element)).toBe(count);
    const encoded = (text: string) => new TextEncoder().encode(text).length;
    expect(encoded(element.note ?? '') + encoded(JSON.stringify(element.metadata))).toBe(count);
  });
});
