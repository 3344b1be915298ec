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

/** What a command decided: the customer as it is to be, and the event to record; without one nothing is stored. */
export interface CustomerDecision {
  readonly customer: Customer;
  readonly event: CustomerEvent | null;
}

/** What a write did, now or, `replayed`, when its key was first used. */
export interface CustomerWritten {
  readonly customer: Customer;
  /** `null` when nothing changed, and for a replay: its event was recorded the first time. */
  readonly event: CustomerEvent | null;
  readonly replayed: boolean;
}

/** What a deletion did; see {@link CustomerWritten}. */
export interface CustomerDeleted {
  readonly event: CustomerEvent | null;
  readonly replayed: boolean;
}

/**
 * Port: keeps customers, with the promises of {@link OrderRepository}; an update never changes `id` and `created_at`.
 * One more: deleting a customer also erases the customer from the records of keys. A retry of such a write then gets
 * {@link CustomerNotFound}, and a retry of the deletion its replay.
 */
export interface CustomerRepository {
  /** Keeps a new customer, at version 1, if no other of the owner has its email by {@link emailKey}. */
  insert(
    owner: Owner,
    created: { readonly customer: Customer; readonly event: CustomerEvent },
    idempotency?: Idempotency,
  ): ResultAsync<CustomerWritten, CustomerNotFound | EmailTaken | KeyReused | Unavailable>;

  find(owner: Owner, id: string): ResultAsync<Customer, CustomerNotFound | Unavailable>;

  /**
   * One page in the query's order, equal sort values by id in the same direction. A page ends at `limit` customers, or
   * before the customer with whose metadata it would exceed {@link PAGE_BYTES_MAX}, but has at least one customer.
   */
  list(owner: Owner, query: PageQuery): ResultAsync<Page<Customer, Timestamp>, Unavailable>;

  /** Applies `change` to the newest version and keeps what it decides; it may run again, on a newer version. */
  update<E>(
    owner: Owner,
    id: string,
    change: (customer: Customer) => Result<CustomerDecision, E>,
    idempotency?: Idempotency,
  ): ResultAsync<CustomerWritten, E | CustomerNotFound | EmailTaken | KeyReused | Unavailable>;

  /** Removes the newest version if `judge` allows it and no order names the customer. */
  delete<E>(
    owner: Owner,
    id: string,
    decide: (customer: Customer) => Result<CustomerEvent, E>,
    idempotency?: Idempotency,
  ): ResultAsync<CustomerDeleted, E | CustomerNotFound | CustomerHasOrders | KeyReused | Unavailable>;
}
