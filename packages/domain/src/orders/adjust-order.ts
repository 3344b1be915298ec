import type { Result, ResultAsync } from 'neverthrow';
import type { Owner, ResourceId } from '../shared/ids.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { ChangeOptions } from '../shared/version.ts';
import { type FurtherAdjustment, readFurtherAdjustments } from './adjustment.ts';
import type { OrderCommand, OrderCommandRejected } from './apply-order-command.ts';
import type { DefaultDefinition, OrderDefinition } from './order-lifecycle.ts';
import type { OrderPorts, OrderWritten } from './order-repository.ts';
import { writeOrderCommand, type WriteOrderError } from './write-order.ts';

/** The errors of adjusting an order. */
export type AdjustOrderError<D extends OrderDefinition = DefaultDefinition> =
  | WriteOrderError<D>
  | OrderCommandRejected<'adjust'>;

/** The input of an adjustment. */
export interface OrderAdjustments {
  /** 1 to {@link ADJUSTMENTS_MAX}. They are appended; a charge is reversed by a further one of the same type. */
  readonly adjustments: readonly FurtherAdjustment[];
}

/** Charges something besides the items of an order, or gives it back, in any status. `input` is {@link OrderAdjustments}. */
export function adjustOrder(
  ports: OrderPorts,
  owner: Owner,
  id: string | ResourceId,
  input: unknown,
  options: ChangeOptions = {},
): ResultAsync<OrderWritten<OrderDefinition>, AdjustOrderError<OrderDefinition>> {
  return writeOrderCommand(ports, owner, id, 'adjust', parseAdjustments(input), options);
}

function parseAdjustments(input: unknown): Result<Omit<OrderCommand, 'name'>, ValidationFailed> {
  const invalid = new InvalidFields();
  const { adjustments } = invalid.readObject(input, ['adjustments']);
  return invalid.toResult({ adjustments: readFurtherAdjustments(adjustments, 1, invalid) });
}
