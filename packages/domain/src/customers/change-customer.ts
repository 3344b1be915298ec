import { errAsync, type ResultAsync } from 'neverthrow';
import type { Ports } from '../ports.ts';
import { timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import { fingerprint, type KeyReused, onceFor } from '../shared/idempotency.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { type ChangeOptions, expectVersion, type VersionMismatch } from '../shared/version.ts';
import { applyCustomerChange, type ChangedCustomer, parseCustomerChange } from './customer-patch.ts';
import type { CustomerNotFound, EmailTaken } from './customer-errors.ts';
import type { CustomerEvent } from './customer-events.ts';
import { withCustomerId } from './customer-id.ts';
import type { CustomerWritten } from './customer-repository.ts';

/** Why a customer is not changed. */
export type ChangeCustomerError =
  | ValidationFailed
  | KeyReused
  | CustomerNotFound
  | VersionMismatch
  | EmailTaken
  | Unavailable;

/** Changes a customer by a merge patch (RFC 7396): `email`, `name`, `metadata`. Applied whole or not at all. */
export function changeCustomer(
  ports: Ports,
  owner: Owner,
  customerId: string,
  patch: unknown,
  options: ChangeOptions = {},
): ResultAsync<CustomerWritten, ChangeCustomerError> {
  const change = parseCustomerChange(patch);
  if (change.isErr()) return errAsync(change.error);
  return withCustomerId(customerId, (id) =>
    ports.customers.update(
      owner,
      id,
      (before) =>
        expectVersion(before.version, options)
          .andThen(() => applyCustomerChange(before, change.value, timestamp(ports.clock)))
          .map((after) => ({ customer: after.customer, event: changedEvent(ports, owner, after) })),
      onceFor(ports, options, () => fingerprint('change_customer', id, change.value)),
    ),
  );
}

function changedEvent(ports: Ports, owner: Owner, { customer, changed }: ChangedCustomer): CustomerEvent | null {
  if (changed.length === 0) return null;
  return {
    id: ports.ids.next(),
    type: 'customer.changed',
    owner,
    aggregate_id: customer.id,
    version: customer.version,
    occurred_at: customer.updated_at,
    changed,
  };
}
