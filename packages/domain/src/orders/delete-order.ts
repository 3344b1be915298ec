import type { ResultAsync } from 'neverthrow';
import { currentTimestamp } from '../shared/clock.ts';
import { createDeletionEvent } from '../shared/domain-event.ts';
import { type Owner, parseId, type ResourceId } from '../shared/ids.ts';
import { idempotencyFor, type KeyReused } from '../shared/idempotency.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { type ChangeOptions, checkVersion, readActorOfChange, type PreconditionFailed } from '../shared/version.ts';
import { deleteAggregate, except } from '../aggregates/write-aggregate.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import { checkGuards } from './guards.ts';
import type { OrderNotFound, Refused } from './order-errors.ts';
import type { ORDERS } from './order-lifecycle.ts';
import type { OrderPorts, OrderDeleted } from './order-repository.ts';
import type { Order } from './order.ts';

/** The errors of deleting an order. */
export type DeleteOrderError<D extends OrderDefinition = typeof ORDERS> =
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
  orderId: string | ResourceId,
  options: ChangeOptions = {},
): ResultAsync<OrderDeleted<OrderDefinition>, DeleteOrderError<OrderDefinition>> {
  const actor = readActorOfChange(options);
  return parseId(orderId, 'order_not_found').asyncAndThen((id) =>
    deleteAggregate(
      {
        store: ports.orders,
        owner,
        key: idempotencyFor(ports, options, 'delete_order', id),
        missing: 'order_not_found',
      },
      id,
      (order: Order<OrderDefinition>) =>
        checkVersion(order.version, options)
          .map(() => currentTimestamp(ports.clock))
          .andThrough((now) => checkGuards(ports.definition, 'delete_order', order, null, now))
          .map((now) => createDeletionEvent(ports.ids, owner, actor, 'order.deleted', order, now)),
    ).mapErr(except('reference_taken', 'unknown_customer', 'customer_erased')),
  );
}
