import type { Result, ResultAsync } from 'neverthrow';
import type { Owner, ResourceId } from '../shared/ids.ts';
import type { KeyReused } from '../shared/idempotency.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { ChangeOptions, VersionMismatch } from '../shared/version.ts';
import { except } from '../aggregates/write-aggregate.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import { writeOrderChange } from './change-order.ts';
import type { InvalidStatusTransition, OrderAlreadyCancelled, OrderNotFound } from './order-errors.ts';
import type { ORDERS } from './order-lifecycle.ts';
import type { OrderChange } from './order-patch.ts';
import type { OrderPorts, OrderWritten } from './order-repository.ts';
import { CANCEL_REASON_LENGTH_MAX } from './order.ts';

/** The errors of cancelling an order. A definition may have statuses in which an order cannot be cancelled. */
export type CancelOrderError<D extends OrderDefinition = typeof ORDERS> =
  | ValidationFailed
  | KeyReused
  | OrderNotFound
  | VersionMismatch
  | OrderAlreadyCancelled<D>
  | InvalidStatusTransition<D>
  | Unavailable;

/** The input of a cancellation. */
export interface Cancellation {
  /** Reason for the cancellation. Default: none. */
  readonly reason?: string | null | undefined;
}

/**
 * Cancels an order, exactly as a change to the cancel status does. `input` is a {@link Cancellation}.
 */
export function cancelOrder(
  ports: OrderPorts,
  owner: Owner,
  id: string | ResourceId,
  input: unknown = {},
  options: ChangeOptions = {},
): ResultAsync<OrderWritten<OrderDefinition>, CancelOrderError<OrderDefinition>> {
  const parsed = parseCancelOrder(input, ports.definition);
  return writeOrderChange(ports, owner, id, parsed, options).mapErr(except('order_not_modifiable', 'reference_taken'));
}

function parseCancelOrder(
  input: unknown,
  { cancel }: OrderDefinition,
): Result<OrderChange<OrderDefinition>, ValidationFailed> {
  const invalid = new InvalidFields();
  const { reason } = invalid.readObject(input, ['reason']);
  return invalid.toResult({
    status: cancel,
    cancel_reason: invalid.readOptionalText(reason, 'reason', CANCEL_REASON_LENGTH_MAX) ?? null,
  });
}
