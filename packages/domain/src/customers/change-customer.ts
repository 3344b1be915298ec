import type { ResultAsync } from 'neverthrow';
import { changeAggregate, except, mapBoth } from '../aggregates/write-aggregate.ts';
import { currentTimestamp } from '../shared/clock.ts';
import { createEvent } from '../shared/domain-event.ts';
import { type Owner, parseId, type ResourceId } from '../shared/ids.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import { idempotencyFor, type KeyReused } from '../shared/idempotency.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { type ChangeOptions, checkVersion, readActorOfChange, type PreconditionFailed } from '../shared/version.ts';
import { applyCustomerChange, parseCustomerPatch } from './customer-patch.ts';
import type { CustomerErased, CustomerNotFound, EmailTaken } from './customer-errors.ts';
import { type CustomerPorts, type CustomerWritten, customerWritten } from './customer-repository.ts';
import { type Customer, isErased } from './customer.ts';

/** The errors of changing a customer. */
export type ChangeCustomerError =
  | ValidationFailed
  | KeyReused
  | CustomerNotFound
  | PreconditionFailed
  | EmailTaken
  | CustomerErased
  | Unavailable;

/**
 * Changes a customer by a merge patch (RFC 7396): `email`, `name`, `metadata`. The patch applies as a whole or not at
 * all, and records one event.
 */
export function changeCustomer(
  ports: CustomerPorts,
  owner: Owner,
  customerId: string | ResourceId,
  patch: unknown,
  options: ChangeOptions = {},
): ResultAsync<CustomerWritten, ChangeCustomerError> {
  const actor = readActorOfChange(options);
  return parseCustomerPatch(patch).asyncAndThen((change) =>
    parseId(customerId, 'customer_not_found').asyncAndThen((id) =>
      mapBoth(
        changeAggregate(
          {
            store: ports.customers,
            owner,
            key: idempotencyFor(ports, options, 'change_customer', id, change),
            missing: 'customer_not_found',
            isErased,
          },
          id,
          (before: Customer) =>
            checkVersion(before.version, options)
              .andThen(() => applyCustomerChange(before, change, currentTimestamp(ports.clock)))
              .map(({ customer, event }) => ({
                after: customer,
                event: event && createEvent(ports.ids, owner, actor, event, customer),
              })),
        ),
        customerWritten,
        except('customer_has_orders'),
      ),
    ),
  );
}
