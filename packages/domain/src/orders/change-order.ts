import { err, errAsync, ok, type Result, type ResultAsync } from 'neverthrow';
import { type ChangeOptions, onceFor, type Ports } from '../ports.ts';
import { timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { ValidationFailed } from '../shared/invalid.ts';
import { fingerprint, type KeyReused } from '../shared/once.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { applyOrderChange, type OrderChange, type OrderChangeRefused, parseOrderChange } from './order-change.ts';
import type { OrderNotFound, ReferenceTaken, VersionMismatch } from './order-errors.ts';
import { refuseUnknownCustomer, withOrderId } from './order-input.ts';
import type { OrderDecision, OrderWritten } from './order-repository.ts';
import type { Order } from './order.ts';

export type ChangeOrderError =
  | ValidationFailed
  | KeyReused
  | OrderNotFound
  | VersionMismatch
  | OrderChangeRefused
  | ReferenceTaken
  | Unavailable;

/**
 * Changes an order by a merge patch (RFC 7396): `status`, `customer_id`, `reference`, `note`, `metadata`, and
 * `cancel_reason` together with `status: 'cancelled'`. One command: applied whole or not at all, one event.
 */
export function changeOrder(
  ports: Ports,
  owner: Owner,
  id: string,
  patch: unknown,
  options: ChangeOptions = {},
): ResultAsync<OrderWritten, ChangeOrderError> {
  const change = parseOrderChange(patch);
  return change.isErr() ? errAsync(change.error) : writeOrderChange(ports, owner, id, change.value, options);
}

/** The one way an order changes, by whichever use case. */
export function writeOrderChange(
  ports: Ports,
  owner: Owner,
  orderId: string,
  change: OrderChange,
  options: ChangeOptions,
): ResultAsync<OrderWritten, ChangeOrderError> {
  return withOrderId(orderId, (id) =>
    ports.orders
      .update(
        owner,
        id,
        (order) => expectVersion(order, options).andThen(() => decide(ports, owner, order, change)),
        onceFor(ports, options, () => fingerprint('change_order', id, change)),
      )
      .mapErr(refuseUnknownCustomer),
  );
}

/** Refuses an order at a version that the caller did not want to act on (optimistic locking). */
export function expectVersion(order: Order, options: ChangeOptions): Result<null, VersionMismatch> {
  const { ifVersion, unlessVersion = [] } = options;
  const expected = ifVersion === undefined || ifVersion.includes(order.version);
  const unwanted = unlessVersion === 'any' || unlessVersion.includes(order.version);
  return expected && !unwanted ? ok(null) : err({ type: 'version_mismatch', current_version: order.version });
}

function decide(
  ports: Ports,
  owner: Owner,
  before: Order,
  change: OrderChange,
): Result<OrderDecision, OrderChangeRefused> {
  return applyOrderChange(before, change, timestamp(ports.clock)).map(({ order, event }) => ({
    order,
    event: event && {
      id: ports.ids.next(),
      type: event.type,
      owner,
      order_id: order.id,
      version: order.version,
      occurred_at: order.updated_at,
      changed: event.changed,
    },
  }));
}
