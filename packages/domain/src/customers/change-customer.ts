import type { ResultAsync } from 'neverthrow';
import { changeByCommand, except, mapBoth } from '../aggregates/write-aggregate.ts';
import type { Owner, ResourceId } from '../shared/ids.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import { type KeyReused } from '../shared/idempotency.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { type ChangeOptions, type PreconditionFailed } from '../shared/version.ts';
import { applyCustomerChange, parseCustomerPatch } from './customer-patch.ts';
import type { CustomerErased, CustomerNotFound, EmailTaken } from './customer-errors.ts';
import { type CustomerPorts, type CustomerWritten, customerWritten } from './customer-repository.ts';
import { isErased } from './customer.ts';

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
  id: string | ResourceId,
  patch: unknown,
  options: ChangeOptions = {},
): ResultAsync<CustomerWritten, ChangeCustomerError> {
  const missing = 'customer_not_found';
  const target = { store: ports.customers, owner, id, missing, isErased, operation: 'change_customer' } as const;
  const changed = changeByCommand(ports, target, parseCustomerPatch(patch), options, applyCustomerChange);
  return mapBoth(changed, customerWritten, except('customer_has_orders'));
}
