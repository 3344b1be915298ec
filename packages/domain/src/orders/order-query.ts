import { err, ok, type Result } from 'neverthrow';
import { isTimestamp, type Timestamp } from '../shared/clock.ts';
import { InvalidFields, isUuid, type ValidationFailed } from '../shared/invalid.ts';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, PAGE_OFFSET_MAX, type Position } from '../shared/page.ts';
import { isOrderStatus, ORDER_STATUSES, type OrderStatus } from './order-lifecycle.ts';
import { REFERENCE_LENGTH_MAX } from './order.ts';

/** The orders of a list: by creation or last change, `-` for the newest first. */
export const ORDER_SORTS = ['created_at', '-created_at', 'updated_at', '-updated_at'] as const;
export type OrderSort = (typeof ORDER_SORTS)[number];
export const ORDER_SORT_DEFAULT: OrderSort = '-created_at';

/** What a position in a list of orders is measured by. */
export type OrderSortValue = Timestamp;

/** How many items the orders of one page have together at most, unless its first order alone has more. */
export const PAGE_ITEMS_MAX = 1000;

/** A judged query for a page of orders. */
export interface OrderQuery {
  readonly sort: OrderSort;
  /** 1 to {@link PAGE_LIMIT_MAX}. */
  readonly limit: number;
  /** 0 to {@link PAGE_OFFSET_MAX}. */
  readonly offset: number;
  /** Begin behind this position. */
  readonly after: Position<OrderSortValue> | null;
  /** Any of these; `null` for all. Without repetition, in the order of the lifecycle. */
  readonly status: readonly OrderStatus[] | null;
  readonly customer_id: string | null;
  readonly reference: string | null;
}

/** A query as a caller asks it: everything optional, nothing judged yet. `offset` and `after` exclude each other. */
export interface OrderQueryInput {
  readonly sort?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly after?: Position<OrderSortValue> | undefined;
  readonly status?: readonly string[] | undefined;
  readonly customer_id?: string | undefined;
  readonly reference?: string | undefined;
}

/** Judges a query, naming every bad part of it. */
export function parseOrderQuery(input: OrderQueryInput): Result<OrderQuery, ValidationFailed> {
  const invalid = new InvalidFields();
  const { limit = PAGE_LIMIT_DEFAULT, offset = 0, after = null } = input;
  const query = {
    sort: readSort(input.sort, invalid),
    limit: invalid.integer(limit, 'limit', 1, PAGE_LIMIT_MAX) ?? limit,
    offset: invalid.integer(offset, 'offset', 0, PAGE_OFFSET_MAX) ?? offset,
    after,
    status: readStatuses(input.status, invalid),
    customer_id: input.customer_id === undefined ? null : (invalid.uuid(input.customer_id, 'customer_id') ?? null),
    reference:
      input.reference === undefined
        ? null
        : (invalid.text(input.reference, 'reference', 1, REFERENCE_LENGTH_MAX) ?? null),
  };
  if (after !== null && !(isTimestamp(after.value) && isUuid(after.id))) {
    invalid.add('after', 'invalid_value', 'must be a position that a page ended at');
  }
  if (after !== null && input.offset !== undefined) {
    invalid.add('offset', 'invalid_value', 'cannot be combined with after');
  }
  return invalid.failure ? err(invalid.failure) : ok(query);
}

function readSort(input: string | undefined, invalid: InvalidFields): OrderSort {
  const sort = input === undefined ? ORDER_SORT_DEFAULT : ORDER_SORTS.find((known) => known === input);
  if (sort !== undefined) return sort;
  invalid.add('sort', 'invalid_value', `must be one of ${ORDER_SORTS.join(', ')}`);
  return ORDER_SORT_DEFAULT;
}

function readStatuses(input: readonly string[] | undefined, invalid: InvalidFields): readonly OrderStatus[] | null {
  if (input === undefined) return null;
  if (input.length === 0 || !input.every(isOrderStatus)) {
    invalid.add('status', 'invalid_value', `must be one or several of ${ORDER_STATUSES.join(', ')}`);
    return null;
  }
  return ORDER_STATUSES.filter((status) => input.includes(status));
}
