import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { getAggregate } from '../aggregates/get-aggregate.ts';
import { changeAggregate, except } from '../aggregates/write-aggregate.ts';
import type { CustomerNotFound } from '../customers/customer-errors.ts';
import type { Customer } from '../customers/customer.ts';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { applyErasure } from '../orders/erase-order.ts';
import type { AssignedOrder, OrderPorts, VersionPosition } from '../orders/order-repository.ts';
import type { Order } from '../orders/order.ts';
import { currentTimestamp } from '../shared/clock.ts';
import { createEvent } from '../shared/domain-event.ts';
import type { Owner, ResourceId } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';

/** The errors of continuing an erasure. */
export type ContinueErasureError = CustomerNotFound | Unavailable;

/** What a batch of an erasure has left to do. */
export interface ErasureProgress {
  readonly customer: Customer;
  /** Where the next batch begins. `null` after the last one, when the erasure is done. */
  readonly next: VersionPosition | null;
}

/**
 * Erases a batch of the orders of an erased customer, after the position that the batch before returned, by default from the
 * beginning. After the last batch the erasure is done. A batch may be repeated, also by several processes at a time: an
 * order that was erased last is left as it is. A customer without a pending erasure stays the same.
 */
export function continueErasure(
  ports: OrderPorts,
  owner: Owner,
  customerId: string | ResourceId,
  after: VersionPosition | null = null,
): ResultAsync<ErasureProgress, ContinueErasureError> {
  return getAggregate(ports.customers, owner, customerId, 'customer_not_found').andThen((customer) =>
    customer.erasure?.status === 'pending'
      ? new ResultAsync(eraseBatch(ports, owner, customer, after))
      : ok({ customer, next: null }),
  );
}

async function eraseBatch(
  ports: OrderPorts,
  owner: Owner,
  customer: Customer,
  after: VersionPosition | null,
): Promise<Result<ErasureProgress, ContinueErasureError>> {
  const { id } = customer;
  const found = await ports.orders.findAssigned(owner, id, after);
  if (found.isErr()) return err(found.error);
  for (const order of found.value.orders) {
    const erased = order.isErased ? ok(true) : await eraseOrder(ports, owner, order);
    if (erased.isErr()) return err(erased.error);
    // The order has changed since it was found, and may have been erased: the next batch finds it again.
    if (!erased.value) return ok({ customer, next: { id: order.id, version: 0 } });
  }
  const { next } = found.value;
  if (next !== null) return ok({ customer, next });
  return await ports.customers
    .finishErasure(owner, id)
    .andThen((finished) =>
      finished ? ok({ customer: finished, next: null }) : err({ type: 'customer_not_found', id } as const),
    );
}

/** Erases one order unless it has another version than the one that was found; returns whether it did. */
function eraseOrder(
  ports: OrderPorts,
  owner: Owner,
  { id, version }: AssignedOrder,
): ResultAsync<boolean, Unavailable> {
  const destination = { store: ports.orders, owner, key: undefined, missing: 'order_not_found' } as const;
  return changeAggregate(destination, id, (before: Order<OrderDefinition>) => {
    if (before.version !== version) return err({ type: 'precondition_failed' } as const);
    const { order, event } = applyErasure(before, currentTimestamp(ports.clock));
    return ok({ after: order, event: event && createEvent(ports.ids, owner, null, event, order), erases: true });
  })
    .map(() => true)
    .mapErr(except('idempotency_key_reused', 'reference_taken', 'unknown_customer', 'customer_erased'))
    .orElse((error) => {
      if (error.type === 'precondition_failed') return ok(false);
      // A deleted order has no next version: the deletion is the last one.
      if (error.type === 'order_not_found') return ports.orders.eraseDeleted(owner, id).map(() => true);
      return err(error);
    });
}
