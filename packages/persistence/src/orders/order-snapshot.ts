import { type AnyOrder, elementsOf, ORDER_FIELDS, type OrderDefinition } from '@orders/domain';
import type { StoredParts, StoredQuantities } from '../tables/order-entity.ts';
import { partsOf, storedQuantities } from './order-parts.ts';

/** Returns the order of a snapshot with the parts that are stored elsewhere; `null` when they were purged. */
export type RestoreOrder = (snapshot: object, parts: StoredParts | null) => AnyOrder | null;

/**
 * A snapshot. It lacks what is not set, and the members that are stored elsewhere or follow from others. It has what
 * the version needs of these: the lists of an order only grow. An order without any stores nothing of them.
 */
interface OrderSnapshot extends Omit<AnyOrder, 'items' | 'adjustments' | 'fulfillments' | 'subtotal'> {
  /**
   * The quantities of each item, or the number of items if nothing happened to any. They hold the place of the items,
   * adjustments and fulfillments among the members.
   */
  readonly items: readonly StoredQuantities[] | number;
  readonly charges?: {
    readonly adjustments: number;
    readonly fulfillments: number;
    /** The number of elements besides the items, as the domain counts them. */
    readonly elements: number;
  };
  /** The reason of the change. Absent without one. */
  readonly reason?: string;
}

/** Returns the snapshot of an order, whose size does not depend on its lists, with the reason of the change. */
export function toOrderSnapshot(order: AnyOrder, reason: string | null): object {
  const { adjustments, fulfillments, subtotal: _, ...members } = order;
  const elements = elementsOf(order) - order.items.length;
  const snapshot: Record<string, unknown> = {
    ...members,
    items: storedQuantities(order.items) ?? order.items.length,
    ...(elements > 0 && {
      charges: { adjustments: adjustments.length, fulfillments: fulfillments.length, elements },
    }),
    ...(reason !== null && { reason }),
  };
  for (const name of Object.keys(snapshot)) {
    const value = snapshot[name];
    if ((FIELDS.has(name) ? storedField(name, value) : value) === null) snapshot[name] = undefined;
  }
  return snapshot;
}

const FIELDS: ReadonlySet<string> = new Set(Object.keys(ORDER_FIELDS));

/** Returns the value of a field that clients set as it is stored: null for one that is not set, except for metadata. */
export function storedField(name: string, value: unknown): unknown {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return isEmpty && name !== 'metadata' ? null : value;
}

/** Returns the reason of the change that made a snapshot; `null` without one. */
export function reasonOf(snapshot: object): string | null {
  return 'reason' in snapshot && typeof snapshot.reason === 'string' ? snapshot.reason : null;
}

/**
 * Returns the function that restores orders of a definition. A snapshot states what a write returned, so that its status
 * and times may be those of another definition. Members that were added since are not set. A definition without custom data
 * has none in snapshots either, so that the size of a page does not depend on it.
 */
export function restoreOrderOf({ custom, unset }: OrderDefinition): RestoreOrder {
  return (snapshot, parts) => {
    if (!isOrderSnapshot(snapshot)) throw new Error('the snapshot of an order contains no order');
    if (!parts) return null;
    const { items: kept, charges = NO_CHARGES, reason: _, custom: own = null, ...members } = snapshot;
    const { version, total } = members;
    const items =
      typeof kept === 'number' ? { quantities: null, items: kept } : { quantities: kept, items: kept.length };
    const stored = partsOf(parts, { version, currency: total.currency, ...items, ...charges });
    return { ...unset, ...members, ...(custom !== null && { custom: own }), ...stored };
  };
}

const NO_CHARGES = { adjustments: 0, fulfillments: 0 };

function isOrderSnapshot(snapshot: object): snapshot is OrderSnapshot {
  return 'items' in snapshot && 'total' in snapshot;
}
