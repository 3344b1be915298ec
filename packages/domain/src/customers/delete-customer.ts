import type { ResultAsync } from 'neverthrow';
import { deleteAggregate, except } from '../aggregates/write-aggregate.ts';
import { currentTimestamp } from '../shared/clock.ts';
import { createDeletionEvent } from '../shared/domain-event.ts';
import { type Owner, parseId, type ResourceId } from '../shared/ids.ts';
import { idempotencyFor, type KeyReused } from '../shared/idempotency.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { type ChangeOptions, checkVersion, readActorOfChange, type PreconditionFailed } from '../shared/version.ts';
import type { CustomerErased, CustomerHasOrders, CustomerNotFound } from './customer-errors.ts';
import type { CustomerPorts, CustomerDeleted } from './customer-repository.ts';
import type { Customer } from './customer.ts';

/** The errors of deleting a customer. */
export type DeleteCustomerError =
  | KeyReused
  | CustomerNotFound
  | PreconditionFailed
  | CustomerHasOrders
  | CustomerErased
  | Unavailable;

/**
 * Deletes a customer permanently, and erases all recorded values of the customer, so that a retry of an earlier write
 * returns `customer_not_found`. Returns `customer_has_orders` while an order refers to the customer, and otherwise
 * `customer_erased` for one who is erased: the record of an erasure stays, for a restored backup.
 */
export function deleteCustomer(
  ports: CustomerPorts,
  owner: Owner,
  customerId: string | ResourceId,
  options: ChangeOptions = {},
): ResultAsync<CustomerDeleted, DeleteCustomerError> {
  const actor = readActorOfChange(options);
  return parseId(customerId, 'customer_not_found').asyncAndThen((id) =>
    deleteAggregate(
      {
        store: ports.customers,
        owner,
        key: idempotencyFor(ports, options, 'delete_customer', id),
        missing: 'customer_not_found',
      },
      id,
      (customer: Customer) =>
        checkVersion(customer.version, options).map(() =>
          createDeletionEvent(ports.ids, owner, actor, 'customer.deleted', customer, currentTimestamp(ports.clock)),
        ),
    ).mapErr(except('email_taken')),
  );
}
