import type { ResultAsync } from 'neverthrow';
import type { CustomerPorts } from './customer-repository.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import type { Page } from '../shared/page.ts';
import { type PageQueryInput, parsePageQuery } from '../shared/page-query.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { Customer } from './customer.ts';

/** The errors of listing customers. */
export type ListCustomersError = ValidationFailed | Unavailable;

/** Returns one page of the owner's customers, with the guarantees of `listOrders` about consecutive pages. */
export function listCustomers(
  ports: CustomerPorts,
  owner: Owner,
  input: PageQueryInput = {},
): ResultAsync<Page<Customer, Timestamp>, ListCustomersError> {
  return parsePageQuery(input).asyncAndThen((query) => ports.customers.list(owner, query));
}
