import { okAsync, type ResultAsync } from 'neverthrow';
import { getAggregate, type NotFound } from '../aggregates/get-aggregate.ts';
import { createAggregate, except } from '../aggregates/write-aggregate.ts';
import { parseCustomerSearch } from '../customers/customer-query.ts';
import type { Customer } from '../customers/customer.ts';
import type { OrderPorts } from '../orders/order-repository.ts';
import { currentTimestamp } from '../shared/clock.ts';
import { readAuthor } from '../shared/author.ts';
import { createEvent } from '../shared/domain-event.ts';
import { idempotencyFor, type KeyReused } from '../shared/idempotency.ts';
import type { Owner, ResourceId } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { ValidationFailed } from '../shared/validation.ts';
import type { WriteOptions } from '../shared/write-options.ts';
import { eraseBatch, walkFor } from './continue-erasures.ts';
import type { EmailErasure } from '../customers/erasure-repository.ts';
import { eraseCustomersOf } from './record-erasure.ts';

/** Error: the owner has no erasure by email with this id. */
export type ErasureNotFound = NotFound<'erasure_not_found'>;

/** How far an erasure by email is. It has no personal data. */
export type PresentedErasure = Pick<EmailErasure, 'id' | 'status'>;

/** The result of {@link erasePerson}. */
export interface ErasureWritten {
  readonly erasure: PresentedErasure;
  readonly replayed: boolean;
}

/** The errors of erasing a person by email. */
export type ErasePersonError = ValidationFailed | KeyReused | Unavailable;

/**
 * Erases a person by email, also a guest: the customer with the email, compared as uniqueness is, and each order whose buyer
 * or customer that is, in any kept version, as `eraseCustomer` does. `input` is `{ email }`. It is recorded when this returns, and done
 * if a batch of {@link continueErasures} has all of it. Until then what gets the email may be erased, too. A retry erases
 * nothing, and returns how far it is.
 */
export function erasePerson(
  ports: OrderPorts,
  owner: Owner,
  input: unknown,
  options: WriteOptions = {},
): ResultAsync<ErasureWritten, ErasePersonError> {
  // The user may be the person who is erased.
  const author = { ...readAuthor(options), external_user_id: null };
  const { erasures } = ports.customers;
  return parseCustomerSearch(input).asyncAndThen((email_key) => {
    const key = idempotencyFor(ports, options, 'erase_person', email_key);
    // No version has a snapshot, because it would have the email.
    const destination = { store: erasures, owner, key, missing: 'erasure_not_found', isErased: () => true } as const;
    const build = (customer: Customer | null) => {
      const now = currentTimestamp(ports.clock);
      const customer_id = customer && customer.id;
      const pending = { id: ports.ids.next(), status: 'pending', email_key, customer_id } as const;
      const after: EmailErasure = { ...pending, version: 1, created_at: now, updated_at: now };
      return { after, event: createEvent(ports.ids, owner, author, { type: 'erasure.requested', changed: [] }, after) };
    };
    return ports.customers
      .findByEmail(owner, email_key)
      .andThen((customer) => createAggregate(destination, () => build(customer)).mapErr(except('erasure_not_found')))
      .andThen(({ aggregate, replayed }) => {
        const written = ({ id, status }: PresentedErasure): ErasureWritten => ({ erasure: { id, status }, replayed });
        if (replayed) return okAsync(written(aggregate));
        // The erasure is recorded. What does not succeed now is done in the background.
        return eraseCustomersOf(ports, owner, { ...aggregate, email_key }, author)
          .andThen(() => ports.customers.findErasing(owner))
          .andThen((erasing) => {
            const own = erasing.filter(({ customer_id }) => customer_id === aggregate.customer_id);
            return eraseBatch(ports, owner, walkFor(own, [{ ...aggregate, email_key }]));
          })
          .map(({ after: next, passedOver }) =>
            written(next === null && passedOver.persons.size === 0 ? { ...aggregate, status: 'done' } : aggregate),
          )
          .orElse(() => okAsync(written(aggregate)));
      });
  });
}

/** The errors of reading an erasure by email. */
export type GetErasureError = ErasureNotFound | Unavailable;

/** Returns how far an erasure by email is. */
export function getErasure(
  ports: OrderPorts,
  owner: Owner,
  id: string | ResourceId,
): ResultAsync<PresentedErasure, GetErasureError> {
  return getAggregate(ports.customers.erasures, owner, id, 'erasure_not_found').map(({ id: found, status }) => ({
    id: found,
    status,
  }));
}
