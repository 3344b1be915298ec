import type { Result, ResultAsync } from 'neverthrow';
import type { Timestamp } from '../shared/clock.ts';
import type { IdSource, Owner, ResourceId } from '../shared/ids.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type { ChangeOptions } from '../shared/version.ts';
import { withoutErrors } from '../aggregates/write-aggregate.ts';
import { type FurtherAdjustment, readFurtherAdjustments } from './adjustment.ts';
import { applyOrderChange, type OrderChangeRejected } from './apply-order-change.ts';
import type { ChangedOrder } from './order-kind.ts';
import { applyOrderCommand, type OrderCommand, type OrderCommandRejected } from './apply-order-command.ts';
import type { DefaultDefinition, OrderDefinition } from './order-lifecycle.ts';
import { type ItemQuantity, readSomeItems } from './fulfillment.ts';
import type { OrderChange } from './order-patch.ts';
import type { OrderPorts, OrderWritten } from './order-repository.ts';
import { type AnyOrder, REASON_LENGTH_MAX } from './order.ts';
import { OF_NEW_DETAILS, writeOrder, type WriteOrderError } from './write-order.ts';

/** The errors of cancelling an order or items of it. A definition may have statuses in which an order cannot be cancelled. */
export type CancelOrderError<D extends OrderDefinition = DefaultDefinition> =
  | WriteOrderError<D>
  | OrderChangeRejected<D>
  | OrderCommandRejected<'cancel_items'>;

/** The input of a cancellation: of the whole order, or of some items. */
export type Cancellation = {
  /** Reason for the cancellation. Default: none. That of items is kept with the version. */
  readonly reason?: string | null | undefined;
} &
  // Not `null`: a program that has lost its list must not cancel the whole order.
  (
    | { readonly items?: undefined; readonly adjustments?: null | undefined }
    | {
        /** The quantities to cancel: 1 to {@link ITEMS_MAX}, each item once. */
        readonly items: readonly ItemQuantity[];
        /** What is charged or given back because of it. Default: nothing. */
        readonly adjustments?: readonly FurtherAdjustment[] | null | undefined;
      }
  );

/** A validated cancellation: a change to the cancel status, or a command on items. */
type CancelCommand = OrderChange | OrderCommand<'cancel_items'>;

/**
 * Cancels an order, exactly as a change to the cancel status does, or quantities of its items, which keeps the status and
 * lowers the totals. `input` is a {@link Cancellation}.
 */
export function cancelOrder(
  ports: OrderPorts,
  owner: Owner,
  id: string | ResourceId,
  input: unknown = {},
  options: ChangeOptions = {},
): ResultAsync<OrderWritten<OrderDefinition>, CancelOrderError<OrderDefinition>> {
  const parsed = parseCancellation(input, ports.definition);
  const operation = parsed.isOk() && isOfItems(parsed.value) ? parsed.value.name : 'change_order';
  const decide = (before: AnyOrder, command: CancelCommand, now: Timestamp) =>
    applyCancellation(ports.definition, before, command, now, ports.ids);
  return withoutErrors(writeOrder(ports, owner, id, operation, parsed, options, decide), ...OF_NEW_DETAILS);
}

/** Cancels an order or quantities of its items, as {@link ORDER_RULES} allow, or rejects the command as a whole. */
function applyCancellation(
  definition: OrderDefinition,
  order: AnyOrder,
  command: CancelCommand,
  now: Timestamp,
  ids: IdSource,
): Result<ChangedOrder, OrderChangeRejected | OrderCommandRejected<'cancel_items'>> {
  return isOfItems(command)
    ? applyOrderCommand(definition, order, command, now, ids)
    : applyOrderChange(definition, order, command, now);
}

function isOfItems(command: CancelCommand): command is OrderCommand<'cancel_items'> {
  return 'name' in command;
}

function parseCancellation(input: unknown, { cancel }: OrderDefinition): Result<CancelCommand, ValidationFailed> {
  const invalid = new InvalidFields();
  const { reason, items, adjustments } = invalid.readObject(input, ['reason', 'items', 'adjustments']);
  const text = invalid.readOptionalText(reason, 'reason', REASON_LENGTH_MAX) ?? null;
  if (items !== undefined)
    return invalid.toResult({
      name: 'cancel_items',
      items: readSomeItems(items, invalid),
      reason: text,
      adjustments: readFurtherAdjustments(adjustments, 0, invalid),
    });
  if (adjustments !== undefined && adjustments !== null)
    invalid.add('adjustments', 'invalid_value', 'can be set only together with items');
  return invalid.toResult({ status: cancel, cancel_reason: text });
}
