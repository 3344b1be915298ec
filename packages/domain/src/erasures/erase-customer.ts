import { err, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { changeAggregate, checkVersion, type Decision, except } from '../aggregates/write-aggregate.ts';
import type { CustomerErased, CustomerNotFound } from '../customers/customer-errors.ts';
import type { CustomerEvent } from '../customers/customer-kind.ts';
import { type CustomerWritten, customerWritten, type PersonErased } from '../customers/customer-repository.ts';
import { type Customer, isErased } from '../customers/customer.ts';
import type { OrderPorts } from '../orders/order-repository.ts';
import { readAuthorOfChange } from '../shared/author.ts';
import { currentTimestamp } from '../shared/clock.ts';
import { idempotencyFor, type KeyReused } from '../shared/idempotency.ts';
import { type Owner, parseId, type ResourceId } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { ChangeOptions, PreconditionFailed } from '../shared/version.ts';
import { eraseBatch, walkFor } from './continue-erasures.ts';
import { erased } from './record-erasure.ts';

/** The errors of erasing a customer. */
export type EraseCustomerError = KeyReused | CustomerNotFound | PreconditionFailed | Unavailable;

/**
 * Erases a person: the customer loses its email, name and metadata in one version, and each order that any kept version
 * assigns to it loses its personal data in one version. The customer is erased when this returns, and so are its orders if
 * a batch of {@link continueErasures} has all of them; otherwise `erasure.status` is `pending`.
 *
 * The erasure of an erased customer erases what orders that are still assigned to it have got since, each by one version.
 * The customer gets no further version, nor does an order without such data. A retry erases nothing.
 */
export function eraseCustomer(
  ports: OrderPorts,
  owner: Owner,
  customerId: string | ResourceId,
  options: ChangeOptions = {},
): ResultAsync<CustomerWritten, EraseCustomerError> {
  // The user may be the person who is erased.
  const author = { ...readAuthorOfChange(options), external_user_id: null };
  return parseId(customerId, 'customer_not_found').asyncAndThen((id) => {
    const key = idempotencyFor(ports, options, 'erase_customer', id);
    const destination = { store: ports.customers, owner, key, missing: 'customer_not_found', isErased } as const;
    const record = (isRepeated: boolean) =>
      changeAggregate(destination, id, (before: Customer) =>
        checkVersion(before.version, options).andThen((): Result<Decision<Customer, CustomerEvent>, CustomerErased> => {
          if (!isErased(before)) return ok(erased(ports, owner, before, author));
          return isRepeated ? ok({ after: before, event: null }) : err({ type: 'customer_erased' });
        }),
      );
    return record(false)
      .map((written) => ({ ...customerWritten(written), person: personOf(written.aggregate) }))
      .orElse((error) => {
        if (error.type !== 'customer_erased') return err(error);
        // Before the key is used: from then on, a retry erases nothing.
        const repeated = ports.customers.repeatErasure(owner, id, currentTimestamp(ports.clock));
        return repeated.andThen((person) => record(true).map((written) => ({ ...customerWritten(written), person })));
      })
      .mapErr(except('email_taken', 'customer_has_orders', 'customer_erased'))
      .andThen(({ person, ...written }) => {
        // A retry erases nothing, and shows how far the erasure is.
        if (written.replayed || person === null) return okAsync(written);
        // The erasure is recorded. What does not succeed now is done in the background.
        return eraseBatch(ports, owner, walkFor([person]))
          .map(({ after }): CustomerWritten => (after === null ? done(written) : written))
          .orElse(() => ok(written));
      });
  });
}

/** Returns whose orders are to be erased, at first; `null` for a customer who is not erased. */
function personOf({ id: customer_id, erased_at }: Customer): PersonErased | null {
  return erased_at === null ? null : { customer_id, erased_at, requested_at: erased_at, isRepeated: false };
}

function done(written: CustomerWritten): CustomerWritten {
  return { ...written, customer: { ...written.customer, erasure: { status: 'done' } } };
}
