import type { Result } from 'neverthrow';
import { BATCH_MAX } from '../aggregates/create-together.ts';
import { isIdempotencyKey } from '../shared/ids.ts';
import { PAGE_BYTES_MAX, utf8Bytes } from '../shared/page-bytes.ts';
import { fieldPath, InvalidFields, isPlainObject, readArray, type ValidationFailed } from '../shared/validation.ts';
import { ADJUSTMENTS_MAX } from './adjustment.ts';
import { ITEMS_MAX } from './line-item.ts';
import { CUSTOM_BYTES_MAX, toJson } from './order-custom.ts';
import { ORDER_FIELDS } from './order-fields.ts';
import { PAGE_ELEMENTS_MAX } from './order-page-size.ts';
import type { UntypedOrderInBatch } from './place-orders.ts';

/** Orders to place or to import together, each of which is not validated yet. */
export type OrderBatch =
  | { readonly imports: false; readonly orders: readonly UntypedOrderInBatch[] }
  | { readonly imports: true; readonly orders: readonly unknown[]; readonly asHistory: boolean };

/**
 * Parses a batch: `{ orders: [{ idempotency_key, order }] }` of new orders, each key once, or
 * `{ import: true, orders: [{ order }] }` of another system's, with `as_history` as in {@link ImportOrderOptions.asHistory}.
 * There are 1 to {@link BATCH_MAX}, with at most {@link PAGE_ELEMENTS_MAX} elements and {@link PAGE_BYTES_MAX} of fields,
 * custom data and metadata of items in all.
 */
export function parseOrderBatch(input: unknown): Result<OrderBatch, ValidationFailed> {
  const invalid = new InvalidFields();
  const members = invalid.readObject(input, ['orders', 'import', 'as_history']);
  const imports = readFlag(members, 'import', invalid);
  const asHistory = readFlag(members, 'as_history', invalid);
  if (asHistory && !imports) invalid.add('as_history', 'invalid_value', 'can be set only with import');
  const seen = new Set<unknown>();
  const orders =
    readArray(members['orders'], 'orders', 1, BATCH_MAX, 'order', invalid, (element, path) => {
      if (!isPlainObject(element)) return invalid.add(path, 'wrong_type', 'must be an object');
      const { order, idempotency_key: key } = element;
      invalid.rejectUnknownFields(element, imports ? ['order'] : ['order', 'idempotency_key'], path);
      if (!isPlainObject(order))
        invalid.add(fieldPath(path, 'order'), order === undefined ? 'required' : 'wrong_type', 'must be an object');
      if (imports) return { order };
      const at = fieldPath(path, 'idempotency_key');
      if (key === undefined || key === null) return invalid.add(at, 'required', 'is required');
      if (!isIdempotencyKey(key))
        return invalid.add(at, 'invalid_format', 'must have 1 to 255 visible ASCII characters');
      if (seen.has(key)) return invalid.add(at, 'invalid_value', 'must not repeat a key');
      seen.add(key);
      return { order, idempotencyKey: key };
    }) ?? [];
  if (orders.reduce((sum, { order }) => sum + elementsIn(order), 0) > PAGE_ELEMENTS_MAX)
    invalid.add('orders', 'too_long', `must have at most ${PAGE_ELEMENTS_MAX} items and adjustments in all`);
  else if (orders.reduce((sum, { order }) => sum + bytesIn(order), 0) > PAGE_BYTES_MAX)
    invalid.add(
      'orders',
      'too_long',
      `must have at most ${PAGE_BYTES_MAX} bytes of fields, custom and metadata of items in all`,
    );
  return invalid.toResult(
    imports ? { imports, orders: orders.map(({ order }) => order), asHistory } : { imports, orders },
  );
}

/** Elements and bytes of a part of a batch: no more than those of the largest new order, unless one order has more. */
const PART_MAX = { elements: ITEMS_MAX + ADJUSTMENTS_MAX, bytes: CUSTOM_BYTES_MAX };

/**
 * Returns the parts of a batch to store one after the other. To validate a part takes no longer than to validate the largest
 * new order, so that a program can do other work between them.
 */
export function partsOf(batch: OrderBatch): readonly OrderBatch[] {
  return batch.imports
    ? inParts(batch.orders, (order) => order).map((orders) => ({ ...batch, orders }))
    : inParts(batch.orders, ({ order }) => order).map((orders) => ({ ...batch, orders }));
}

function inParts<T>(orders: readonly T[], inputOf: (order: T) => unknown): readonly (readonly T[])[] {
  const parts: T[][] = [];
  let left = { elements: 0, bytes: 0 };
  for (const order of orders) {
    const [elements, bytes] = [elementsIn(inputOf(order)) + 1, bytesIn(inputOf(order))];
    if (elements > left.elements || bytes > left.bytes) {
      parts.push([]);
      left = PART_MAX;
    }
    parts.at(-1)?.push(order);
    left = { elements: left.elements - elements, bytes: left.bytes - bytes };
  }
  return parts;
}

function readFlag(members: Readonly<Record<string, unknown>>, name: string, invalid: InvalidFields): boolean {
  const flag = members[name];
  if (typeof flag === 'boolean' || flag === undefined || flag === null) return flag ?? false;
  invalid.add(name, 'wrong_type', 'must be a boolean');
  return false;
}

const SIZED = [...Object.keys(ORDER_FIELDS), 'custom'];

/** Returns the number of items, adjustments and items of fulfillments in the input of an order. */
function elementsIn(order: unknown): number {
  if (!isPlainObject(order)) return 0;
  const { items, adjustments, fulfillments } = order;
  const fulfilled = listOf(fulfillments).flatMap((each) => (isPlainObject(each) ? listOf(each['items']) : []));
  return listOf(items).length + listOf(adjustments).length + fulfilled.length;
}

/** Returns the bytes of objects and notes in the input of an order, and of the metadata of its items. */
function bytesIn(order: unknown): number {
  if (!isPlainObject(order)) return 0;
  const fields = SIZED.map((name) => order[name]);
  const metadata = listOf(order['items']).map((item) => (isPlainObject(item) ? item['metadata'] : undefined));
  return [...fields, ...metadata].reduce((sum: number, input) => sum + utf8Bytes(toJson(input) ?? ''), 0);
}

function listOf(input: unknown): readonly unknown[] {
  return Array.isArray(input) ? input : [];
}
