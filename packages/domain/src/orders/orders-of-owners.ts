import type { Result, ResultAsync } from 'neverthrow';
import type { Timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { FilterInput, FilterValues, ListFilters } from '../shared/list-filters.ts';
import type { Money } from '../shared/money.ts';
import { type PageQuery, type PageQueryInput, parseFilteredQuery } from '../shared/page-query.ts';
import type { Page, Position } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import type { OrderDefinition } from './order-lifecycle.ts';
import { orderFilters, parseOrderSearch } from './order-query.ts';
import type { Order } from './order.ts';

/**
 * Returns the filters of a list of the orders of several owners: what a person knows of an order, such as when it was and about
 * how much. Amounts are in minor units.
 */
export function filtersOfOwners<D extends OrderDefinition>(definition: D) {
  const { ids, reference, lookup, status, created_at_from, created_at_before } = orderFilters(definition);
  const total = { value: 'integer', of: 'total_amount', needs: ['currency'], isScanning: true } as const;
  return {
    ids,
    reference,
    lookup,
    status,
    created_at_from,
    created_at_before,
    currency: {
      value: 'text',
      operator: '=',
      of: 'currency',
      max: 3,
      isScanning: true,
      description: 'Orders in this currency, such as EUR',
    },
    total_from: {
      ...total,
      operator: '>=',
      description: 'Orders with this total in minor units of `currency`, or more',
    },
    total_to: { ...total, operator: '<=', from: 'total_from', description: 'Orders with this total, or less' },
  } as const satisfies ListFilters<keyof Order | 'lookups' | 'currency' | 'total_amount'>;
}

type FiltersOfOwners = ReturnType<typeof filtersOfOwners>;

/** A validated query for orders of several owners. Its `after` is `null`. */
export type OwnersOrderQuery = PageQuery & FilterValues<FiltersOfOwners>;

/** An unvalidated query for orders of several owners. Every member is optional. */
export type OwnersOrderQueryInput = FilterInput<FiltersOfOwners> & Pick<PageQueryInput, 'limit'>;

/** Parses a query for orders of several owners and reports every invalid member. Only the store can validate a position. */
export function parseOwnersOrderQuery(
  input: OwnersOrderQueryInput,
  definition: OrderDefinition,
): Result<OwnersOrderQuery, ValidationFailed> {
  return parseFilteredQuery({ ...input, after: undefined }, filtersOfOwners(definition));
}

/** Parses a search by the email of the buyer, `{ buyer_email, limit? }`, and returns the query for its orders. */
export function parseOwnersOrderSearch(
  input: unknown,
  definition: OrderDefinition,
): Result<OwnersOrderQuery, ValidationFailed> {
  return parseOrderSearch(input, definition).andThen(({ limit, lookup }) =>
    parseOwnersOrderQuery({ limit }, definition).map((query) => ({ ...query, lookup })),
  );
}

/** What a list of several owners has of an order: nothing personal. */
export interface ListedOrder {
  readonly owner: Owner;
  readonly id: string;
  /** Also one that the definition lacks. */
  readonly status: string;
  readonly reference: string | null;
  readonly customer_id: string | null;
  readonly total: Money;
  readonly version: number;
  readonly created_at: Timestamp;
  readonly updated_at: Timestamp;
}

/** A page of the orders of several owners, newest first within the owners that one page looks at. */
export interface OrdersOfOwners extends Page<ListedOrder, string> {
  /** The number of owners up to the last one that was looked at. */
  readonly lookedAt: number;
  /** The number of all owners; `null` while it cannot be known, because a node of a cluster does not respond. */
  readonly owners: number | null;
  /** Owners that were passed over, because their node does not respond or another transaction holds them. */
  readonly passedOver: readonly Owner[];
}

/** Error: the position is of no owner that the store has. */
export interface UnknownOwnersPosition {
  readonly type: 'unknown_position';
}

/** Port: the orders of one owner, or of all. */
export interface OrderFinder {
  /**
   * Returns the orders of an owner, or of the next of all owners for `null`. Its effort is bounded: a page may have no
   * order although others follow, and then ends at the owners that it has looked at.
   */
  find(
    owner: Owner | null,
    query: OwnersOrderQuery,
    after: Position<string> | null,
  ): ResultAsync<OrdersOfOwners, UnknownOwnersPosition | Unavailable>;
}
