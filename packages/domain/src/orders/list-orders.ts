import type { ResultAsync } from 'neverthrow';
import type { Ports } from '../ports.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import type { Page } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { type OrderQueryInput, parseOrderQuery } from './order-query.ts';
import type { Order } from './order.ts';

/** Why orders are not listed. */
export type ListOrdersError = ValidationFailed | Unavailable;

/**
 * One page of the owner's orders. Following `next` by `created_at` shows every order that was there throughout exactly
 * once. By `updated_at` an order changed meanwhile may appear again (ascending) or be missed (descending), and under a
 * `status` filter it may leave the list.
 */
export function listOrders(
  ports: Ports,
  owner: Owner,
  input: OrderQueryInput = {},
): ResultAsync<Page<Order, Timestamp>, ListOrdersError> {
  return parseOrderQuery(input).asyncAndThen((query) => ports.orders.list(owner, query));
}
