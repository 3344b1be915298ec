import type { ResultAsync } from 'neverthrow';
import { getAggregate } from '../aggregates/get-aggregate.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { Owner, ResourceId } from '../shared/ids.ts';
import type { Page } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import type { CustomerNotFound } from './customer-errors.ts';
import type { CustomerPorts } from './customer-repository.ts';
import { type CustomerQueryInput, parseCustomerQuery, parseCustomerSearch } from './customer-query.ts';
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

/** The errors of listing customers. */
export type ListCustomersError = ValidationFailed | Unavailable;

/** Returns one page of the owner's customers, with the guarantees of `listOrders` about consecutive pages. */
export function listCustomers(
  ports: CustomerPorts,
  owner: Owner,
  input: CustomerQueryInput = {},
): ResultAsync<Page<Customer, Timestamp>, ListCustomersError> {
  return parseCustomerQuery(input).asyncAndThen((query) => ports.customers.list(owner, query));
}

/** The errors of searching customers. */
export type SearchCustomersError = ValidationFailed | Unavailable;

/** Returns the customer with an email, compared as uniqueness is, or none. `input` is a {@link CustomerSearch}. */
export function searchCustomers(
  ports: CustomerPorts,
  owner: Owner,
  input: unknown,
): ResultAsync<readonly Customer[], SearchCustomersError> {
  return parseCustomerSearch(input).asyncAndThen((key) =>
    ports.customers.findByEmail(owner, key).map((found) => (found ? [found] : [])),
  );
}
