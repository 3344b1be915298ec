import type { ResultAsync } from 'neverthrow';
import { deleteByCommand, except } from '../aggregates/write-aggregate.ts';
import type { Owner, ResourceId } from '../shared/ids.ts';
import { type KeyReused } from '../shared/idempotency.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { type ChangeOptions, type PreconditionFailed } from '../shared/version.ts';
import type { CustomerErased, CustomerHasOrders, CustomerNotFound } from './customer-errors.ts';
import type { CustomerPorts, CustomerDeleted } from './customer-repository.ts';

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
  id: string | ResourceId,
  options: ChangeOptions = {},
): ResultAsync<CustomerDeleted, DeleteCustomerError> {
  const target = {
    store: ports.customers,
    owner,
    id,
    missing: 'customer_not_found',
    operation: 'delete_customer',
    type: 'customer.deleted',
  } as const;
  return deleteByCommand(ports, target, options).mapErr(except('email_taken'));
}
