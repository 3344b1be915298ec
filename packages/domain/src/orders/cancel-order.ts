import type { Result, ResultAsync } from 'neverthrow';
import type { Owner, ResourceId } from '../shared/ids.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { ChangeOptions } from '../shared/version.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import { type ChangeOrderError, writeOrderChange } from './change-order.ts';
import type { OrderChange } from './order-patch.ts';
import type { OrderPorts, OrderWritten } from './order-repository.ts';
import { CANCEL_REASON_LENGTH_MAX } from './order.ts';

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
): ResultAsync<OrderWritten<OrderDefinition>, ChangeOrderError<OrderDefinition>> {
  return writeOrderChange(ports, owner, id, parseCancelOrder(input, ports.definition), options);
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
