import type { Result } from 'neverthrow';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { type PageQuery, type PageQueryInput, readPageQuery } from '../shared/page-query.ts';
import { isOrderStatus, ORDER_STATUSES, type OrderStatus } from './order-lifecycle.ts';
import { REFERENCE_LENGTH_MAX } from './order-details.ts';

/** Filter of a list of orders. An order must match all members. */
export interface OrderFilter {
  /** The accepted statuses, without duplicates, in the order of the lifecycle; `null` accepts every status. */
  readonly status: readonly OrderStatus[] | null;
  readonly customer_id: string | null;
  readonly reference: string | null;
}

/** A validated query for a page of orders. */
export interface OrderQuery extends PageQuery, OrderFilter {}

/** An unvalidated query for a page of orders. Every member is optional. */
export interface OrderQueryInput extends PageQueryInput {
  readonly status?: readonly string[] | undefined;
  readonly customer_id?: string | undefined;
  readonly reference?: string | undefined;
}

/** Parses a query for a page of orders and reports every invalid member. */
export function parseOrderQuery(input: OrderQueryInput): Result<OrderQuery, ValidationFailed> {
  const { customer_id, reference } = input;
  const invalid = new InvalidFields();
  return invalid.settle({
    ...readPageQuery(input, invalid),
    status: readStatuses(input.status, invalid),
    customer_id: customer_id === undefined ? null : (invalid.readUuid(customer_id, 'customer_id') ?? null),
    reference:
      reference === undefined ? null : (invalid.readText(reference, 'reference', 1, REFERENCE_LENGTH_MAX) ?? null),
  });
}

function readStatuses(input: readonly string[] | undefined, invalid: InvalidFields): readonly OrderStatus[] | null {
  if (input === undefined) return null;
  if (
    !Array.isArray(input) ||
    input.length === 0 ||
    input.length > ORDER_STATUSES.length ||
    !input.every(isOrderStatus)
  ) {
    invalid.add('status', 'invalid_value', `must be one to ${ORDER_STATUSES.length} of ${ORDER_STATUSES.join(', ')}`);
    return null;
  }
  return ORDER_STATUSES.filter((status) => input.includes(status));
}
