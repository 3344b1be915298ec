import type { Result } from 'neverthrow';
import { type FilterInput, type FilterValues, type ListFilters, readFilters } from '../shared/list-filters.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { PAGE_QUERY, type PageQuery, type PageQueryInput, readPageQuery } from '../shared/page-query.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import { ORDERS } from './order-lifecycle.ts';
import { REFERENCE_LENGTH_MAX } from './order-details.ts';
import type { Order } from './order.ts';

/** Returns the filters of a list of orders. */
export function orderFilters<D extends OrderDefinition>({ statuses }: D) {
  return {
    status: {
      value: 'names',
      operator: 'in',
      of: 'status',
      names: statuses,
      description: 'Orders with one of these statuses. An order can leave the list between two pages',
    },
    customer_id: { value: 'uuid', operator: '=', of: 'customer_id', description: 'Orders of this customer' },
    reference: {
      value: 'text',
      operator: '=',
      of: 'reference',
      max: REFERENCE_LENGTH_MAX,
      description: 'Order with this reference',
    },
  } as const satisfies ListFilters<keyof Order>;
}

type OrderFilters<D extends OrderDefinition> = ReturnType<typeof orderFilters<D>>;

/** Filter of a list of orders: the values of {@link orderFilters}. An order must match all members. */
export type OrderFilter<D extends OrderDefinition = typeof ORDERS> = FilterValues<OrderFilters<D>>;

/** A validated query for a page of orders. */
export type OrderQuery<D extends OrderDefinition = typeof ORDERS> = PageQuery & OrderFilter<D>;

/** An unvalidated query for a page of orders. Every member is optional. */
export type OrderQueryInput = PageQueryInput & FilterInput<OrderFilters<OrderDefinition>>;

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
  const filters = orderFilters(definition);
  const invalid = new InvalidFields();
  const query = invalid.readObject(input, [...PAGE_QUERY, ...Object.keys(filters)]);
  return invalid.toResult({ ...readPageQuery(query, invalid), ...readFilters(filters, query, invalid) });
}
