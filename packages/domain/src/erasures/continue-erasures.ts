import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { changeAggregate, except } from '../aggregates/write-aggregate.ts';
import type { PersonErased } from '../customers/customer-repository.ts';
import { applyErasure } from '../orders/erase-order.ts';
import type { OrderPorts, UnerasedOrder, VersionPosition } from '../orders/order-repository.ts';
import { VERSION_MAX } from '../orders/order-version.ts';
import type { AnyOrder } from '../orders/order.ts';
import { currentTimestamp, laterTimestamp, type Timestamp } from '../shared/clock.ts';
import { createEvent } from '../shared/domain-event.ts';
import type { Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';

/** Maximum number of orders that a batch erases, so that it takes less than a second. */
const ORDERS_PER_BATCH = 50;

/** A walk over the versions of an owner, which erases the orders of several persons. */
export interface ErasureWalk {
  /** Those whose erasures were pending when the walk began. Later ones are for the next walk. */
  readonly persons: readonly PersonErased[];
  /** Where the next batch begins. `null` for the first. */
  readonly after: VersionPosition | null;
  /** What could not be erased. */
  readonly passedOver: PassedOver;
}

/** The orders that a walk has passed over, usually because another transaction locks them. */
interface PassedOver {
  /** The customers of these orders. Their erasures stay pending. */
  readonly customer_ids: ReadonlySet<string>;
  /** Why the last of them was passed over. */
  readonly cause: unknown;
}

const NONE: PassedOver = { customer_ids: new Set(), cause: null };

/** What a batch of erasures has done and left to do. */
export interface ErasureProgress {
  /** The number of erasures that are done since. */
  readonly finished: number;
  /** What the next batch goes on with. `null` when no erasure of the owner is pending. */
  readonly next: ErasureWalk | null;
  /** Why a walk that has ended passed orders over, to which the next walk returns. `null` if it did not, or goes on. */
  readonly passedOver: { readonly cause: unknown } | null;
}

/** Returns the walk that begins with some persons. */
export function walkFor(persons: readonly PersonErased[]): ErasureWalk {
  return { persons, after: null, passedOver: NONE };
}

/**
 * Erases a batch of the orders of all customers of an owner whose erasure is pending, as the batch before returned it, by
 * default from the beginning. After the last batch of a walk these erasures are done. A batch may be repeated, also by
 * several processes at a time: an order that was erased last is left as it is. An order that is locked delays the erasure of
 * its customers alone: the walk passes over it, and the next walk returns to it.
 */
export function continueErasures(
  ports: OrderPorts,
  owner: Owner,
  walk: ErasureWalk | null = null,
): ResultAsync<ErasureProgress, Unavailable> {
  const begin = () =>
    ports.customers
      .findErasing(owner)
      .map((persons): ErasureWalk | null => (persons.length === 0 ? null : walkFor(persons)));
  if (walk === null) return begin().andThen((begun) => (begun ? continueErasures(ports, owner, begun) : ok(NOTHING)));
  return eraseBatch(ports, owner, walk).andThen((left) => {
    if (left.after !== null) return ok({ finished: 0, next: left, passedOver: null });
    const { customer_ids, cause } = left.passedOver;
    const finished = left.persons.filter(({ customer_id }) => !customer_ids.has(customer_id)).length;
    return begin().map((next) => ({ finished, next, passedOver: customer_ids.size > 0 ? { cause } : null }));
  });
}

const NOTHING: ErasureProgress = { finished: 0, next: null, passedOver: null };

/**
 * Erases a batch of a walk, and returns what is left of it: `after` is `null` behind the last batch, when the erasures are
 * done but for those of orders that were passed over.
 */
export function eraseBatch(
  ports: OrderPorts,
  owner: Owner,
  { persons, after, passedOver }: ErasureWalk,
): ResultAsync<ErasureWalk, Unavailable> {
  const left = (next: VersionPosition | null): ErasureWalk => ({ persons, after: next, passedOver });
  const erase = async (): Promise<Result<ErasureWalk, Unavailable>> => {
    const found = await ports.orders.findUnerased(owner, persons, after);
    if (found.isErr()) return err(found.error);
    const { orders, next } = found.value;
    // Never earlier than the erasure of its customer, whatever the clocks: an import relies on it.
    const last = persons.map(({ erased_at }) => erased_at).reduce(laterTimestamp);
    for (const [index, order] of orders.entries()) {
      const again = { id: order.id, version: 0 };
      if (index === ORDERS_PER_BATCH) return ok(left(again));
      const erased = await eraseOrder(ports, owner, order, laterTimestamp(currentTimestamp(ports.clock), last));
      if (erased.isErr()) {
        // One wait for a lock is enough for a batch.
        const customer_ids = new Set([...passedOver.customer_ids, ...order.customer_ids]);
        const behind = { id: order.id, version: VERSION_MAX };
        return ok({ persons, after: behind, passedOver: { customer_ids, cause: erased.error.cause } });
      }
      // The order has changed since it was found, and may have been erased: the next batch finds it again.
      if (!erased.value) return ok(left(again));
    }
    if (next !== null) return ok(left(next));
    const finished = persons.filter(({ customer_id }) => !passedOver.customer_ids.has(customer_id));
    return ports.customers.finishErasures(owner, finished).map(() => left(null));
  };
  return new ResultAsync(erase());
}

/** Erases one order unless it has another version than the one that was found; returns whether it did. */
function eraseOrder(
  ports: OrderPorts,
  owner: Owner,
  { id, version }: UnerasedOrder,
  at: Timestamp,
): ResultAsync<boolean, Unavailable> {
  const destination = { store: ports.orders, owner, key: undefined, missing: 'order_not_found' } as const;
  return changeAggregate(destination, id, (before: AnyOrder) => {
    if (before.version !== version) return err({ type: 'precondition_failed' } as const);
    const { order, event } = applyErasure(before, at);
    return ok({ after: order, event: event && createEvent(ports.ids, owner, null, event, order), erases: true });
  })
    .map(() => true)
    .mapErr(except('idempotency_key_reused', 'reference_taken', 'unknown_customer', 'customer_erased'))
    .orElse((error) => {
      if (error.type === 'precondition_failed') return ok(false);
      // A deleted order has no next version: the deletion is the last one.
      if (error.type === 'order_not_found') return ports.orders.eraseDeleted(owner, id).map(() => true);
      return err(error);
    });
}
