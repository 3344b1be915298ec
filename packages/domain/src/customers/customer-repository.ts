import type { Result, ResultAsync } from 'neverthrow';
import type { Timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { Idempotency, KeyReused } from '../shared/idempotency.ts';
import type { Page } from '../shared/page.ts';
import type { PageQuery } from '../shared/page-query.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { CustomerHasOrders, CustomerNotFound, EmailTaken } from './customer-errors.ts';
import type { CustomerEvent } from './customer-events.ts';
import type { Customer } from './customer.ts';

/** The decision of a command: the new customer and the event to record. Without an event, nothing is stored. */
export interface CustomerDecision {
  readonly customer: Customer;
  readonly event: CustomerEvent | null;
}

/** The result of a write. With `replayed`, the recorded result of the first write with the same idempotency key. */
export interface CustomerWritten {
  readonly customer: Customer;
  /** The recorded event; `null` if nothing changed, and for a replay, whose event was recorded by the first write. */
  readonly event: CustomerEvent | null;
  readonly replayed: boolean;
}

/** The result of a deletion; see {@link CustomerWritten}. */
export interface CustomerDeleted {
  readonly event: CustomerEvent | null;
  readonly replayed: boolean;
}

/**
 * Port: stores customers, with the guarantees of {@link OrderRepository}. An update never changes `id` and
 * `created_at`. The versions of a customer are read by retries only, and the deletion erases all of them at once. A retry
 * of an earlier write then returns {@link CustomerNotFound}; a retry of the deletion returns its recorded result.
 */
export interface CustomerRepository {
  /** Stores a new customer, at version 1, unless another customer of the owner has its {@link emailKey}. */
  insert(
    owner: Owner,
    created: { readonly customer: Customer; readonly event: CustomerEvent },
    idempotency?: Idempotency,
  ): ResultAsync<CustomerWritten, CustomerNotFound | EmailTaken | KeyReused | Unavailable>;

  /** Returns one customer of the owner. */
  find(owner: Owner, id: string): ResultAsync<Customer, CustomerNotFound | Unavailable>;

  /**
   * Returns one page in the sort order of the query. Customers with equal sort values are sorted by id, in the same
   * direction. A page ends at `limit` customers, or before the customer with whose metadata it would exceed
   * {@link PAGE_BYTES_MAX}. It has at least one customer if any matches.
   */
  list(owner: Owner, query: PageQuery): ResultAsync<Page<Customer, Timestamp>, Unavailable>;

  /**
   * Applies `change` to the newest version, and stores the decision if it has an event. `change` runs again on a newer
   * version if another write came in between, so that contention is never an error.
   */
  update<E>(
    owner: Owner,
    id: string,
    change: (customer: Customer) => Result<CustomerDecision, E>,
    idempotency?: Idempotency,
  ): ResultAsync<CustomerWritten, E | CustomerNotFound | EmailTaken | KeyReused | Unavailable>;

  /** Deletes a customer to whom no order refers, if `decide` returns an event for the newest version. */
  delete<E>(
    owner: Owner,
    id: string,
    decide: (customer: Customer) => Result<CustomerEvent, E>,
    idempotency?: Idempotency,
  ): ResultAsync<CustomerDeleted, E | CustomerNotFound | CustomerHasOrders | KeyReused | Unavailable>;
}
