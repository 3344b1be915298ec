import { elementsOf, type OrderDefinition } from '@orders/domain';
import type { StoredQuantities } from '../tables/order-entity.ts';
import { type AnyOrder, partsOf, type StoredParts, storedQuantities } from './order-parts.ts';

/** Returns the order of a snapshot with the parts that are stored elsewhere; `null` when they were purged. */
export type RestoreOrder = (snapshot: object, parts: StoredParts | null) => AnyOrder | null;

/**
 * A snapshot. In place of the members that are stored elsewhere or follow from others, it has what the version needs of
 * them: the lists of an order only grow.
 */
interface OrderSnapshot extends Omit<AnyOrder, 'items' | 'adjustments' | 'fulfillments' | 'subtotal'> {
  readonly items: readonly StoredQuantities[] | null;
  readonly adjustments: number;
  readonly fulfillments: number;
  readonly subtotal: null;
  /** The number of those besides the items, as the domain counts them. Absent without any. */
  readonly elements?: number;
  /** The reason of the change. Absent without one. */
  readonly reason?: string;
}

/** Returns the snapshot of an order, whose size does not depend on its lists, with the reason of the change. */
export function toOrderSnapshot(order: AnyOrder, reason: string | null): object {
  const { items, adjustments, fulfillments } = order;
  const elements = elementsOf(order) - items.length;
  return {
    ...order,
    items: storedQuantities(items),
    adjustments: adjustments.length,
    fulfillments: fulfillments.length,
    subtotal: null,
    ...(elements > 0 && { elements }),
    ...(reason !== null && { reason }),
  } satisfies OrderSnapshot;
}

/** Returns the reason of the change that made a snapshot; `null` without one. */
export function reasonOf(snapshot: object): string | null {
  return 'reason' in snapshot && typeof snapshot.reason === 'string' ? snapshot.reason : null;
}

/**
 * Returns the function that restores orders of a definition. A snapshot states what a write returned, so that its status
 * and times may be those of another definition. Members that were added since are null. A definition without custom data
 * has none in snapshots either, so that the size of a page does not depend on it.
 */
export function restoreOrderOf({ custom, noTimes }: OrderDefinition): RestoreOrder {
  const hasCustom = custom !== null;
  const added = { ...(hasCustom && { custom: null }), ...noTimes };
  const names = Object.keys(added);

  const complete = (order: AnyOrder): AnyOrder => {
    if (!hasCustom && 'custom' in order) {
      const { custom: _, ...others } = order;
      return complete(others);
    }
    return names.every((name) => name in order) ? order : { ...order, ...added, ...order };
  };

  return (snapshot, parts) => {
    if (!isOrderSnapshot(snapshot)) throw new Error('the snapshot of an order contains no order');
    if (!parts) return null;
    const { elements: _, reason: __, ...members } = snapshot;
    const { version, total, items: quantities, adjustments, fulfillments } = snapshot;
    const { currency } = total;
    // A member keeps its place when it gets another value.
    return complete({
      ...members,
      ...partsOf(parts, { version, currency, quantities, adjustments, fulfillments }),
    });
  };
}

function isOrderSnapshot(snapshot: object): snapshot is OrderSnapshot {
  return 'items' in snapshot && 'total' in snapshot;
}
