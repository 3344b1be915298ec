import type { Result, ResultAsync } from 'neverthrow';
import type { Owner, ResourceId } from '../shared/ids.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { ChangeOptions } from '../shared/version.ts';
import { type AddedAdjustment, readAddedAdjustments } from './adjustment.ts';
import type { OrderCommand, OrderCommandRejected } from './apply-order-command.ts';
import { type NewLineItem, readItems } from './line-item.ts';
import type { DefaultDefinition, OrderDefinition } from './order-lifecycle.ts';
import type { OrderPorts, OrderWritten } from './order-repository.ts';
import { writeOrderCommand, type WriteOrderError } from './write-order.ts';

/** The errors of adding items to an order. */
export type AddItemsError<D extends OrderDefinition = DefaultDefinition> =
  | WriteOrderError<D>
  | OrderCommandRejected<'add_items'>;

/** The input of an addition. */
export interface AddedItems {
  /** The further lines, at least 1, in the currency of the order, which has at most {@link ITEMS_MAX} afterwards. */
  readonly items: readonly NewLineItem[];
  /** What is charged or given back because of them. Default: nothing. */
  readonly adjustments?: readonly AddedAdjustment[] | null | undefined;
}

/** Appends lines to an order, in any status but the cancel status, which it keeps. `input` is {@link AddedItems}. */
export function addItems(
  ports: OrderPorts,
  owner: Owner,
  id: string | ResourceId,
  input: unknown,
  options: ChangeOptions = {},
): ResultAsync<OrderWritten<OrderDefinition>, AddItemsError<OrderDefinition>> {
  return writeOrderCommand(ports, owner, id, 'add_items', parseAddition(input), options);
}

function parseAddition(input: unknown): Result<Omit<OrderCommand, 'name'>, ValidationFailed> {
  const invalid = new InvalidFields();
  const { items, adjustments } = invalid.readObject(input, ['items', 'adjustments']);
  const lines = readItems(items, 'items', invalid, false) ?? [];
  return invalid.toResult({ lines, adjustments: readAddedAdjustments(adjustments, lines.length, invalid) });
}
