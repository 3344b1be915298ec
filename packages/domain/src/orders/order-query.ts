import type { Result } from 'neverthrow';
import { type InvalidFields, parse, type ValidationFailed } from '../shared/validation.ts';
import { type PageQuery, type PageQueryInput, readPageQuery } from '../shared/page-query.ts';
import { isOrderStatus, ORDER_STATUSES, type OrderStatus } from './order-lifecycle.ts';
import { REFERENCE_LENGTH_MAX } from './order-details.ts';

/** What narrows a list of orders down; all of it at once. */
export interface OrderFilter {
  /** Any of these; `null` for all. Without repetition, in the order of the lifecycle. */
  readonly status: readonly OrderStatus[] | null;
  readonly customer_id: string | null;
  readonly reference: string | null;
}

/** A valid query for a page of orders. */
export interface OrderQuery extends PageQuery, OrderFilter {}

/** A query for a page of orders as a caller asks it, nothing validated yet. */
export interface OrderQueryInput extends PageQueryInput {
  readonly status?: readonly string[] | undefined;
  readonly customer_id?: string | undefined;
  readonly reference?: string | undefined;
}

/** Parses a query, reporting every invalid part of it. */
export function parseOrderQuery(input: OrderQueryInput): Result<OrderQuery, ValidationFailed> {
  const { customer_id, reference } = input;
  return parse((invalid) => ({
    ...readPageQuery(input, invalid),
    status: readStatuses(input.status, invalid),
    customer_id: customer_id === undefined ? null : (invalid.readUuid(customer_id, 'customer_id') ?? null),
    reference:
      reference === undefined ? null : (invalid.readText(reference, 'reference', 1, REFERENCE_LENGTH_MAX) ?? null),
  }));
}

function readStatuses(input: readonly string[] | undefined, invalid: InvalidFields): readonly OrderStatus[] | null {
  if (input === undefined) return null;
  if (input.length === 0 || input.length > ORDER_STATUSES.length || !input.every(isOrderStatus)) {
    invalid.add('status', 'invalid_value', `must be one to ${ORDER_STATUSES.length} of ${ORDER_STATUSES.join(', ')}`);
    return null;
  }
  return ORDER_STATUSES.filter((status) => input.includes(status));
}
