import type { Result } from 'neverthrow';
import { commonFilters, type FilterInput, type FilterValues, type ListFilters } from '../shared/list-filters.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import { type PageQuery, type PageQueryInput, parseFilteredQuery } from '../shared/page-query.ts';
import { type DefaultDefinition, type OrderDefinition, ORDERS } from './order-lifecycle.ts';
import { REFERENCE_LENGTH_MAX } from './order-fields.ts';
import type { Order } from './order.ts';

/** Minimum length of the first characters of a reference, in Unicode code points. */
export const REFERENCE_PREFIX_LENGTH_MIN = 2;

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
    reference_prefix: {
      value: 'prefix',
      operator: 'starts with',
      of: 'reference',
      min: REFERENCE_PREFIX_LENGTH_MIN,
      max: REFERENCE_LENGTH_MAX,
      excludes: ['sort'],
      description: 'Orders whose reference begins with this text, sorted by reference',
    },
    ...commonFilters('Orders'),
  } as const satisfies ListFilters<keyof Order>;
}

type OrderFilters<D extends OrderDefinition = OrderDefinition> = ReturnType<typeof orderFilters<D>>;

/** Filter of a list of orders: the values of {@link orderFilters}. An order must match all members. */
export type OrderFilter<D extends OrderDefinition = OrderDefinition> = FilterValues<OrderFilters<D>>;

/** A validated query for a page of orders. */
export type OrderQuery<D extends OrderDefinition = OrderDefinition> = PageQuery & OrderFilter<D>;

/** An unvalidated query for a page of orders. Every member is optional. */
export type OrderQueryInput = PageQueryInput & FilterInput<OrderFilters>;

/** Parses a query for a page of orders and reports every invalid member. The default definition is {@link ORDERS}. */
export function parseOrderQuery<D extends OrderDefinition = DefaultDefinition>(
  input: OrderQueryInput,
  definition?: D,
): Result<OrderQuery<D>, ValidationFailed>;
export function parseOrderQuery(
  input: OrderQueryInput,
  definition: OrderDefinition = ORDERS,
): Result<unknown, ValidationFailed> {
  return parseFilteredQuery(input, orderFilters(definition));
}
