import type { Timestamp } from '../shared/clock.ts';
import { fieldPath, type InvalidFields, isPlainObject, readArray } from '../shared/validation.ts';
import { ITEMS_MAX, QUANTITY_MAX } from './line-item.ts';

/** Maximum number of fulfillments of an order, those that were cancelled among them. */
export const FULFILLMENTS_MAX = 100;
/** Maximum length of each member of {@link Tracking}, in Unicode code points. */
export const TRACKING_LENGTH_MAX = 255;

/** A quantity of one item. */
export interface ItemQuantity {
  readonly item_id: string;
  /** At least 1. */
  readonly quantity: number;
}

/** How to follow a parcel. `null` means not set. No member is checked, so show `url` as you show any text. */
export interface Tracking {
  readonly carrier: string | null;
  readonly number: string | null;
  readonly url: string | null;
}

/** Items that left together, such as a parcel. It is never removed, and changes only by its cancellation. */
export interface Fulfillment {
  /** UUIDv7. */
  readonly id: string;
  readonly created_at: Timestamp;
  /** Each item at most once. */
  readonly items: readonly ItemQuantity[];
  readonly tracking: Tracking | null;
  /** When it turned out to be a mistake; `null` if it did not. */
  readonly cancelled_at: Timestamp | null;
}

/** {@link Tracking} as the client sends it: at most {@link TRACKING_LENGTH_MAX} characters each. */
export type NewTracking = { readonly [Member in keyof Tracking]?: string | null | undefined };

/** Reads 1 to {@link ITEMS_MAX} quantities of items, each item once, and reports every invalid field. */
export function readItemQuantities(input: unknown, invalid: InvalidFields): readonly ItemQuantity[] {
  const seen = new Set<string>();
  const read = (one: unknown, path: string): ItemQuantity | undefined => {
    if (!isPlainObject(one)) return invalid.add(path, 'wrong_type', 'must be an object');
    invalid.rejectUnknownFields(one, ['item_id', 'quantity'], path);
    const item_id = readItemId(one['item_id'], fieldPath(path, 'item_id'), seen, invalid);
    const quantity = invalid.readInteger(one['quantity'], fieldPath(path, 'quantity'), 1, QUANTITY_MAX);
    return item_id === undefined || quantity === undefined ? undefined : { item_id, quantity };
  };
  return readArray(input, 'items', 1, ITEMS_MAX, 'item', invalid, read) ?? [];
}

function readItemId(input: unknown, path: string, seen: Set<string>, invalid: InvalidFields): string | undefined {
  if (input === undefined || input === null) return invalid.add(path, 'required', 'is required');
  const id = invalid.readUuid(input, path);
  if (id !== undefined && seen.has(id)) return invalid.add(path, 'invalid_value', 'must not repeat an item');
  if (id !== undefined) seen.add(id);
  return id;
}

/** Reads how to follow a parcel; `null` if nothing is set. */
export function readTracking(input: unknown, invalid: InvalidFields): Tracking | null {
  if (input === undefined || input === null) return null;
  if (!isPlainObject(input)) {
    invalid.add('tracking', 'wrong_type', 'must be an object');
    return null;
  }
  invalid.rejectUnknownFields(input, ['carrier', 'number', 'url'], 'tracking');
  const read = (name: keyof Tracking) =>
    invalid.readOptionalText(input[name], `tracking.${name}`, TRACKING_LENGTH_MAX) ?? null;
  const tracking = { carrier: read('carrier'), number: read('number'), url: read('url') };
  return Object.values(tracking).every((text) => text === null) ? null : tracking;
}
