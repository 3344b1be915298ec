import type { Result, ResultAsync } from 'neverthrow';
import type { Timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { Idempotency, KeyReused } from '../shared/idempotency.ts';
import type { Page } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { OrderNotFound, ReferenceTaken, UnknownCustomer } from './order-errors.ts';
import type { OrderEvent } from './order-events.ts';
import type { OrderQuery } from './order-query.ts';
import type { Order } from './order.ts';

/** What a command decided: the order as it is to be, and the event to record; without an event nothing is stored. */
export interface OrderDecision {
  readonly order: Order;
  readonly event: OrderEvent | null;
}

/** What a write did, now or, `replayed`, when its key was first used. */
export interface OrderWritten {
  readonly order: Order;
  /** `null` when nothing changed, and for a replay: its event was recorded the first time. */
  readonly event: OrderEvent | null;
  readonly replayed: boolean;
}

/** What a deletion did; see {@link OrderWritten}. */
export interface OrderDeleted {
  readonly event: OrderEvent | null;
  readonly replayed: boolean;
}

/**
 * Port: keeps orders. What every adapter promises beyond the types:
 *
 * - A write is one transaction: the order, its event and the record of its key are all kept, or none.
 * - With `idempotency`, the recorded key is looked at before anything else. The same fingerprint is answered with the recorded
 *   result, whatever became of the order since; another one with {@link KeyReused}. Of concurrent calls with one key,
 *   one acts and the others wait and replay. Only success is recorded, a decision without a change too.
 * - Calls see and touch the orders of their owner alone.
 * - What is handed in or out is the caller's to keep: changing it changes nothing here.
 * - A write returns what it stored. A decision without an event stores nothing but the key, so that its write returns the
 *   stored order. An update never changes `id`, `items`, `total` and `created_at`, whatever is decided about them.
 * - Ids are UUIDs, equal in upper and lower case (RFC 9562 section 4); they are stored and returned in lower case.
 * - What only a bug can cause rejects the promise, leaves everything as it was and holds on to nothing; no method throws
 *   at once. Bugs are: an exception in `change` or `judge`, with which the promise then rejects; a new order whose id
 *   exists; text with U+0000 or a lone surrogate; and a time that is no {@link Timestamp}.
 */
export interface OrderRepository {
  /**
   * Keeps a new order, at version 1, and never overwrites one. Its customer exists and, checked next, its reference is
   * free, or it is refused.
   */
  insert(
    owner: Owner,
    placed: { readonly order: Order; readonly event: OrderEvent },
    idempotency?: Idempotency,
  ): ResultAsync<OrderWritten, ReferenceTaken | UnknownCustomer | KeyReused | Unavailable>;

  find(owner: Owner, id: string): ResultAsync<Order, OrderNotFound | Unavailable>;

  /**
   * One page in the query's order, equal sort values by id in the same direction. A page ends at `limit` orders, or
   * before the order with which its items would exceed {@link PAGE_ITEMS_MAX} or its notes and metadata
   * {@link PAGE_BYTES_MAX}, but has at least one order.
   */
  list(owner: Owner, query: OrderQuery): ResultAsync<Page<Order, Timestamp>, Unavailable>;

  /**
   * Applies `change` to the newest version and keeps what it decides, if that has an event. `change` may run again, on a newer version, when
   * another write came in between; contention is never an answer.
   */
  update<E>(
    owner: Owner,
    id: string,
    change: (order: Order) => Result<OrderDecision, E>,
    idempotency?: Idempotency,
  ): ResultAsync<OrderWritten, E | OrderNotFound | ReferenceTaken | UnknownCustomer | KeyReused | Unavailable>;

  /** Removes the newest version if `judge` allows it, in any status; its reference is free again. */
  delete<E>(
    owner: Owner,
    id: string,
    decide: (order: Order) => Result<OrderEvent, E>,
    idempotency?: Idempotency,
  ): ResultAsync<OrderDeleted, E | OrderNotFound | KeyReused | Unavailable>;
}
