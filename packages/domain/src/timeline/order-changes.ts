import type { Adjustment } from '../orders/adjustment.ts';
import { ERASED_MEMBERS } from '../orders/erase-order.ts';
import type { Fulfillment } from '../orders/fulfillment.ts';
import type { LineItem } from '../orders/line-item.ts';
import type { AnyOrder } from '../orders/order.ts';
import { isEqualJson } from '../shared/json-values.ts';
import type { Money } from '../shared/money.ts';
import { isPlainObject } from '../shared/validation.ts';

/** A value of an order that a version changed. */
export interface FieldChange {
  /** The member of the order. */
  readonly field: string;
  /** The member of an object, such as a key of the metadata; `null` for a change of the field as a whole. */
  readonly key: string | null;
  /** `null` for what was not set. */
  readonly before: unknown;
  /** `null` for what is not set. */
  readonly after: unknown;
}

/** How much of an item a version ordered, fulfilled, cancelled and returned. What it takes back is negative. */
export interface ItemChange extends Pick<LineItem, 'sku' | 'name'> {
  readonly item_id: string;
  /** The quantity of a new line; 0 for a line that the order had. */
  readonly ordered: number;
  readonly fulfilled: number;
  readonly cancelled: number;
  readonly returned: number;
}

/** The total before and after a version, and what the version charged or gave back besides items. */
export interface MoneyChange {
  /** `null` for a new order. */
  readonly before: Money | null;
  readonly after: Money;
  readonly adjustments: readonly Adjustment[];
}

/** What a version changed. */
export interface OrderChanges {
  /** Without lists and sums, which the other members are about. */
  readonly changes: readonly FieldChange[];
  /** The items whose quantities changed. */
  readonly items: readonly ItemChange[];
  /** `null` if neither the total nor the adjustments changed. */
  readonly money: MoneyChange | null;
  /** The fulfillments that were made or cancelled, as they were then. */
  readonly fulfillments: readonly Fulfillment[];
}

/** Nothing, as for a version of which nothing is known. */
export const NO_CHANGES = { items: [], money: null, fulfillments: [] } as const satisfies Partial<OrderChanges>;

/** The members that are no field with a value before and after. */
const OTHERS = new Set<string>([
  ...(['id', 'version', 'created_at', 'updated_at'] as const),
  ...(['items', 'adjustments', 'fulfillments', 'subtotal', 'total'] as const),
] satisfies (keyof AnyOrder)[]);

/** Returns what differs between an order, `null` before it was placed, and a later version of it. */
export function orderChanges(before: AnyOrder | null, after: AnyOrder): OrderChanges {
  const names = Object.keys({ ...before, ...after }).filter((name) => !OTHERS.has(name));
  return {
    changes: names.flatMap((field) => fieldChanges(field, memberOf(before, field), memberOf(after, field))),
    items: itemChanges(before?.items ?? [], after.items),
    money: moneyChange(before, after),
    fulfillments: newOrChanged(before?.fulfillments ?? [], after.fulfillments),
  };
}

/** Checks whether a field may have personal data, which an erasure removes. */
export function isPersonalField(field: string): boolean {
  return Object.hasOwn(ERASED_MEMBERS, field);
}

function memberOf(order: AnyOrder | null, name: string): unknown {
  return order && Object.hasOwn(order, name) ? Reflect.get(order, name) : null;
}

/** Compares objects by their members, and everything else as a whole. */
function fieldChanges(field: string, before: unknown, after: unknown): readonly FieldChange[] {
  if (isEqualJson(before, after)) return [];
  const [old, next] = [before ?? {}, after ?? {}];
  if (!isPlainObject(old) || !isPlainObject(next)) return [{ field, key: null, before, after }];
  const valueOf = (object: Readonly<Record<string, unknown>>, key: string) =>
    Object.hasOwn(object, key) ? (object[key] ?? null) : null;
  return [...new Set([...Object.keys(old), ...Object.keys(next)])].flatMap((key): readonly FieldChange[] => {
    const change = { field, key, before: valueOf(old, key), after: valueOf(next, key) };
    return isEqualJson(change.before, change.after) ? [] : [change];
  });
}

const NO_QUANTITIES = { quantity: 0, fulfilled_quantity: 0, cancelled_quantity: 0, returned_quantity: 0 };

function itemChanges(before: readonly LineItem[], after: readonly LineItem[]): readonly ItemChange[] {
  const known = new Map<string, typeof NO_QUANTITIES>(before.map((item) => [item.id, item]));
  return after.flatMap((item): readonly ItemChange[] => {
    const old = known.get(item.id) ?? NO_QUANTITIES;
    const quantities = {
      ordered: item.quantity - old.quantity,
      fulfilled: item.fulfilled_quantity - old.fulfilled_quantity,
      cancelled: item.cancelled_quantity - old.cancelled_quantity,
      returned: item.returned_quantity - old.returned_quantity,
    };
    if (Object.values(quantities).every((quantity) => quantity === 0)) return [];
    return [{ item_id: item.id, sku: item.sku, name: item.name, ...quantities }];
  });
}

function moneyChange(before: AnyOrder | null, after: AnyOrder): MoneyChange | null {
  const adjustments = newOrChanged(before?.adjustments ?? [], after.adjustments);
  if (before?.total.amount === after.total.amount && adjustments.length === 0) return null;
  return { before: before?.total ?? null, after: after.total, adjustments };
}

/** Returns the elements of a list that an earlier one has not, or has with other values. */
function newOrChanged<Element extends { readonly id: string }>(
  before: readonly Element[],
  after: readonly Element[],
): readonly Element[] {
  const known = new Map(before.map((element) => [element.id, element]));
  return after.filter((element) => !isEqualJson(known.get(element.id), element));
}
