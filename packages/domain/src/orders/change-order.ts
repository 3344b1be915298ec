import { err, type Result, type ResultAsync } from 'neverthrow';
import { currentTimestamp } from '../shared/clock.ts';
import { createEvent } from '../shared/domain-event.ts';
import { type Owner, parseId, type ResourceId } from '../shared/ids.ts';
import { INVALID_FIELDS_MAX, type ValidationFailed } from '../shared/validation.ts';
import { idempotencyFor, type KeyReused } from '../shared/idempotency.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { type ChangeOptions, checkVersion, readActorOfChange, type VersionMismatch } from '../shared/version.ts';
import { changeAggregate } from '../aggregates/write-aggregate.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import { applyOrderChange, type OrderChangeRejected } from './apply-order-change.ts';
import { type OrderChange, parseOrderPatch } from './order-patch.ts';
import type { OrderNotFound, ReferenceTaken } from './order-errors.ts';
import type { ORDERS } from './order-lifecycle.ts';
import { mapUnknownCustomer, unknownCustomerError } from './unknown-customer.ts';
import type { OrderPorts, OrderWritten } from './order-repository.ts';
import type { Order } from './order.ts';

/** The errors of changing and cancelling an order. */
export type ChangeOrderError<D extends OrderDefinition = typeof ORDERS> =
  | ValidationFailed
  | KeyReused
  | OrderNotFound
  | VersionMismatch
  | OrderChangeRejected<D>
  | ReferenceTaken
  | Unavailable;

/**
 * Changes an order by a merge patch (RFC 7396): `status`, `customer_id`, `reference`, `note`, `metadata`,
 * `custom` if the definition has it, and `cancel_reason` together with the cancel status. The patch applies as a whole or not at all, and records one
 * event.
 */
export function changeOrder(
  ports: OrderPorts,
  owner: Owner,
  id: string | ResourceId,
  patch: unknown,
  options: ChangeOptions = {},
): ResultAsync<OrderWritten<OrderDefinition>, ChangeOrderError<OrderDefinition>> {
  return writeOrderChange(ports, owner, id, parseOrderPatch(patch, ports.definition), options);
}

/** Writes a change of an order, once it and the options are validated. All use cases that change an order share it. */
export function writeOrderChange(
  ports: OrderPorts,
  owner: Owner,
  orderId: string | ResourceId,
  parsed: Result<OrderChange<OrderDefinition>, ValidationFailed>,
  options: ChangeOptions,
): ResultAsync<OrderWritten<OrderDefinition>, ChangeOrderError<OrderDefinition>> {
  const actor = readActorOfChange(options);
  return parsed.asyncAndThen((change) =>
    parseId(orderId, 'order_not_found').asyncAndThen((id) =>
      changeAggregate(
        {
          store: ports.orders,
          owner,
          key: idempotencyFor(ports, options, 'change_order', id, change),
          missing: 'order_not_found',
        },
        id,
        (before: Order<OrderDefinition>) =>
          checkVersion(before.version, options)
            .andThen(() => applyOrderChange(ports.definition, before, change, currentTimestamp(ports.clock)))
            .map(({ order, event }) => ({
              after: order,
              event: event && createEvent(ports.ids, owner, actor, event, order),
            })),
      )
        .map(({ aggregate: order, event, replayed }) => ({ order, event, replayed }))
        .orElse((error) =>
          error.type === 'validation_failed' && typeof change.customer_id === 'string'
            ? addUnknownCustomer(ports, owner, change.customer_id, error)
            : err(mapUnknownCustomer(error)),
        ),
    ),
  );
}

/**
 * Adds an unknown customer to the errors of a rejected change. Metadata that exceeds its limit is rejected before the
 * store checks the customer, yet all invalid fields are reported together.
 */
function addUnknownCustomer(
  { customers }: OrderPorts,
  owner: Owner,
  customerId: string,
  failure: ValidationFailed,
): ResultAsync<never, ValidationFailed | Unavailable> {
  return customers
    .load(owner, customerId)
    .andThen((found) =>
      err(
        found
          ? failure
          : { ...failure, errors: [...unknownCustomerError().errors, ...failure.errors].slice(0, INVALID_FIELDS_MAX) },
      ),
    );
}
