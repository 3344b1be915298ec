import type { ResultAsync } from 'neverthrow';
import type { Clock, Timestamp } from '../shared/clock.ts';
import type { IdSource, Owner } from '../shared/ids.ts';
import type { Page } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { AggregateStore } from '../aggregates/aggregate-store.ts';
import type { Written } from '../aggregates/write-aggregate.ts';
import type { CustomerErased, CustomerHasOrders, EmailTaken } from './customer-errors.ts';
import type { CustomerEvent } from './customer-kind.ts';
import type { CustomerQuery } from './customer-query.ts';
import type { ErasureRepository } from './erasure-repository.ts';
import type { Customer } from './customer.ts';

/** The result of a write. With `replayed`, the recorded result of the first write with the same idempotency key. */
export interface CustomerWritten {
  readonly customer: Customer;
  /** The recorded event; `null` if nothing changed, and for a replay, whose event was recorded by the first write. */
  readonly event: CustomerEvent | null;
  readonly replayed: boolean;
}

/** Returns the result of a write of a customer. */
export function customerWritten({
  aggregate: customer,
  event,
  replayed,
}: Written<Customer, CustomerEvent>): CustomerWritten {
  return { customer, event, replayed };
}

/** The result of a deletion; see {@link CustomerWritten}. */
export interface CustomerDeleted {
  readonly event: CustomerEvent | null;
  readonly replayed: boolean;
}

/**
 * Port: stores customers, with the guarantees of {@link AggregateStore}. It refuses a customer whose {@link emailKey}
 * another one of the owner has ({@link EmailTaken}), the deletion of one to whom an order refers
 * ({@link CustomerHasOrders}), and otherwise that of an erased one ({@link CustomerErased}). Versions are read by retries only. The deletion erases all of them at once, and those that
 * a record of a key refers to are `null` from then on. A change that erases does the same to all earlier versions.
 */
export interface CustomerRepository extends AggregateStore<
  Customer,
  CustomerEvent,
  EmailTaken | CustomerHasOrders | CustomerErased
> {
  /**
   * Returns one page in the sort order of the query. Customers with equal sort values are sorted by id, in the same
   * direction. A page ends at `limit` customers, or before the customer with whose metadata it would exceed
   * {@link PAGE_BYTES_MAX}. It has at least one customer if any matches, unless it looked at {@link SCANNED_ELEMENTS_MAX}
   * before: see {@link scanningFilters}.
   */
  list(owner: Owner, query: CustomerQuery): ResultAsync<Page<Customer, Timestamp>, Unavailable>;

  /** Returns the customer with this {@link emailKey}, also one that was just written; `null` if the owner has none. */
  findByEmail(owner: Owner, key: string): ResultAsync<Customer | null, Unavailable>;

  /** The erasures by email. */
  readonly erasures: ErasureRepository;

  /** Returns at most {@link ERASING_MAX} customers whose erasure is pending. */
  findErasing(owner: Owner): ResultAsync<readonly PersonErased[], Unavailable>;

  /**
   * Makes the erasure of an erased customer `pending` at a time, or right after that of the request before, and returns it.
   * Without such a customer, returns `null`. Like the next method, it changes the current version, and adds none.
   */
  repeatErasure(owner: Owner, id: string, at: Timestamp): ResultAsync<PersonErased | null, Unavailable>;

  /**
   * Makes erasures `done`, but for those that were requested again since. That is no version: the work behind an erasure
   * changes nothing that was decided.
   */
  finishErasures(owner: Owner, persons: readonly PersonErased[]): ResultAsync<null, Unavailable>;
}

/** Maximum number of persons whose orders are erased together. */
export const ERASING_MAX = 1000;

/** Whose orders are to be erased: those of a customer, erased at that time. */
export interface PersonErased {
  readonly customer_id: string;
  readonly erased_at: Timestamp;
  /** Time of the last request: at first `erased_at`, and later with each further one. */
  readonly requested_at: Timestamp;
  /** Whether it was done before, so that only what orders still assigned to the customer have got since is left. */
  readonly isRepeated: boolean;
}

/** What the use cases of customers depend on. */
export interface CustomerPorts {
  readonly customers: CustomerRepository;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly idempotencyTtlMs?: number | undefined;
}
