import type { Adjustment, AnyOrder, Fulfillment, LineItem } from '@orders/domain';
import { jsonText } from '../sql/statement.ts';
import type {
  StoredAdjustment,
  StoredFulfillment,
  StoredItem,
  StoredParts,
  StoredQuantities,
} from '../tables/order-entity.ts';
import type { ColumnValues } from '../writes/write-functions.ts';

/** What the parts of one version depend on. */
interface PartsOfVersion {
  readonly version: number;
  readonly currency: string;
  readonly quantities: readonly StoredQuantities[] | null;
  /** The number of items. Default: all. */
  readonly items?: number;
  /** The number of adjustments. Default: all. */
  readonly adjustments?: number;
  /** The number of fulfillments. Default: all. */
  readonly fulfillments?: number;
}

/** Returns the SQL expression for {@link StoredParts} in `row`, an order or the record of its deletion; null after an erasure. */
export function partsIn(row: string): string {
  return `case when ${row}.items is not null then json_build_object(
    'items', ${row}.items, 'adjustments', ${row}.adjustments, 'fulfillments', ${row}.fulfillments) end`;
}

/** Returns the members of an order that the parts of a version make. */
export function partsOf(
  stored: StoredParts,
  { version, currency, quantities, items: count, adjustments, fulfillments }: PartsOfVersion,
): Pick<AnyOrder, 'items' | 'adjustments' | 'fulfillments' | 'subtotal'> {
  const items = stored.items.slice(0, count).map((item, line) => toLineItem(item, quantities?.[line] ?? 0, currency));
  return {
    items,
    adjustments: (stored.adjustments ?? []).slice(0, adjustments).map((one) => toAdjustment(one, currency)),
    fulfillments: (stored.fulfillments ?? []).slice(0, fulfillments).map((one) => toFulfillment(one, version)),
    subtotal: { amount: items.reduce((sum, { total }) => sum + total.amount, 0), currency },
  };
}

function toLineItem(
  { id, sku, name, quantity, unit_amount, metadata }: StoredItem,
  quantities: StoredQuantities,
  currency: string,
): LineItem {
  const [fulfilled_quantity, cancelled_quantity, returned_quantity] = quantities || [0, 0, 0];
  return {
    id,
    sku,
    name,
    quantity,
    fulfilled_quantity,
    cancelled_quantity,
    returned_quantity,
    unit_price: { amount: unit_amount, currency },
    total: { amount: (quantity - cancelled_quantity) * unit_amount, currency },
    metadata: metadata ?? {},
  };
}

function toAdjustment(
  { id, type, name, amount, item_id, included, created_at }: StoredAdjustment,
  currency: string,
): Adjustment {
  const placed = { item_id: item_id ?? null, included: included ?? false, created_at };
  return { id, type, name, amount: { amount, currency }, ...placed };
}

function toFulfillment(
  { id, created_at, items, tracking, cancelled }: StoredFulfillment,
  version: number,
): Fulfillment {
  const cancelled_at = cancelled && cancelled[1] <= version ? cancelled[0] : null;
  return { id, created_at, items, tracking: tracking ?? null, cancelled_at };
}

/** Returns the column of the items of an order; `null` if none was added to those of `before`, which an update keeps. */
export function storedItems(items: readonly LineItem[], before: StoredParts | null): string | null {
  if (items.length === before?.items.length) return null;
  const stored = items.map(
    ({ id, sku, name, quantity, unit_price: { amount: unit_amount }, metadata }): StoredItem => ({
      id,
      sku,
      name,
      quantity,
      unit_amount,
      ...(Object.keys(metadata).length > 0 && { metadata }),
    }),
  );
  return jsonText(stored);
}

/** Returns the quantities of all items, in their order; `null` if nothing happened to any. */
export function storedQuantities(items: readonly LineItem[]): readonly StoredQuantities[] | null {
  const stored = items.map(
    ({ fulfilled_quantity: fulfilled, cancelled_quantity: cancelled, returned_quantity: returned }) =>
      fulfilled + cancelled + returned === 0 ? 0 : ([fulfilled, cancelled, returned] as const),
  );
  return stored.some((quantities) => quantities !== 0) ? stored : null;
}

/**
 * Returns the columns of the lists of an order. `null` is for an empty list, and for one that `before` has already: an
 * update keeps it, so that its bytes do not grow with the list.
 */
export function storedLists(
  { adjustments, fulfillments, version }: AnyOrder,
  before: StoredParts | null,
): ColumnValues {
  const known = new Map(before?.fulfillments?.map((one) => [one.id, one.cancelled]));
  const listed = fulfillments.map(({ id, created_at, items, tracking, cancelled_at }): StoredFulfillment => ({
    id,
    created_at,
    items,
    ...(tracking && { tracking }),
    ...(cancelled_at !== null && { cancelled: known.get(id) ?? [cancelled_at, version] }),
  }));
  return {
    adjustments: unlessKnown(adjustments.map(toStoredAdjustment), before?.adjustments),
    fulfillments: unlessKnown(listed, before?.fulfillments),
  };
}

function toStoredAdjustment({ id, type, name, amount, item_id, included, created_at }: Adjustment): StoredAdjustment {
  return {
    id,
    type,
    name,
    amount: amount.amount,
    created_at,
    ...(item_id !== null && { item_id }),
    ...(included && { included }),
  };
}

function unlessKnown(list: readonly object[], known: readonly object[] | null | undefined): string | null {
  if (list.length === 0) return null;
  const text = jsonText(list);
  return text === JSON.stringify(known) ? null : text;
}
