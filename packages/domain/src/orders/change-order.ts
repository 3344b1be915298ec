import { err, errAsync, type Result, type ResultAsync } from 'neverthrow';
import type { Ports } from '../ports.ts';
import { timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import { fingerprint, type KeyReused, onceFor } from '../shared/idempotency.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { type ChangeOptions, expectVersion, type VersionMismatch } from '../shared/version.ts';
import { applyOrderChange, type OrderChange, type OrderChangeRefused, parseOrderChange } from './order-patch.ts';
import type { OrderNotFound, ReferenceTaken } from './order-errors.ts';
import { refuseUnknownCustomer, unknownCustomer, withOrderId } from './unknown-customer.ts';
import type { OrderDecision, OrderWritten } from './order-repository.ts';
import type { Order } from './order.ts';

/** Why an order is not changed or cancelled. */
export type ChangeOrderError =
  | ValidationFailed
  | KeyReused
  | OrderNotFound
  | VersionMismatch
  | OrderChangeRefused
  | ReferenceTaken
  | Unavailable;

/**
 * Changes an order by a merge patch (RFC 7396): `status`, `customer_id`, `reference`, `note`, `metadata`, and
 * `cancel_reason` together with `status: 'cancelled'`. One command: applied whole or not at all, one event.
 */
export function changeOrder(
  ports: Ports,
  owner: Owner,
  id: string,
  patch: unknown,
  options: ChangeOptions = {},
): ResultAsync<OrderWritten, ChangeOrderError> {
  const change = parseOrderChange(patch);
  return change.isErr() ? errAsync(change.error) : writeOrderChange(ports, owner, id, change.value, options);
}

/** The one way an order changes, by whichever use case. */
export function writeOrderChange(
  ports: Ports,
  owner: Owner,
  orderId: string,
  change: OrderChange,
  options: ChangeOptions,
): ResultAsync<OrderWritten, ChangeOrderError> {
  return withOrderId(orderId, (id) =>
    ports.orders
      .update(
        owner,
        id,
        (order) => expectVersion(order.version, options).andThen(() => decide(ports, owner, order, change)),
        onceFor(ports, options, () => fingerprint('change_order', id, change)),
      )
      .orElse((error) =>
        error.type === 'validation_failed' && typeof change.customer_id === 'string'
          ? nameUnknownCustomer(ports, owner, change.customer_id, error)
          : err(refuseUnknownCustomer(error)),
      ),
  );
}

/** The order alone tells that metadata grew too large; whether the customer is there too is then not known yet. */
function nameUnknownCustomer(
  { customers }: Ports,
  owner: Owner,
  customerId: string,
  failure: ValidationFailed,
): ResultAsync<never, ValidationFailed | Unavailable> {
  return customers
    .find(owner, customerId)
    .andThen(() => err(failure))
    .mapErr((error) =>
      error.type === 'customer_not_found'
        ? { ...failure, errors: [...unknownCustomer().errors, ...failure.errors] }
        : error,
    );
}

function decide(
  ports: Ports,
  owner: Owner,
  before: Order,
  change: OrderChange,
): Result<OrderDecision, OrderChangeRefused> {
  return applyOrderChange(before, change, timestamp(ports.clock)).map(({ order, event }) => ({
    order,
    event: event && {
      id: ports.ids.next(),
      type: event.type,
      owner,
      aggregate_id: order.id,
      version: order.version,
      occurred_at: order.updated_at,
      changed: event.changed,
    },
  }));
}
