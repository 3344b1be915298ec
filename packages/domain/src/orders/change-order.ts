import { mapBoth } from '../aggregates/write-aggregate.ts';
import { err, type ResultAsync } from 'neverthrow';
import type { Timestamp } from '../shared/clock.ts';
import type { CustomerErased } from '../customers/customer-errors.ts';
import type { Owner, ResourceId } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { INVALID_FIELDS_MAX, type ValidationFailed } from '../shared/validation.ts';
import type { ChangeOptions } from '../shared/version.ts';
import type { DefaultDefinition, OrderDefinition } from './order-lifecycle.ts';
import { applyOrderChange, type OrderChangeRejected } from './apply-order-change.ts';
import { type OrderChange, parseOrderPatch } from './order-patch.ts';
import type { ReferenceTaken } from './order-errors.ts';
import { mapUnknownCustomer, unknownCustomerError } from './unknown-customer.ts';
import type { OrderPorts, OrderWritten } from './order-repository.ts';
import type { AnyOrder } from './order.ts';
import { writeOrder, type WriteOrderError } from './write-order.ts';

/** The errors of changing an order. */
export type ChangeOrderError<D extends OrderDefinition = DefaultDefinition> =
  | WriteOrderError<D>
  | OrderChangeRejected<D>
  | ReferenceTaken
  | CustomerErased;

/**
 * Changes an order by a merge patch (RFC 7396): `status`, {@link ORDER_FIELDS}, `custom` if the definition has it, and
 * `cancel_reason` together with the cancel status. The patch applies as a whole or not at all, and records one event.
 */
export function changeOrder(
  ports: OrderPorts,
  owner: Owner,
  id: string | ResourceId,
  patch: unknown,
  options: ChangeOptions = {},
): ResultAsync<OrderWritten<OrderDefinition>, ChangeOrderError<OrderDefinition>> {
  const parsed = parseOrderPatch(patch, ports.definition);
  const decide = (before: AnyOrder, change: OrderChange, now: Timestamp) =>
    applyOrderChange(ports.definition, before, change, now);
  const written = writeOrder(ports, owner, id, 'change_order', parsed, options, decide);
  const customerId = parsed.isOk() ? parsed.value.customer_id : null;
  if (typeof customerId !== 'string') return mapBoth(written, (changed) => changed, mapUnknownCustomer);
  return written.orElse((error) =>
    error.type === 'validation_failed'
      ? addUnknownCustomer(ports, owner, customerId, error)
      : err(mapUnknownCustomer(error)),
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
