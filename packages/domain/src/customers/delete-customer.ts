import type { ResultAsync } from 'neverthrow';
import type { Ports } from '../ports.ts';
import { laterOf, timestamp } from '../shared/clock.ts';
import { eventOf } from '../shared/domain-event.ts';
import { type Owner, parseId } from '../shared/ids.ts';
import { fingerprint, type KeyReused, idempotencyFor } from '../shared/idempotency.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { type ChangeOptions, expectVersion, type VersionMismatch } from '../shared/version.ts';
import type { CustomerHasOrders, CustomerNotFound } from './customer-errors.ts';
import type { CustomerDeleted } from './customer-repository.ts';

/** Why a customer is not deleted. */
export type DeleteCustomerError = KeyReused | CustomerNotFound | VersionMismatch | CustomerHasOrders | Unavailable;

/** Removes a customer whom no order names, and what the records of idempotency keys hold of the customer. */
export function deleteCustomer(
  ports: Ports,
  owner: Owner,
  customerId: string,
  options: ChangeOptions = {},
): ResultAsync<CustomerDeleted, DeleteCustomerError> {
  return parseId(customerId, 'customer_not_found').asyncAndThen((id) =>
    ports.customers.delete(
      owner,
      id,
      (customer) =>
        expectVersion(customer.version, options).map(() => {
          const now = laterOf(customer.updated_at, timestamp(ports.clock));
          return eventOf(ports.ids, owner, { type: 'customer.deleted', changed: [] }, customer, now);
        }),
      idempotencyFor(ports, options, () => fingerprint('delete_customer', id)),
    ),
  );
}
