import { err, ok, type Result } from 'neverthrow';
import { laterTimestamp, type Timestamp } from '../shared/clock.ts';
import type { IdSource } from '../shared/ids.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { only } from '../aggregates/write-aggregate.ts';
import {
  type Adjustment,
  type AdjustmentCommand,
  ADJUSTMENTS_MAX,
  createAdjustments,
  findWrongSign,
} from './adjustment.ts';
import type { ChangedOrder } from './order-kind.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import { type Fulfillment, FULFILLMENTS_MAX, type ItemQuantity, type Tracking } from './fulfillment.ts';
import { checkMetadataOf, ITEMS_MAX, type LineItem, type NewLineItem, priceLines, withQuantity } from './line-item.ts';
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
  TooManyItems,
} from './order-errors.ts';
import { availableOf, COMMAND_REJECTIONS, ORDER_RULES, type QuantityRule, rejectByStatus } from './order-rules.ts';
import { findForeignCurrency, totalsOf } from './order-total.ts';
import type { AnyOrder } from './order.ts';

/** A validated command on the adjustments, the list of items, or their quantities. Absent members are not set. */
export interface OrderCommand<Name extends keyof typeof COMMAND_REJECTIONS = keyof typeof COMMAND_REJECTIONS> {
  readonly name: Name;
  /** Default: all that is available. */
  readonly items?: readonly ItemQuantity[] | undefined;
  /** The lines that it appends. */
  readonly lines?: readonly NewLineItem[];
  /** Each with the id of an item, or an index of `lines`. */
  readonly adjustments?: readonly AdjustmentCommand<string | number>[];
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
  | TooManyItems
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
  const { name, lines = [], adjustments: added = [], tracking = null, reason = null } = command;
  const rule = ORDER_RULES[name];
  const at = laterTimestamp(order.updated_at, now);
  const refused = rejectByStatus(definition, order, rule, ['items']);
  if (refused?.type === 'order_not_modifiable') return err(refused);
  const mistaken = findMistaken(order, command);
  if (mistaken.isErr()) return err(mistaken.error);
  if (order.items.length + lines.length > ITEMS_MAX) return err({ type: 'too_many_items' });
  if (order.adjustments.length + added.length > ADJUSTMENTS_MAX) return err({ type: 'too_many_adjustments' });
  if (name === 'fulfill_items' && order.fulfillments.length === FULFILLMENTS_MAX)
    return err({ type: 'too_many_fulfillments' });

  const taken = mistaken.value?.items ?? command.items ?? everythingAvailable(order.items, rule.quantities);
  const changed =
    rule.quantities === null
      ? appendLines(order.items, lines, ids)
      : takeQuantities(order.items, rule.quantities, taken);
  if (changed.isErr()) return err(changed.error);
  const items = changed.value;
  if (name === 'cancel_items' && items.every(({ quantity, cancelled_quantity }) => cancelled_quantity === quantity))
    return err({ type: 'nothing_would_remain' });

  const adjustments = appendAdjustments(order, added, items, at, ids);
  const wrong = added.length === 0 ? undefined : findWrongSign(adjustments);
  if (wrong) {
    const { type: adjustment_type, item_id, included } = wrong;
    return err({ type: 'adjustment_sign', adjustment_type, item_id, included });
  }
  const totals = totalsOf(items, adjustments, order.total.currency);
  if (totals.isErr()) return err(totals.error);
  const { subtotal, total } = totals.value;
  const mismatch = findForeignCurrency(lines, added, order.total.currency);
  if (mismatch) return err(mismatch);

  const changes = {
    items,
    adjustments,
    fulfillments: changeFulfillments(order, name, { at, ids, mistaken: mistaken.value, taken, tracking }),
    subtotal: subtotal.amount === order.subtotal.amount ? order.subtotal : subtotal,
    total: total.amount === order.total.amount ? order.total : total,
  };
  const after = { ...order, ...changes, version: order.version + 1, updated_at: at };
  const event = { type: rule.event, changed: NAMES.filter((member) => changes[member] !== order[member]) };
  return checkLast(order, command).map(() => ({ order: after, event, reason }));
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

/** Returns the items with further lines. */
function appendLines(
  items: readonly LineItem[],
  lines: readonly NewLineItem[],
  ids: IdSource,
): Result<readonly LineItem[], AmountOutOfRange> {
  if (lines.length === 0) return ok(items);
  return priceLines(lines).map((priced) => [...items, ...priced.map((line) => ({ id: ids.next(), ...line }))]);
}

/** Returns the adjustments with further ones, some of which may belong to the last of `items`. */
function appendAdjustments(
  { items: before, adjustments }: AnyOrder,
  added: readonly AdjustmentCommand<string | number>[],
  items: readonly LineItem[],
  at: Timestamp,
  ids: IdSource,
): readonly Adjustment[] {
  if (added.length === 0) return adjustments;
  const idOf = (item: string | number) => (typeof item === 'string' ? item : (items[before.length + item]?.id ?? null));
  return [...adjustments, ...createAdjustments(added, idOf, ids, at)];
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

/** Rejects the ids of items that the order does not have, and too much metadata of all items, all together. */
function checkLast(
  { items }: AnyOrder,
  { items: taken = [], lines = [], adjustments = [] }: OrderCommand,
): Result<null, ValidationFailed> {
  const known = new Set(items.map(({ id }) => id));
  const invalid = new InvalidFields();
  const check = (id: string | number | null, path: string) => {
    if (typeof id === 'string' && !known.has(id))
      invalid.add(path, 'not_found', 'must be the id of an item of the order');
  };
  for (const [index, { item_id }] of taken.entries()) check(item_id, `items[${index}].item_id`);
  for (const [index, { item }] of adjustments.entries()) check(item, `adjustments[${index}].item_id`);
  if (lines.length > 0) checkMetadataOf([...items, ...lines], 'items', invalid);
  return invalid.toResult(null);
}
