import type { Result, ResultAsync } from 'neverthrow';
import type { Owner, ResourceId } from '../shared/ids.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { ChangeOptions } from '../shared/version.ts';
import { type FurtherAdjustment, readFurtherAdjustments } from './adjustment.ts';
import type { OrderCommand, OrderCommandRejected } from './apply-order-command.ts';
import type { DefaultDefinition, OrderDefinition } from './order-lifecycle.ts';
import { type ItemQuantity, readItemQuantities } from './fulfillment.ts';
import type { OrderPorts, OrderWritten } from './order-repository.ts';
import { REASON_LENGTH_MAX } from './order.ts';
import { writeOrderCommand, type WriteOrderError } from './write-order.ts';

/** The errors of recording returned items. */
export type ReturnItemsError<D extends OrderDefinition = DefaultDefinition> =
  | WriteOrderError<D>
  | OrderCommandRejected<'return_items'>;

/** The input of a return. */
export interface ItemReturn {
  /** The quantities that came back: 1 to {@link ITEMS_MAX}, each item once. */
  readonly items: readonly ItemQuantity[];
  /** Kept with the version. Default: none. */
  readonly reason?: string | null | undefined;
  /** What is charged or given back because of it, such as a refund. Default: nothing; totals stay. */
  readonly adjustments?: readonly FurtherAdjustment[] | null | undefined;
}

/** Records that fulfilled items came back, in any status, which it keeps. `input` is an {@link ItemReturn}. */
export function returnItems(
  ports: OrderPorts,
  owner: Owner,
  id: string | ResourceId,
  input: unknown,
  options: ChangeOptions = {},
): ResultAsync<OrderWritten<OrderDefinition>, ReturnItemsError<OrderDefinition>> {
  return writeOrderCommand(ports, owner, id, 'return_items', parseReturn(input), options);
}

function parseReturn(input: unknown): Result<Omit<OrderCommand, 'name'>, ValidationFailed> {
  const invalid = new InvalidFields();
  const { items, reason, adjustments } = invalid.readObject(input, ['items', 'reason', 'adjustments']);
  return invalid.toResult({
    items: readItemQuantities(items, invalid),
    reason: invalid.readOptionalText(reason, 'reason', REASON_LENGTH_MAX) ?? null,
    adjustments: readFurtherAdjustments(adjustments, 0, invalid),
  });
}
