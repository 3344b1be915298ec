import type { ResultAsync } from 'neverthrow';
import type { Owner, ResourceId } from '../shared/ids.ts';
import { type KeyReused } from '../shared/idempotency.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { type ChangeOptions, type PreconditionFailed } from '../shared/version.ts';
import { deleteByCommand, except } from '../aggregates/write-aggregate.ts';
import type { DefaultDefinition, OrderDefinition } from './order-lifecycle.ts';
import { checkGuards } from './guards.ts';
import type { OrderNotFound, Refused } from './order-errors.ts';
import type { OrderPorts, OrderDeleted } from './order-repository.ts';
import type { AnyOrder } from './order.ts';

/** The errors of deleting an order. */
export type DeleteOrderError<D extends OrderDefinition = DefaultDefinition> =
  | KeyReused
  | OrderNotFound
  | PreconditionFailed
  | Unavailable
  | Refused<D>;

/**
 * Deletes an order permanently, in any status. Its reference can be used again; its id is never reused. Its versions stay
 * readable until they are purged, and the deletion is the last of them.
 */
export function deleteOrder(
  ports: OrderPorts,
  owner: Owner,
  id: string | ResourceId,
  options: ChangeOptions = {},
): ResultAsync<OrderDeleted, DeleteOrderError<OrderDefinition>> {
  const target = {
    store: ports.orders,
    owner,
    id,
    missing: 'order_not_found',
    operation: 'delete_order',
    type: 'order.deleted',
  } as const;
  return deleteByCommand(ports, target, options, (order: AnyOrder, now) =>
    checkGuards(ports.definition, 'delete_order', order, null, now),
  ).mapErr(except('reference_taken', 'unknown_customer', 'customer_erased'));
}
