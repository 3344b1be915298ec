import type { Result } from 'neverthrow';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { type PageQuery, type PageQueryInput, readPageQuery } from '../shared/page-query.ts';
import type { OrderDefinition, StatusOf } from './definition/order-definition.ts';
import { isOrderStatus, ORDERS } from './order-lifecycle.ts';
import { REFERENCE_LENGTH_MAX } from './order-details.ts';

/** Filter of a list of orders. An order must match all members. */
export interface OrderFilter<D extends OrderDefinition = typeof ORDERS> {
  /** The accepted statuses, without duplicates, in the order of the lifecycle; `null` accepts every status. */
  readonly status: readonly StatusOf<D>[] | null;
  readonly customer_id: string | null;
  readonly reference: string | null;
}

/** A validated query for a page of orders. */
export interface OrderQuery<D extends OrderDefinition = typeof ORDERS> extends PageQuery, OrderFilter<D> {}

/** An unvalidated query for a page of orders. Every member is optional. */
export interface OrderQueryInput extends PageQueryInput {
  readonly status?: readonly string[] | undefined;
  readonly customer_id?: string | undefined;
  readonly reference?: string | undefined;
}

/** Parses a query for a page of orders and reports every invalid member. The default definition is {@link ORDERS}. */
export function parseOrderQuery<D extends OrderDefinition>(
  input: OrderQueryInput,
  definition: D,
): Result<OrderQuery<D>, ValidationFailed>;
export function parseOrderQuery(input: OrderQueryInput): Result<OrderQuery, ValidationFailed>;
export function parseOrderQuery(
  input: OrderQueryInput,
  definition: OrderDefinition = ORDERS,
): Result<unknown, ValidationFailed> {
  const { customer_id, reference } = input;
  const invalid = new InvalidFields();
  return invalid.settle({
    ...readPageQuery(input, invalid),
    status: readStatuses(input.status, definition, invalid),
    customer_id: customer_id === undefined ? null : (invalid.readUuid(customer_id, 'customer_id') ?? null),
    reference:
      reference === undefined ? null : (invalid.readText(reference, 'reference', 1, REFERENCE_LENGTH_MAX) ?? null),
  });
}

function readStatuses(
  input: readonly string[] | undefined,
  definition: OrderDefinition,
  invalid: InvalidFields,
): readonly string[] | null {
  if (input === undefined) return null;
  const { statuses } = definition;
  if (
    !Array.isArray(input) ||
    input.length === 0 ||
    input.length > statuses.length ||
    !input.every((status: string) => isOrderStatus(status, definition))
  ) {
    invalid.add('status', 'invalid_value', `must be one to ${statuses.length} of ${statuses.join(', ')}`);
    return null;
  }
  return statuses.filter((status) => input.includes(status));
}
