import type { Result } from 'neverthrow';
import { InvalidFields, readSet, type ValidationFailed } from '../shared/validation.ts';
import { PAGE_QUERY, type PageQuery, type PageQueryInput, readPageQuery } from '../shared/page-query.ts';
import type { OrderDefinition, StatusOf } from './definition/order-definition.ts';
import { ORDERS } from './order-lifecycle.ts';
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
  const invalid = new InvalidFields();
  const query = invalid.readObject(input, [...PAGE_QUERY, 'status', 'customer_id', 'reference']);
  const { status, customer_id, reference } = query;
  return invalid.toResult({
    ...readPageQuery(query, invalid),
    status: status === undefined ? null : (readSet(status, 'status', definition.statuses, 1, invalid) ?? null),
    customer_id: customer_id === undefined ? null : (invalid.readUuid(customer_id, 'customer_id') ?? null),
    reference:
      reference === undefined ? null : (invalid.readText(reference, 'reference', 1, REFERENCE_LENGTH_MAX) ?? null),
  });
}
