import type { ResultAsync } from 'neverthrow';
import type { OrderPorts } from './order-repository.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import type { Page } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import { type OrderQueryInput, parseOrderQuery } from './order-query.ts';
import type { Order } from './order.ts';

/** The errors of listing orders. */
export type ListOrdersError = ValidationFailed | Unavailable;

/**
 * Returns one page of the owner's orders. When all pages are read by following `next`, sorted by `created_at`, every
 * order that exists throughout appears exactly once. Sorted by `updated_at`, an order that changes in between may
 * appear twice (ascending) or be missed (descending). With a `status` filter, such an order may leave the list.
 */
export function listOrders(
  ports: OrderPorts,
  owner: Owner,
  input: OrderQueryInput = {},
): ResultAsync<Page<Order<OrderDefinition>, Timestamp>, ListOrdersError> {
  return parseOrderQuery(input, ports.definition).asyncAndThen((query) => ports.orders.list(owner, query));
}
