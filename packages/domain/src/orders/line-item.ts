import { err, ok, type Result } from 'neverthrow';
import { fieldPath, INVALID_TEXT, type InvalidFields, isPlainObject, readArray } from '../shared/validation.ts';
import { type Metadata, readMetadata } from '../shared/metadata.ts';
import { type Money, readMoney, toExactMoney, UNIT_PRICE_MAX } from '../shared/money.ts';
import { utf8Bytes } from '../shared/page-bytes.ts';
import type { AmountOutOfRange } from './order-errors.ts';

/** Maximum number of items of an order. */
export const ITEMS_MAX = 100;
/** Maximum length of a SKU, in Unicode code points. */
export const SKU_LENGTH_MAX = 64;
/** Maximum length of an item's name, in Unicode code points. */
export const ITEM_NAME_LENGTH_MAX = 255;
/** Maximum number of metadata keys of an item. */
export const ITEM_METADATA_KEYS_MAX = 20;
/** Maximum length of a value in the metadata of an item, in Unicode code points. It has at least 1. */
export const ITEM_METADATA_VALUE_LENGTH_MAX = 255;
/** Maximum size of the metadata of all items of an order as JSON, in bytes. */
export const ITEMS_METADATA_BYTES_MAX = 16 * 1024;
/** Maximum quantity of an item. */
export const QUANTITY_MAX = 1_000_000;

/** One line of an order. Only its quantities that are fulfilled, cancelled and returned change, and its total. */
export interface LineItem {
  /** UUIDv7. */
  readonly id: string;
  readonly sku: string;
  readonly name: string;
  /** The quantity that was ordered. */
  readonly quantity: number;
  /** With `cancelled_quantity` at most `quantity`. */
  readonly fulfilled_quantity: number;
  readonly cancelled_quantity: number;
  /** At most `fulfilled_quantity`. */
  readonly returned_quantity: number;
  readonly unit_price: Money;
  /** `unit_price` times what of `quantity` is not cancelled. */
  readonly total: Money;
  /** The client's own values by key, at most {@link ITEM_METADATA_KEYS_MAX}. Business data, which must not be personal. */
  readonly metadata: Metadata;
}

/** A line to place or add, as the client sends it. */
export interface NewLineItem extends Pick<LineItem, 'sku' | 'name' | 'quantity' | 'unit_price'> {
  /** Default: none. */
  readonly metadata?: Metadata | null | undefined;
}

/** Reads the `items` of an order that `isNew`, or further ones, and reports every invalid field. */
export function readItems(
  input: unknown,
  path: string,
  invalid: InvalidFields,
  isNew: boolean,
): readonly NewLineItem[] | undefined {
  return readLines(input, path, invalid, (item, at) => readItem(item, at, invalid, { isNew }));
}

/** Reads the lines of an order, each by `read`, and checks the size of their metadata together. */
export function readLines<Line extends NewLineItem>(
  input: unknown,
  path: string,
  invalid: InvalidFields,
  read: (item: unknown, path: string) => Line | undefined,
): readonly Line[] | undefined {
  const lines = readArray(input, path, 1, ITEMS_MAX, 'item', invalid, read);
  checkMetadataOf(lines ?? [], path, invalid);
  return lines;
}

/** Checks the size of the metadata of all lines of an order together. */
export function checkMetadataOf(
  lines: readonly Pick<NewLineItem, 'metadata'>[],
  path: string,
  invalid: InvalidFields,
): void {
  const given = lines.flatMap(({ metadata }) => (Object.keys(metadata ?? {}).length > 0 ? [metadata] : []));
  const bytes = given.reduce((sum, metadata) => sum + utf8Bytes(JSON.stringify(metadata)), 0);
  if (bytes > ITEMS_METADATA_BYTES_MAX)
    invalid.add(path, 'too_long', `must have at most ${ITEMS_METADATA_BYTES_MAX} bytes of metadata as JSON in all`);
}

const METADATA_LIMITS = {
  keys: ITEM_METADATA_KEYS_MAX,
  valueMin: 1,
  valueMax: ITEM_METADATA_VALUE_LENGTH_MAX,
};

/** The members of an item that only the system sets, but for those of imported orders. */
export const ITEM_READ_ONLY = ['id', 'fulfilled_quantity', 'cancelled_quantity', 'returned_quantity', 'total'];

/** Reads a line of an order that `isNew`, exists or is imported, which may also have the members `others`, and reports every invalid field. */
export function readItem(
  input: unknown,
  path: string,
  invalid: InvalidFields,
  { isNew, others = [] }: { readonly isNew: boolean; readonly others?: readonly string[] },
): NewLineItem | undefined {
  if (!isPlainObject(input)) return invalid.add(path, 'wrong_type', 'must be an object');
  invalid.rejectUnknownFields(
    input,
    ['sku', 'name', 'quantity', 'unit_price', 'metadata', ...others],
    path,
    ITEM_READ_ONLY,
  );
  const sku = invalid.readText(input['sku'], fieldPath(path, 'sku'), 1, SKU_LENGTH_MAX) ?? INVALID_TEXT;
  const name = invalid.readText(input['name'], fieldPath(path, 'name'), 1, ITEM_NAME_LENGTH_MAX) ?? INVALID_TEXT;
  const quantity = invalid.readInteger(input['quantity'], fieldPath(path, 'quantity'), 1, QUANTITY_MAX) ?? 0;
  const unit_price = readMoney(input['unit_price'], fieldPath(path, 'unit_price'), 0, UNIT_PRICE_MAX, invalid, isNew);
  const metadata = readMetadata(input['metadata'], fieldPath(path, 'metadata'), invalid, METADATA_LIMITS) ?? {};
  // Absent without any, so that it is the same command.
  return unit_price && { sku, name, quantity, unit_price, ...(Object.keys(metadata).length > 0 && { metadata }) };
}

/** Computes the exact totals of lines. Returns an error if one exceeds 2^53-1 minor units. */
export function priceLines(lines: readonly NewLineItem[]): Result<readonly Omit<LineItem, 'id'>[], AmountOutOfRange> {
  const priced: Omit<LineItem, 'id'>[] = [];
  for (const [index, line] of lines.entries()) {
    const { sku, name, quantity, unit_price, metadata } = line;
    const total = toExactMoney(quantity * unit_price.amount, unit_price.currency);
    if (!total) return err({ type: 'amount_out_of_range', field: `items[${index}]` });
    priced.push({ sku, name, quantity, ...NOTHING_HAPPENED, unit_price, total, metadata: metadata ?? {} });
  }
  return ok(priced);
}

/** The quantities of a new line. */
const NOTHING_HAPPENED = { fulfilled_quantity: 0, cancelled_quantity: 0, returned_quantity: 0 };

/** Returns an item with another quantity of those that change, and its total. */
export function withQuantity(item: LineItem, name: keyof typeof NOTHING_HAPPENED, value: number): LineItem {
  const changed = { ...item, [name]: value };
  const amount = (changed.quantity - changed.cancelled_quantity) * changed.unit_price.amount;
  return amount === item.total.amount ? changed : { ...changed, total: { ...item.total, amount } };
}
