import { err, ok, type Result } from 'neverthrow';
import { laterTimestamp, type Timestamp } from '../shared/clock.ts';
import type { IdSource } from '../shared/ids.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { only } from '../aggregates/write-aggregate.ts';
import { type AdjustmentCommand, ADJUSTMENTS_MAX, createAdjustments, findWrongSign } from './adjustment.ts';
import type { ChangedOrder } from './order-kind.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import { type Fulfillment, FULFILLMENTS_MAX, type ItemQuantity, type Tracking } from './fulfillment.ts';
import { type LineItem, subtotalOf, withQuantity } from './line-item.ts';
import type {
  AdjustmentSign,
  AmountOutOfRange,
  CurrencyMismatch,
  FulfillmentAlreadyCancelled,
  FulfillmentNotFound,
  NegativeTotal,
  NothingWouldRemain,
  OrderNotModifiable,
  QuantityNotAvailable,
  TooManyAdjustments,
  TooManyFulfillments,
} from './order-errors.ts';
import { availableOf, COMMAND_REJECTIONS, ORDER_RULES, type QuantityRule, rejectByStatus } from './order-rules.ts';
import { findForeignCurrency, totalOf } from './order-total.ts';
import type { AnyOrder } from './order.ts';

/** A validated command on the adjustments, or on the quantities of items. Absent members are not set. */
export interface OrderCommand<Name extends keyof typeof COMMAND_REJECTIONS = keyof typeof COMMAND_REJECTIONS> {
  readonly name: Name;
  /** Default: all that is available. */
  readonly items?: readonly ItemQuantity[] | undefined;
  readonly adjustments?: readonly AdjustmentCommand<string>[];
  readonly tracking?: Tracking | null;
  readonly reason?: string | null;
  readonly fulfillment_id?: string;
}

/** The errors of a command of this name that the current order does not allow. */
export type OrderCommandRejected<Name extends OrderCommand['name']> = Extract<
  Rejected,
  { readonly type: (typeof COMMAND_REJECTIONS)[Name][number] }
>;

type Rejected =
  | TooManyAdjustments
  | AdjustmentSign
  | CurrencyMismatch
  | NegativeTotal
  | AmountOutOfRange
  | ValidationFailed
  | OrderNotModifiable
  | FulfillmentNotFound
  | FulfillmentAlreadyCancelled
  | TooManyFulfillments
  | QuantityNotAvailable
  | NothingWouldRemain;

/** Applies a command to an order, or rejects it as a whole. A pure function besides the new ids: `order` stays unchanged. */
export function applyOrderCommand<Name extends OrderCommand['name']>(
  definition: OrderDefinition,
  order: AnyOrder,
  command: OrderCommand<Name>,
  now: Timestamp,
  ids: IdSource,
): Result<ChangedOrder, OrderCommandRejected<Name>> {
  return decideOrderCommand(definition, order, command, now, ids).mapErr(
    only<(typeof COMMAND_REJECTIONS)[Name][number]>(COMMAND_REJECTIONS[command.name]),
  );
}

function decideOrderCommand(
  definition: OrderDefinition,
  order: AnyOrder,
  command: OrderCommand,
  now: Timestamp,
  ids: IdSource,
): Result<ChangedOrder, Rejected> {
  const { name, adjustments: added = [], tracking = null, reason = null } = command;
  const rule = ORDER_RULES[name];
  const at = laterTimestamp(order.updated_at, now);
  const refused = rejectByStatus(definition, order, rule, ['items']);
  if (refused?.type === 'order_not_modifiable') return err(refused);
  const mistaken = findMistaken(order, command);
  if (mistaken.isErr()) return err(mistaken.error);
  if (order.adjustments.length + added.length > ADJUSTMENTS_MAX) return err({ type: 'too_many_adjustments' });
  if (name === 'fulfill_items' && order.fulfillments.length === FULFILLMENTS_MAX)
    return err({ type: 'too_many_fulfillments' });

  const taken = mistaken.value?.items ?? command.items ?? everythingAvailable(order.items, rule.quantities);
  const changed = rule.quantities === null ? ok(order.items) : takeQuantities(order.items, rule.quantities, taken);
  if (changed.isErr()) return err(changed.error);
  const items = changed.value;
  if (name === 'cancel_items' && items.every(({ quantity, cancelled_quantity }) => cancelled_quantity === quantity))
    return err({ type: 'nothing_would_remain' });

  const mismatch = findForeignCurrency(added, order.total.currency);
  if (mismatch) return err(mismatch);
  const adjustments =
    added.length === 0 ? order.adjustments : [...order.adjustments, ...createAdjustments(added, (id) => id, ids, at)];
  const wrong = added.length === 0 ? undefined : findWrongSign(adjustments);
  if (wrong) {
    const { type: adjustment_type, item_id, included } = wrong;
    return err({ type: 'adjustment_sign', adjustment_type, item_id, included });
  }
  const subtotal = subtotalOf(items, order.total.currency);
  const total = totalOf(subtotal, adjustments);
  if (total.isErr()) return err(total.error);

  const changes = {
    items,
    adjustments,
    fulfillments: changeFulfillments(order, name, { at, ids, mistaken: mistaken.value, taken, tracking }),
    subtotal: subtotal.amount === order.subtotal.amount ? order.subtotal : subtotal,
    total: total.value.amount === order.total.amount ? order.total : total.value,
  };
  const after = { ...order, ...changes, version: order.version + 1, updated_at: at };
  const event = { type: rule.event, changed: NAMES.filter((member) => changes[member] !== order[member]) };
  return rejectUnknownItems(order, command).map(() => ({ order: after, event, reason }));
}

