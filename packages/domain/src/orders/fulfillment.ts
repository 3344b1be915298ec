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

/**
 * Reads 1 to {@link ITEMS_MAX} quantities of items, each item once, and reports every invalid field. `itemMembers` are
 * those that refer to an item, of which the first one that is set counts.
 */
export function readItemQuantities(
  input: unknown,
  invalid: InvalidFields,
  listPath = 'items',
  itemMembers: readonly string[] = ['item_id'],
  readId = (id: unknown, path: string): string | undefined => invalid.readUuid(id, path),
): readonly ItemQuantity[] {
  const seen = new Set<string>();
  const read = (one: unknown, path: string): ItemQuantity | undefined => {
    if (!isPlainObject(one)) return invalid.add(path, 'wrong_type', 'must be an object');
    invalid.rejectUnknownFields(one, [...itemMembers, 'quantity'], path);
    const member = itemMembers.find((name) => one[name] !== undefined && one[name] !== null) ?? 'item_id';
    const item_id = readItemId(one[member], fieldPath(path, member), seen, invalid, readId);
    const quantity = invalid.readInteger(one['quantity'], fieldPath(path, 'quantity'), 1, QUANTITY_MAX);
    return item_id === undefined || quantity === undefined ? undefined : { item_id, quantity };
  };
  return readArray(input, listPath, 1, ITEMS_MAX, 'item', invalid, read) ?? [];
}

/**
 * Reads quantities of some items, where no list means all items. `null` is no such list, because a program that has lost its
 * list must not change all of them.
 */
export function readSomeItems(input: unknown, invalid: InvalidFields): readonly ItemQuantity[] {
  if (input !== null) return readItemQuantities(input, invalid);
  invalid.add('items', 'wrong_type', 'must be an array, or absent');
  return [];
}

function readItemId(
  input: unknown,
  path: string,
  seen: Set<string>,
  invalid: InvalidFields,
  readId: (id: unknown, path: string) => string | undefined,
): string | undefined {
  if (input === undefined || input === null) return invalid.add(path, 'required', 'is required');
  const id = readId(input, path);
  if (id !== undefined && seen.has(id)) return invalid.add(path, 'invalid_value', 'must not repeat an item');
  if (id !== undefined) seen.add(id);
  return id;
}

/** Reads how to follow a parcel; `null` if nothing is set. */
export function readTracking(input: unknown, invalid: InvalidFields, path = 'tracking'): Tracking | null {
  if (input === undefined || input === null) return null;
  if (!isPlainObject(input)) {
    invalid.add(path, 'wrong_type', 'must be an object');
    return null;
  }
  invalid.rejectUnknownFields(input, ['carrier', 'number', 'url'], path);
  const read = (name: keyof Tracking) =>
    invalid.readOptionalText(input[name], `${path}.${name}`, TRACKING_LENGTH_MAX) ?? null;
  const tracking = { carrier: read('carrier'), number: read('number'), url: read('url') };
  return Object.values(tracking).every((text) => text === null) ? null : tracking;
}
