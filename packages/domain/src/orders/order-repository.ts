import type { ResultAsync } from 'neverthrow';
import type { Timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { Page } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { AggregateStore } from '../aggregates/aggregate-store.ts';
import type { CustomerErased } from '../customers/customer-errors.ts';
import type { CustomerPorts } from '../customers/customer-repository.ts';
import type { DefaultDefinition, OrderDefinition } from './order-lifecycle.ts';
import type { OrderComment } from './order-comment.ts';
import type { OrderNotFound, ReferenceTaken, UnknownCustomer } from './order-errors.ts';
import type { OrderEvent } from './order-kind.ts';
import type { OrderQuery } from './order-query.ts';
import type { OrderVersion, OrderVersionQuery, VersionNotFound } from './order-version.ts';
import type { Order } from './order.ts';
import type { PresentedOrder } from './present-order.ts';

/** The result of a write. With `replayed`, the recorded result of the first write with the same idempotency key. */
export interface OrderWritten<D extends OrderDefinition = DefaultDefinition> {
  readonly order: PresentedOrder<D>;
  /** The recorded event; `null` if nothing changed, and for a replay, whose event was recorded by the first write. */
  readonly event: OrderEvent<D> | null;
  readonly replayed: boolean;
}

/** The result of a deletion; see {@link OrderWritten}. */
export interface OrderDeleted<D extends OrderDefinition = OrderDefinition> {
  readonly event: OrderEvent<D> | null;
  readonly replayed: boolean;
}

/**
 * Port: stores orders, with the guarantees of {@link AggregateStore}. It refuses an order whose customer the owner does not
 * have ({@link UnknownCustomer}), and otherwise one whose reference another order of the owner has
 * ({@link ReferenceTaken}), and one whose {@link newCustomerOf} must not be erased ({@link CustomerErased}), however the erasure of that
 * customer and the write overlap.
 *
 * Each event makes one version of the order, whose number is one higher than the last. The deletion is the last version. It
 * frees the reference; all versions stay readable until they are purged. Later versions of an order have the same
 * `created_at`, and the items, adjustments and fulfillments of earlier ones, to which further ones are appended; only
 * quantities and totals of items change, and `cancelled_at` of a fulfillment, once. Callers pass times that never decrease.
 *
 * A change that erases makes every earlier version as {@link withoutPersonalData} does.
 */
export interface OrderRepository<D extends OrderDefinition = DefaultDefinition> extends AggregateStore<
  Order<D>,
  OrderEvent<D>,
  ReferenceTaken | UnknownCustomer | CustomerErased
> {
  /** The definition of the orders that it stores. Default: the one that `createDomain` gets. */
  readonly definition?: D | undefined;

  /**
   * Returns one page in the sort order of the query. Orders with equal sort values are sorted by id, in the same
   * direction. A page ends at `limit` orders, or before the order with which its elements, as {@link elementsOf} counts
   * them, would exceed {@link PAGE_ELEMENTS_MAX} or its notes and metadata {@link PAGE_BYTES_MAX}. It has at least one order if any matches,
   * unless it looked at {@link SCANNED_ELEMENTS_MAX} before: see {@link scanningFilters}. Then its end is the last order that
   * it looked at.
   */
  list(owner: Owner, query: OrderQuery<D>): ResultAsync<Page<Order<D>, Timestamp>, Unavailable>;

  /**
   * Returns one page of the versions of an order, newest first, also after its deletion. With `at`, returns only the highest
   * version that occurred at that time or before it; an empty page if none did. Returns {@link OrderNotFound} if the
   * owner has no version of an order with this id. The position of a version consists of its number and the id of the
   * order. A page ends early as a page of orders does, for the orders of its versions. It has at least one version if any
   * matches.
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

  /**
   * Returns the orders of which a version has one of these persons, as {@link personsOf} returns them, deleted ones among
   * them: those of a batch of the owner's versions behind a position, in the order of their ids. `next` is the position of
   * the following batch; `null` for the last. An order is in no later batch than the first that it is returned with.
   */
  findOrdersOf(
    owner: Owner,
    persons: readonly string[],
    after: VersionPosition | null,
  ): ResultAsync<OrdersOfPersons, Unavailable>;

  /**
   * Returns the first comments of an order by id, after one of them or from the first on, also after its deletion. A change that
   * erases leaves them without text. Default: no order has any.
   */
  listComments?(
    owner: Owner,
    orderId: string,
    page: { readonly after: string | null; readonly limit: number },
  ): ResultAsync<readonly OrderComment[], Unavailable>;

  /** Does with every version of a deleted order what a change that erases does. Without one, nothing changes. */
  eraseDeleted(owner: Owner, id: string): ResultAsync<null, Unavailable>;
}

/** A position among the versions of all orders of an owner. */
export interface VersionPosition {
  /** Id of an order. */
  readonly id: string;
  readonly version: number;
}

/** A batch of orders of some persons. */
export interface OrdersOfPersons {
  readonly orders: readonly OrderOfPersons[];
  readonly next: VersionPosition | null;
}

/** An order of some persons. */
export interface OrderOfPersons {
  readonly id: string;
  /** The newest version, which may be the deletion. */
  readonly version: number;
  /** The time of the newest version if it is an erasure, or else `null`. */
  readonly erased_at: Timestamp | null;
  /** Those of the persons whom any of its versions has. */
  readonly persons: readonly string[];
  /** Those whom the newest version has. */
  readonly newest: readonly string[];
  /** Whether any version has {@link personalMembers} or a reason. */
  readonly isPersonal: boolean;
}

/** What the use cases of orders depend on: ports, and a definition that is known only when the program runs. */
export interface OrderPorts extends CustomerPorts {
  readonly orders: OrderRepository<OrderDefinition>;
  readonly definition: OrderDefinition;
}
