import type { ResultAsync } from 'neverthrow';
import { getAggregate } from '../aggregates/get-aggregate.ts';
import type { OrderPorts } from './order-repository.ts';
import type { Owner, ResourceId } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import type { OrderNotFound } from './order-errors.ts';
import type { Order } from './order.ts';

/** The errors of reading an order. */
export type GetOrderError = OrderNotFound | Unavailable;

/** Returns one order of the owner, or `order_not_found`. */
export function getOrder(
  ports: OrderPorts,
  owner: Owner,
  id: string | ResourceId,
): ResultAsync<Order<OrderDefinition>, GetOrderError> {
  return getAggregate(ports.orders, owner, id, 'order_not_found');
}
