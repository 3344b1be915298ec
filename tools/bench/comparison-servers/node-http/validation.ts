import type { NewOrder } from '../shared/order.ts';
import type { InvalidField } from '../shared/problem.ts';

const REQUIRED = ['sku', 'name', 'quantity', 'unit_price'];

/** Validates the body of a new order by hand. Adds the invalid fields to `errors`. */
export function isNewOrder(body: unknown, errors: InvalidField[]): body is NewOrder {
  const reject = (field: string, code: string, message: string) => void errors.push({ field, message, code });
  if (!isObject(body)) {
    reject('', 'wrong_type', 'must be an object');
    return false;
  }
  const { items, customer_id, reference, note, metadata, ...unknown } = body;
  for (const field of Object.keys(unknown)) reject(field, 'unknown_field', 'is not a known field');
  if (!Array.isArray(items)) reject('items', 'wrong_type', 'must be an array');
  else if (items.length < 1 || items.length > 100) reject('items', 'out_of_range', 'must have 1 to 100 items');
  else for (const [index, item] of items.entries()) validateItem(item, `items[${index}]`, reject);
  if (customer_id !== undefined && customer_id !== null)
    reject('customer_id', 'not_found', 'must be the id of an existing customer');
  if (!isText(reference ?? '-', 1, 64)) reject('reference', 'too_long', 'must have 1 to 64 characters');
  if (!isText(note ?? '', 0, 2000)) reject('note', 'too_long', 'must have at most 2000 characters');
  if (!isObject(metadata ?? {})) reject('metadata', 'wrong_type', 'must be an object');
  else validateMetadata(Object.entries(metadata ?? {}), reject);
  return errors.length === 0;
}

type Reject = (field: string, code: string, message: string) => void;

function validateItem(item: unknown, path: string, reject: Reject): void {
  if (!isObject(item)) return reject(path, 'wrong_type', 'must be an object');
  for (const field of Object.keys(item)) {
    if (!REQUIRED.includes(field)) reject(`${path}.${field}`, 'unknown_field', 'is not a known field');
  }
  const { sku, name, quantity, unit_price } = item;
  if (!isText(sku, 1, 64)) reject(`${path}.sku`, sku === '' ? 'too_short' : 'too_long', 'must have 1 to 64 characters');
  if (!isText(name, 1, 255))
    reject(`${path}.name`, name === '' ? 'too_short' : 'too_long', 'must have 1 to 255 characters');
  if (!isInteger(quantity, 1, 1_000_000)) reject(`${path}.quantity`, 'out_of_range', 'must be from 1 to 1000000');
  if (!isObject(unit_price)) return reject(`${path}.unit_price`, 'wrong_type', 'must be an object');
  const { amount, currency } = unit_price;
  if (!isInteger(amount, 0, 10 ** 12)) reject(`${path}.unit_price.amount`, 'out_of_range', 'must be from 0 to 10^12');
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) {
    reject(`${path}.unit_price.currency`, 'invalid_value', 'must be a currency');
  }
}

function validateMetadata(entries: readonly (readonly [string, unknown])[], reject: Reject): void {
  if (entries.length > 50) reject('metadata', 'too_long', 'must have at most 50 keys');
  for (const [key, value] of entries) {
    if (!isText(key, 1, 40) || !isText(value, 0, 500)) reject(`metadata.${key}`, 'too_long', 'is too long');
  }
}

function isText(value: unknown, min: number, max: number): boolean {
  return typeof value === 'string' && value.length >= min && value.length <= max;
}

function isInteger(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
