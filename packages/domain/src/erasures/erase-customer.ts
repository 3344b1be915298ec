import { ok, okAsync, type ResultAsync } from 'neverthrow';
import { changeAggregate, except } from '../aggregates/write-aggregate.ts';
import type { CustomerNotFound } from '../customers/customer-errors.ts';
import { type CustomerWritten, customerWritten } from '../customers/customer-repository.ts';
import { type Customer, isErased } from '../customers/customer.ts';
import type { OrderPorts } from '../orders/order-repository.ts';
import { currentTimestamp, laterTimestamp, type Timestamp } from '../shared/clock.ts';
import { createEvent } from '../shared/domain-event.ts';
import { idempotencyFor, type KeyReused } from '../shared/idempotency.ts';
import { type Owner, parseId, type ResourceId } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { type ChangeOptions, checkVersion, readActorOfChange, type PreconditionFailed } from '../shared/version.ts';
import { eraseBatch } from './continue-erasures.ts';

/** The errors of erasing a customer. */
export type EraseCustomerError = KeyReused | CustomerNotFound | PreconditionFailed | Unavailable;

/**
 * Erases a person: the customer loses its email, name and metadata in one version, and each order that any kept version
 * assigns to it loses its personal data in one version. The customer is erased when this returns, and so are its orders if
 * a batch of {@link continueErasures} has all of them; otherwise `erasure.status` is `pending`. An erased customer stays
 * the same.
 */
export function eraseCustomer(
  ports: OrderPorts,
  owner: Owner,
  customerId: string | ResourceId,
  options: ChangeOptions = {},
): ResultAsync<CustomerWritten, EraseCustomerError> {
  const actor = readActorOfChange(options);
  return parseId(customerId, 'customer_not_found').asyncAndThen((id) =>
    changeAggregate(
      {
        store: ports.customers,
        owner,
        key: idempotencyFor(ports, options, 'erase_customer', id),
        missing: 'customer_not_found',
        isErased,
      },
      id,
      (before: Customer) =>
        checkVersion(before.version, options).map(() => {
          if (before.erased_at !== null) return { after: before, event: null };
          const after = erase(before, currentTimestamp(ports.clock));
          const event = { type: 'customer.erased', changed: changedMembers(before) } as const;
          return { after, event: createEvent(ports.ids, owner, actor, event, after), erases: true };
        }),
    )
      .map(customerWritten)
      .mapErr(except('email_taken', 'customer_has_orders', 'customer_erased'))
      .andThen((written) => {
        const { erased_at, erasure } = written.customer;
        // A retry erases nothing, and shows how far the erasure is.
        if (written.replayed || erased_at === null || erasure?.status !== 'pending') return okAsync(written);
        // The erasure is recorded. What does not succeed now is done in the background.
        return eraseBatch(ports, owner, { persons: [{ customer_id: id, erased_at }], after: null })
          .map((next): CustomerWritten => (next === null ? done(written) : written))
          .orElse(() => ok(written));
      }),
  );
}

function done(written: CustomerWritten): CustomerWritten {
  return { ...written, customer: { ...written.customer, erasure: { status: 'done' } } };
}

function erase(customer: Customer, now: Timestamp): Customer {
  const at = laterTimestamp(customer.updated_at, now);
  return {
    ...customer,
    email: null,
    name: null,
    metadata: {},
    version: customer.version + 1,
    updated_at: at,
    erased_at: at,
    erasure: { status: 'pending' },
  };
}

function changedMembers({ name, metadata }: Customer): readonly string[] {
  return [
    'email',
    ...(name === null ? [] : ['name']),
    ...(Object.keys(metadata).length === 0 ? [] : ['metadata']),
    'erased_at',
    'erasure',
  ];
}
