import type { Result } from 'neverthrow';
import { commonFilters, type FilterInput, type FilterValues, type ListFilters } from '../shared/list-filters.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import {
  isTimePosition,
  type PageQuery,
  type PageQueryInput,
  parseFilteredQuery,
  readPageWindow,
} from '../shared/page-query.ts';
import { readEmail } from '../customers/customer-details.ts';
import { emailKey } from '../customers/customer.ts';
import { SYSTEM_PATTERN } from './external-ids.ts';
import { EMAIL_LOOKUP, LOOKUP_VALUE_LENGTH_MAX } from './lookups.ts';
import { type DefaultDefinition, type OrderDefinition, ORDERS } from './order-lifecycle.ts';
import { REFERENCE_LENGTH_MAX } from './order-fields.ts';
import type { Order } from './order.ts';

/** Minimum length of the first characters of a reference, in Unicode code points. */
export const REFERENCE_PREFIX_LENGTH_MIN = 2;

/** Returns the filters of a list of orders. */
export function orderFilters<D extends OrderDefinition>({ statuses, lookups }: D) {
  const own = Object.keys(lookups);
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
    lookup: {
      value: 'lookup',
      operator: 'has',
      of: 'lookups',
      name: [`external\\.${SYSTEM_PATTERN}`, ...(own.length > 0 ? [`own\\.(?:${own.join('|')})`] : [])].join('|'),
      max: LOOKUP_VALUE_LENGTH_MAX,
      excludes: ['ids', 'offset', 'reference_prefix', 'sort'],
      description:
        'Orders with this id in an external system, as in `external.stripe:pi_1`, or found by this value in their custom data, as in `own.serial:4711`',
    },
    ...commonFilters('Orders'),
  } as const satisfies ListFilters<keyof Order | 'lookups'>;
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

/** What orders are searched by, and the page. */
export interface OrderSearch extends Omit<PageQueryInput, 'offset' | 'sort'> {
  /** The email of the buyer, in any case. Not that of the customer. */
  readonly buyer_email: string;
}

/** Parses a search for orders, an {@link OrderSearch}, and returns the query of its page, newest first. */
export function parseOrderSearch(input: unknown, definition: OrderDefinition): Result<OrderQuery, ValidationFailed> {
  const invalid = new InvalidFields();
  const search: Partial<OrderSearch> = invalid.readObject(input, ['buyer_email', 'limit', 'after']);
  const email = readEmail(search.buyer_email, 'buyer_email', invalid) ?? '';
  const page = readPageWindow(search, isTimePosition, invalid);
  return parseOrderQuery({}, definition).andThen((all) =>
    invalid.toResult({ ...all, ...page, lookup: [EMAIL_LOOKUP, emailKey(email)] as const }),
  );
}
