import type { ResultAsync } from 'neverthrow';
import { getAggregate } from '../aggregates/get-aggregate.ts';
import type { CustomerPorts } from './customer-repository.ts';
import type { Owner, ResourceId } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { CustomerNotFound } from './customer-errors.ts';
import type { Customer } from './customer.ts';

/** The errors of reading a customer. */
export type GetCustomerError = CustomerNotFound | Unavailable;

/** Returns one customer of the owner, or `customer_not_found`. */
export function getCustomer(
  ports: CustomerPorts,
  owner: Owner,
  id: string | ResourceId,
): ResultAsync<Customer, GetCustomerError> {
  return getAggregate(ports.customers, owner, id, 'customer_not_found');
}
