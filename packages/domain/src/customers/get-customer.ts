import type { ResultAsync } from 'neverthrow';
import type { Ports } from '../ports.ts';
import { type Owner, parseId } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { CustomerNotFound } from './customer-errors.ts';
import type { Customer } from './customer.ts';

/** Why a customer is not shown. */
export type GetCustomerError = CustomerNotFound | Unavailable;

/** One customer of the owner. */
export function getCustomer(ports: Ports, owner: Owner, id: string): ResultAsync<Customer, GetCustomerError> {
  return parseId(id, 'customer_not_found').asyncAndThen((stored) => ports.customers.find(owner, stored));
}
