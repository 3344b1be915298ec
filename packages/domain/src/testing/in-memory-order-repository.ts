import { err, errAsync, ok, okAsync, type Result, ResultAsync } from 'neverthrow';
import type { OrderNotFound, ReferenceTaken, UnknownCustomer } from '../orders/order-errors.ts';
import type { OrderEvent } from '../orders/order-events.ts';
import { type OrderQuery, PAGE_ITEMS_MAX } from '../orders/order-query.ts';
import type { OrderDeleted, OrderRepository, OrderWritten } from '../orders/order-repository.ts';
import type { Order } from '../orders/order.ts';
import type { Owner } from '../shared/ids.ts';
import type { KeyReused, Once } from '../shared/once.ts';

/** An {@link OrderRepository} in memory, for tests and small embeddings: the same promises, gone with the process. */
export interface InMemoryOrderRepository extends OrderRepository {
  /** Every event recorded so far, oldest first. */
  events(): readonly OrderEvent[];
}

interface Recorded {
  readonly fingerprint: string;
  readonly expires_at: string;
  /** What the write left; `null` for a deletion. */
  readonly order: Order | null;
}

/** `customerExists` answers for the store of customers; without it there are none. */
export function inMemoryOrderRepository(
  customerExists: (owner: Owner, customerId: string) => boolean = () => false,
): InMemoryOrderRepository {
  const orders = new Map<Owner, Map<string, Order>>();
  const recorded = new Map<string, Recorded>();
  const events: OrderEvent[] = [];

  // Every method below runs to its end before another begins, which is what makes each of them one transaction.

  const ordersOf = (owner: Owner): Map<string, Order> => {
    const known = orders.get(owner);
    if (known) return known;
    const fresh = new Map<string, Order>();
    orders.set(owner, fresh);
    return fresh;
  };

  const recall = (owner: Owner, once: Once | undefined): Result<Recorded | null, KeyReused> => {
    const found = once && recorded.get(keyOf(owner, once.key));
    if (!found || found.expires_at <= once.now) return ok(null);
    return found.fingerprint === once.fingerprint ? ok(found) : err({ type: 'idempotency_key_reused' });
  };

  const record = (owner: Owner, once: Once | undefined, order: Order | null, event: OrderEvent | null): void => {
    if (event) events.push(structuredClone(event));
    if (!once) return;
    const { fingerprint, expires_at } = once;
    recorded.set(keyOf(owner, once.key), { fingerprint, expires_at, order: structuredClone(order) });
  };

  const refuseRow = (owner: Owner, order: Order): Result<null, ReferenceTaken | UnknownCustomer> => {
    if (order.customer_id !== null && !customerExists(owner, order.customer_id)) {
      return err({ type: 'unknown_customer' });
    }
    for (const other of ordersOf(owner).values()) {
      if (order.reference !== null && other.reference === order.reference && other.id !== order.id) {
        return err({ type: 'reference_taken', order_id: other.id });
      }
    }
    return ok(null);
  };

  const keep = (owner: Owner, order: Order, event: OrderEvent | null, once: Once | undefined): OrderWritten => {
    ordersOf(owner).set(order.id, structuredClone(order));
    record(owner, once, order, event);
    return { order: structuredClone(order), event, replayed: false };
  };

  const existing = (owner: Owner, id: string): Result<Order, OrderNotFound> => {
    const order = ordersOf(owner).get(id);
    return order ? ok(structuredClone(order)) : err({ type: 'order_not_found', id });
  };

  return {
    insert(owner, { order, event }, once) {
      const earlier = recall(owner, once);
      if (earlier.isErr()) return errAsync(earlier.error);
      if (earlier.value) return okAsync(replay(earlier.value));
      return settle(refuseRow(owner, order).map(() => keep(owner, order, event, once)));
    },

    find: (owner, id) => settle(existing(owner, id)),

    list(owner, query) {
      const found = [...ordersOf(owner).values()].filter((order) => matches(order, query)).toSorted(inOrderOf(query));
      const start = query.after ? found.findIndex((order) => isBehind(order, query)) : query.offset;
      const rest = start < 0 ? [] : found.slice(start);
      const data = rest.slice(0, lengthOfPage(rest, query.limit));
      const last = data.at(-1);
      const next = last && data.length < rest.length ? { value: sortValue(last, query), id: last.id } : null;
      return okAsync({ data: structuredClone(data), next });
    },

    update(owner, id, change, once) {
      const earlier = recall(owner, once);
      if (earlier.isErr()) return errAsync(earlier.error);
      if (earlier.value) return okAsync(replay(earlier.value));
      const order = existing(owner, id);
      if (order.isErr()) return errAsync(order.error);
      const decided = change(order.value);
      if (decided.isErr()) return errAsync(decided.error);
      const { order: after, event } = decided.value;
      return settle(refuseRow(owner, after).map(() => keep(owner, after, event, once)));
    },

    delete(owner, id, judge, once) {
      const earlier = recall(owner, once);
      if (earlier.isErr()) return errAsync(earlier.error);
      if (earlier.value) return okAsync<OrderDeleted, never>({ event: null, replayed: true });
      const order = existing(owner, id);
      if (order.isErr()) return errAsync(order.error);
      const judged = judge(order.value);
      if (judged.isErr()) return errAsync(judged.error);
      ordersOf(owner).delete(id);
      record(owner, once, null, judged.value);
      return okAsync<OrderDeleted, never>({ event: judged.value, replayed: false });
    },

    events: () => structuredClone(events),
  };
}

function settle<T, E>(result: Result<T, E>): ResultAsync<T, E> {
  return new ResultAsync(Promise.resolve(result));
}

function keyOf(owner: Owner, key: string): string {
  return JSON.stringify([owner, key]);
}

function replay({ order }: Recorded): OrderWritten {
  if (!order) throw new Error('a record without an order belongs to a deletion, whose fingerprint no other write has');
  return { order: structuredClone(order), event: null, replayed: true };
}

function matches(order: Order, { status, customer_id, reference }: OrderQuery): boolean {
  return (
    (status === null || status.includes(order.status)) &&
    (customer_id === null || order.customer_id === customer_id) &&
    (reference === null || order.reference === reference)
  );
}

function sortValue(order: Order, { sort }: OrderQuery): string {
  return sort.endsWith('created_at') ? order.created_at : order.updated_at;
}

function inOrderOf(query: OrderQuery): (left: Order, right: Order) => number {
  const direction = query.sort.startsWith('-') ? -1 : 1;
  return (left, right) => direction * compare([sortValue(left, query), left.id], [sortValue(right, query), right.id]);
}

function isBehind(order: Order, query: OrderQuery): boolean {
  if (!query.after) return true;
  const direction = query.sort.startsWith('-') ? -1 : 1;
  return direction * compare([sortValue(order, query), order.id], [query.after.value, query.after.id]) > 0;
}

function compare(left: readonly [string, string], right: readonly [string, string]): number {
  if (left[0] !== right[0]) return left[0] < right[0] ? -1 : 1;
  if (left[1] !== right[1]) return left[1] < right[1] ? -1 : 1;
  return 0;
}

function lengthOfPage(orders: readonly Order[], limit: number): number {
  let items = 0;
  for (const [index, order] of orders.entries()) {
    items += order.items.length;
    if (index === limit || (index > 0 && items > PAGE_ITEMS_MAX)) return index;
  }
  return orders.length;
}