const NAMES = ['items', 'adjustments', 'fulfillments', 'subtotal', 'total'] as const;

/** Returns the fulfillment that a command cancels; `null` for any other command. */
function findMistaken(
  { fulfillments, version }: AnyOrder,
  { fulfillment_id: id }: OrderCommand,
): Result<Fulfillment | null, FulfillmentNotFound | FulfillmentAlreadyCancelled> {
  if (id === undefined) return ok(null);
  const found = fulfillments.find((fulfillment) => fulfillment.id === id);
  if (!found) return err({ type: 'fulfillment_not_found', id });
  const { cancelled_at } = found;
  return cancelled_at === null
    ? ok(found)
    : err({ type: 'fulfillment_already_cancelled', cancelled_at, current_version: version });
}

/** Returns all that a command may take; the first item with nothing if that is nothing, so that the command is rejected. */
function everythingAvailable(items: readonly LineItem[], rule: QuantityRule | null): readonly ItemQuantity[] {
  if (rule === null) return [];
  const all = items.map((item) => ({ item_id: item.id, quantity: availableOf(item, rule) }));
  const some = all.filter(({ quantity }) => quantity > 0);
  return some.length > 0 ? some : all.slice(0, 1).map(({ item_id }) => ({ item_id, quantity: 1 }));
}

/** Returns the items after a command took quantities of them. Unknown items are left out. */
function takeQuantities(
  items: readonly LineItem[],
  rule: QuantityRule,
  taken: readonly ItemQuantity[],
): Result<readonly LineItem[], QuantityNotAvailable> {
  const changed = new Map(items.map((item) => [item.id, item]));
  for (const { item_id, quantity } of taken) {
    const item = changed.get(item_id);
    if (!item) continue;
    const available = availableOf(item, rule);
    if (quantity > available) return err({ type: 'quantity_not_available', item_id, available });
    changed.set(item_id, withQuantity(item, rule.changes, item[rule.changes] + rule.by * quantity));
  }
  return ok([...changed.values()]);
}

function changeFulfillments(
  { fulfillments }: AnyOrder,
  name: OrderCommand['name'],
  {
    at,
    ids,
    mistaken,
    taken: items,
    tracking,
  }: {
    readonly at: Timestamp;
    readonly ids: IdSource;
    readonly mistaken: Fulfillment | null;
    readonly taken: readonly ItemQuantity[];
    readonly tracking: Tracking | null;
  },
): readonly Fulfillment[] {
  if (name === 'fulfill_items')
    return [...fulfillments, { id: ids.next(), created_at: at, items, tracking, cancelled_at: null }];
  if (!mistaken) return fulfillments;
  return fulfillments.map((fulfillment) =>
    fulfillment === mistaken ? { ...fulfillment, cancelled_at: at } : fulfillment,
  );
}

/** Rejects the ids of items that the order does not have, all together. */
function rejectUnknownItems(
  { items }: AnyOrder,
  { items: taken = [], adjustments = [] }: OrderCommand,
): Result<null, ValidationFailed> {
  const known = new Set(items.map(({ id }) => id));
  const invalid = new InvalidFields();
  const check = (id: string | null, path: string) => {
    if (id !== null && !known.has(id)) invalid.add(path, 'not_found', 'must be the id of an item of the order');
  };
  for (const [index, { item_id }] of taken.entries()) check(item_id, `items[${index}].item_id`);
  for (const [index, { item }] of adjustments.entries()) check(item, `adjustments[${index}].item_id`);
  return invalid.toResult(null);
}
