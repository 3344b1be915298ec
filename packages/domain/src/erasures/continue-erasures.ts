import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { changeAggregate, except } from '../aggregates/write-aggregate.ts';
import type { PersonErased } from '../customers/customer-repository.ts';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { applyErasure } from '../orders/erase-order.ts';
import type { OrderPorts, UnerasedOrder, VersionPosition } from '../orders/order-repository.ts';
import type { Order } from '../orders/order.ts';
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
}

/** What a batch of erasures has done and left to do. */
export interface ErasureProgress {
  /** The number of erasures that are done since. */
  readonly finished: number;
  /** What the next batch goes on with. `null` when no erasure of the owner is pending. */
  readonly next: ErasureWalk | null;
}

/**
 * Erases a batch of the orders of all customers of an owner whose erasure is pending, as the batch before returned it, by
 * default from the beginning. After the last batch of a walk these erasures are done. A batch may be repeated, also by
 * several processes at a time: an order that was erased last is left as it is.
 */
export function continueErasures(
  ports: OrderPorts,
  owner: Owner,
  walk: ErasureWalk | null = null,
): ResultAsync<ErasureProgress, Unavailable> {
  const begin = () =>
    ports.customers
      .findErasing(owner)
      .map((persons): ErasureWalk | null => (persons.length === 0 ? null : { persons, after: null }));
  if (walk === null) return begin().andThen((begun) => (begun ? continueErasures(ports, owner, begun) : ok(NOTHING)));
  const { persons } = walk;
  return eraseBatch(ports, owner, walk).andThen((after) =>
    after === null
      ? begin().map((next) => ({ finished: persons.length, next }))
      : ok({ finished: 0, next: { persons, after } }),
  );
}

const NOTHING: ErasureProgress = { finished: 0, next: null };

/** Erases a batch of a walk. Returns where the next one begins; `null` after the last, when the erasures are done. */
export function eraseBatch(
  ports: OrderPorts,
  owner: Owner,
  { persons, after }: ErasureWalk,
): ResultAsync<VersionPosition | null, Unavailable> {
  const erase = async (): Promise<Result<VersionPosition | null, Unavailable>> => {
    const found = await ports.orders.findUnerased(owner, persons, after);
    if (found.isErr()) return err(found.error);
    const { orders, next } = found.value;
    // Never earlier than the erasure of its customer, whatever the clocks: an import relies on it.
    const last = persons.map(({ erased_at }) => erased_at).reduce(laterTimestamp);
    for (const [index, order] of orders.entries()) {
      const again = { id: order.id, version: 0 };
      if (index === ORDERS_PER_BATCH) return ok(again);
      const erased = await eraseOrder(ports, owner, order, laterTimestamp(currentTimestamp(ports.clock), last));
      if (erased.isErr()) return err(erased.error);
      // The order has changed since it was found, and may have been erased: the next batch finds it again.
      if (!erased.value) return ok(again);
    }
    if (next !== null) return ok(next);
    return ports.customers.finishErasures(owner, persons);
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
  return changeAggregate(destination, id, (before: Order<OrderDefinition>) => {
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
