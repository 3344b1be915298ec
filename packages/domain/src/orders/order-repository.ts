import type { Result, ResultAsync } from 'neverthrow';
import type { Timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { Idempotency, KeyReused } from '../shared/idempotency.ts';
import type { Page } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import type { OrderNotFound, ReferenceTaken, UnknownCustomer } from './order-errors.ts';
import type { OrderEvent } from './order-events.ts';
import type { ORDERS } from './order-lifecycle.ts';
import type { OrderQuery } from './order-query.ts';
import type { OrderVersion, OrderVersionQuery, VersionNotFound } from './order-version.ts';
import type { Order } from './order.ts';

/** The decision of a command: the new order and the event to record. Without an event, nothing is stored. */
export interface OrderDecision<D extends OrderDefinition = typeof ORDERS> {
  readonly order: Order<D>;
  readonly event: OrderEvent<D> | null;
}

/** The result of a write. With `replayed`, the recorded result of the first write with the same idempotency key. */
export interface OrderWritten<D extends OrderDefinition = typeof ORDERS> {
  readonly order: Order<D>;
  /** The recorded event; `null` if nothing changed, and for a replay, whose event was recorded by the first write. */
  readonly event: OrderEvent<D> | null;
  readonly replayed: boolean;
}

/** The result of a deletion; see {@link OrderWritten}. */
export interface OrderDeleted<D extends OrderDefinition = typeof ORDERS> {
  readonly event: OrderEvent<D> | null;
  readonly replayed: boolean;
}

/**
 * Port: stores orders. Every adapter guarantees, beyond the types:
 *
 * - A write is one transaction: it stores the order, its new version with the event, and the record of its idempotency
 *   key, or none of them.
 * - A write with `idempotency` looks up the key first. With the same fingerprint it returns the recorded result, even
 *   if the order has changed or been deleted since; with another fingerprint it returns {@link KeyReused}. Of
 *   concurrent writes with one key, one acts, and the others wait for it and return its result. Only success is
 *   recorded, including a decision that changes nothing.
 * - A call reads and changes only orders of its owner.
 * - Arguments and return values are copied: a caller that changes them does not change the store.
 * - A write returns what it stored. A decision without an event stores only the key, and its write returns the stored
 *   order. An update never changes `id`, `items`, `total` and `created_at`, even if the decision does.
 * - Each event makes one version of the order, whose number is one higher than the last. The deletion is the last
 *   version; all stay readable until they are purged. Callers pass times that never decrease.
 * - Ids are UUIDs, equal in upper and lower case (RFC 9562 section 4); they are stored and returned in lower case.
 * - A bug of the caller rejects the promise, stores nothing and releases every lock; no method throws synchronously.
 *   An exception in `change` or `decide` is a bug, and the promise rejects with it. So is a new order whose id exists, or
 *   belonged to a deleted order. So are an order or event whose version is not the next one, text with U+0000 or a lone
 *   surrogate, and a time that is not a {@link Timestamp}.
 */
export interface OrderRepository<D extends OrderDefinition = typeof ORDERS> {
  /** The definition of the orders that it stores, which `createDomain` compares with its own. Default: not compared. */
  readonly definition?: D | undefined;

  /**
   * Stores a new order, at version 1; never overwrites an order. Returns {@link UnknownCustomer} if its customer does
   * not exist, and otherwise {@link ReferenceTaken} if another order has its reference.
   */
  insert(
    owner: Owner,
    placed: { readonly order: Order<D>; readonly event: OrderEvent<D> },
    idempotency?: Idempotency,
  ): ResultAsync<OrderWritten<D>, ReferenceTaken | UnknownCustomer | KeyReused | Unavailable>;

  /** Returns one order of the owner. */
  find(owner: Owner, id: string): ResultAsync<Order<D>, OrderNotFound | Unavailable>;

  /**
   * Returns one page in the sort order of the query. Orders with equal sort values are sorted by id, in the same
   * direction. A page ends at `limit` orders, or before the order with which its items would exceed
   * {@link PAGE_ITEMS_MAX} or its notes and metadata {@link PAGE_BYTES_MAX}. It has at least one order if any matches.
   */
  list(owner: Owner, query: OrderQuery<D>): ResultAsync<Page<Order<D>, Timestamp>, Unavailable>;

  /**
   * Applies `change` to the newest version, and stores the decision if it has an event. `change` runs again on a newer
   * version if another write came in between, so that contention is never an error.
   */
  update<E>(
    owner: Owner,
    id: string,
    change: (order: Order<D>) => Result<OrderDecision<D>, E>,
    idempotency?: Idempotency,
  ): ResultAsync<OrderWritten<D>, E | OrderNotFound | ReferenceTaken | UnknownCustomer | KeyReused | Unavailable>;

  /** Deletes an order, in any status, if `decide` returns an event for its newest version. Frees its reference. */
  delete<E>(
    owner: Owner,
    id: string,
    decide: (order: Order<D>) => Result<OrderEvent<D>, E>,
    idempotency?: Idempotency,
  ): ResultAsync<OrderDeleted<D>, E | OrderNotFound | KeyReused | Unavailable>;

  /**
   * Returns one page of the versions of an order, newest first. With `at`, returns only the highest version that
   * occurred at that time or before it, if any. Returns {@link OrderNotFound} if the owner has no order with this id,
   * and no version of a deleted one. The position of a version consists of its number and the id of the order. A page
   * ends early as a page of orders does, for the orders of its versions. It has at least one version if any matches.
   */
  listVersions(
    owner: Owner,
    id: string,
    query: OrderVersionQuery,
  ): ResultAsync<Page<OrderVersion<D>, number>, OrderNotFound | Unavailable>;

  /**
   * Returns one version of an order. Its order has the same JSON text as the order that the write returned. Returns
   * {@link VersionNotFound} for every other number, such as 0, 1.5 and `NaN`.
   */
  findVersion(owner: Owner, id: string, version: number): ResultAsync<OrderVersion<D>, VersionNotFound | Unavailable>;
}
