import { err, errAsync, ok, type Result, type ResultAsync } from 'neverthrow';
import type { Ports } from '../ports.ts';
import type { Owner } from '../shared/ids.ts';
import { InvalidFields, invalidField, isPlainObject, type ValidationFailed } from '../shared/validation.ts';
import type { ChangeOptions } from '../shared/version.ts';
import { type ChangeOrderError, writeOrderChange } from './change-order.ts';
import { type OrderChange, readCancelReason } from './order-patch.ts';
import type { OrderWritten } from './order-repository.ts';

/** Cancels an order: the same command as a change with `status: 'cancelled'`. `input` may hold a `reason`. */
export function cancelOrder(
  ports: Ports,
  owner: Owner,
  id: string,
  input: unknown = {},
  options: ChangeOptions = {},
): ResultAsync<OrderWritten, ChangeOrderError> {
  const change = parseCancelOrder(input);
  return change.isErr() ? errAsync(change.error) : writeOrderChange(ports, owner, id, change.value, options);
}

function parseCancelOrder(input: unknown): Result<OrderChange, ValidationFailed> {
  if (!isPlainObject(input)) return err(invalidField('', 'wrong_type', 'must be an object'));
  const invalid = new InvalidFields();
  invalid.onlyKnown(input, ['reason']);
  const cancel_reason = readCancelReason(input['reason'], 'reason', invalid) ?? null;
  return invalid.failure ? err(invalid.failure) : ok({ status: 'cancelled', cancel_reason });
}
