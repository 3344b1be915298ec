import type { Result, ResultAsync } from 'neverthrow';
import type { Owner, ResourceId } from '../shared/ids.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { ChangeOptions } from '../shared/version.ts';
import { type FurtherAdjustment, readFurtherAdjustments } from './adjustment.ts';
import type { OrderCommand, OrderCommandRejected } from './apply-order-command.ts';
import type { DefaultDefinition, OrderDefinition } from './order-lifecycle.ts';
import { type ItemQuantity, type NewTracking, readSomeItems, readTracking } from './fulfillment.ts';
import type { OrderPorts, OrderWritten } from './order-repository.ts';
import { writeOrderCommand, type WriteOrderError } from './write-order.ts';

/** The errors of fulfilling items of an order. */
export type FulfillItemsError<D extends OrderDefinition = DefaultDefinition> =
  | WriteOrderError<D>
  | OrderCommandRejected<'fulfill_items'>;

/** The input of a fulfillment. */
export interface NewFulfillment {
  /** The quantities that left: 1 to {@link ITEMS_MAX}, each item once. Default: all that is neither fulfilled nor cancelled. */
  readonly items?: readonly ItemQuantity[] | undefined;
  /** How to follow the parcel. Default: unknown. */
  readonly tracking?: NewTracking | null | undefined;
  /** What is charged or given back because of it. Default: nothing. */
  readonly adjustments?: readonly FurtherAdjustment[] | null | undefined;
}

/** Records that items left, in any status but the cancel status, which it keeps. `input` is a {@link NewFulfillment}. */
export function fulfillItems(
  ports: OrderPorts,
  owner: Owner,
  id: string | ResourceId,
  input: unknown = {},
  options: ChangeOptions = {},
): ResultAsync<OrderWritten<OrderDefinition>, FulfillItemsError<OrderDefinition>> {
  return writeOrderCommand(ports, owner, id, 'fulfill_items', parseFulfillment(input), options);
}

function parseFulfillment(input: unknown): Result<Omit<OrderCommand, 'name'>, ValidationFailed> {
  const invalid = new InvalidFields();
  const { items, tracking, adjustments } = invalid.readObject(input, ['items', 'tracking', 'adjustments']);
  return invalid.toResult({
    ...(items !== undefined && { items: readSomeItems(items, invalid) }),
    tracking: readTracking(tracking, invalid),
    adjustments: readFurtherAdjustments(adjustments, 0, invalid),
  });
}
