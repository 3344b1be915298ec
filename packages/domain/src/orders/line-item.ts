import { err, ok, type Result } from 'neverthrow';
import { fieldPath, INVALID_TEXT, type InvalidFields, isPlainObject } from '../shared/validation.ts';
import type { IdSource } from '../shared/ids.ts';
import { type Money, readUnitPrice, toExactMoney } from '../shared/money.ts';
import type { AmountOutOfRange, CurrencyMismatch } from './order-errors.ts';

/** Maximum number of items of an order. */
export const ITEMS_MAX = 100;
/** Maximum length of a SKU, in Unicode code points. */
export const SKU_LENGTH_MAX = 64;
/** Maximum length of an item's name, in Unicode code points. */
export const ITEM_NAME_LENGTH_MAX = 255;
/** Maximum quantity of an item. */
export const QUANTITY_MAX = 1_000_000;

/** One line of an order. It never changes after the order is placed. */
export interface LineItem {
  /** UUIDv7. */
  readonly id: string;
  readonly sku: string;
  readonly name: string;
  readonly quantity: number;
  readonly unit_price: Money;
  /** `quantity` times `unit_price`. */
  readonly total: Money;
}

/** A line of a new order, as the client sends it. */
export type NewLineItem = Pick<LineItem, 'sku' | 'name' | 'quantity' | 'unit_price'>;

/** The lines of an order with their ids and totals, and the total of the order. */
export interface PricedItems {
  readonly items: readonly LineItem[];
  readonly total: Money;
}

/** Reads the `items` of a new order and reports every invalid field. */
export function readItems(input: unknown, path: string, invalid: InvalidFields): readonly NewLineItem[] | undefined {
  if (input === undefined || input === null) return invalid.add(path, 'required', 'is required');
  if (!Array.isArray(input)) return invalid.add(path, 'wrong_type', 'must be an array');
  if (input.length === 0) return invalid.add(path, 'too_short', 'must have at least 1 item');
  if (input.length > ITEMS_MAX) return invalid.add(path, 'too_long', `must have at most ${ITEMS_MAX} items`);
  // Array.from fills the holes of a sparse array, which flatMap would skip without reading them.
  return Array.from<unknown>(input).flatMap((item, index) => readItem(item, `${path}[${index}]`, invalid) ?? []);
}

function readItem(input: unknown, path: string, invalid: InvalidFields): NewLineItem | undefined {
  if (!isPlainObject(input)) return invalid.add(path, 'wrong_type', 'must be an object');
  invalid.rejectUnknownFields(input, ['sku', 'name', 'quantity', 'unit_price'], path, ['id', 'total']);
  const sku = invalid.readText(input['sku'], fieldPath(path, 'sku'), 1, SKU_LENGTH_MAX) ?? INVALID_TEXT;
  const name = invalid.readText(input['name'], fieldPath(path, 'name'), 1, ITEM_NAME_LENGTH_MAX) ?? INVALID_TEXT;
  const quantity = invalid.readInteger(input['quantity'], fieldPath(path, 'quantity'), 1, QUANTITY_MAX) ?? 0;
  const unit_price = readUnitPrice(input['unit_price'], fieldPath(path, 'unit_price'), invalid);
  return unit_price && { sku, name, quantity, unit_price };
}

/**
 * Computes the exact totals of the lines and of the order, and generates the ids of the lines. Returns an error if the
 * lines differ in currency, or if a total exceeds 2^53-1 minor units.
 */
export function priceItems(
  lines: readonly NewLineItem[],
  ids: IdSource,
): Result<PricedItems, CurrencyMismatch | AmountOutOfRange> {
  const currency = lines[0]?.unit_price.currency ?? '';
  const mismatch = lines.findIndex((line) => line.unit_price.currency !== currency);
  if (mismatch !== -1)
    return err({ type: 'currency_mismatch', currency, field: `items[${mismatch}].unit_price.currency` });
  const items: LineItem[] = [];
  for (const [index, line] of lines.entries()) {
    const total = toExactMoney(line.quantity * line.unit_price.amount, currency);
    if (!total) return err({ type: 'amount_out_of_range', field: `items[${index}]` });
    items.push({ id: ids.next(), ...line, total });
  }
  const total = toExactMoney(
    items.reduce((sum, item) => sum + item.total.amount, 0),
    currency,
  );
  return total ? ok({ items, total }) : err({ type: 'amount_out_of_range', field: 'items' });
}
