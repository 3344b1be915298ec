import type { OrderDefinition } from '@orders/domain';
import type { StoredItem } from '../tables/order-entity.ts';
import { type AnyOrder, toLineItem } from './order-row.ts';

/** Returns the order of a snapshot with these items; `null` when its items were purged. */
export type RestoreOrder = (snapshot: object, items: readonly StoredItem[] | null) => AnyOrder | null;

/** A snapshot, in which `null` holds the place of the items, which are stored elsewhere. */
type OrderSnapshot = Omit<AnyOrder, 'items'> & { readonly items: null };

/**
 * Returns the function that restores orders of a definition. A snapshot states what a write returned, so that its status
 * and times may be those of another definition. Members that were added since are null. A definition without custom data
 * has none in snapshots either, so that the size of a page does not depend on it.
 */
export function restoreOrderOf({ custom, noTimes }: OrderDefinition): RestoreOrder {
  const hasCustom = custom !== null;
  const added = { ...(hasCustom && { custom: null }), ...noTimes };
  const names = Object.keys(added);

  const complete = (snapshot: OrderSnapshot): OrderSnapshot => {
    if (!hasCustom && 'custom' in snapshot) {
      const { custom: _, ...others } = snapshot;
      return complete(others);
    }
    return names.every((name) => name in snapshot) ? snapshot : { ...snapshot, ...added, ...snapshot };
  };

  return (stored, items) => {
    if (!isOrderSnapshot(stored)) throw new Error('the snapshot of an order contains no order');
    const snapshot = complete(stored);
    if (!items) return null;
    const { currency } = snapshot.total;
    return { ...snapshot, items: items.map((item) => toLineItem(item, currency)) };
  };
}

function isOrderSnapshot(snapshot: object): snapshot is OrderSnapshot {
  return 'items' in snapshot && 'total' in snapshot;
}
