import { laterTimestamp, type Timestamp } from '../shared/clock.ts';
import type { IdSource } from '../shared/ids.ts';
import { idReader, readImportedTime } from '../shared/imported-values.ts';
import { type Money, readMoney } from '../shared/money.ts';
import { fieldPath, type InvalidFields, isPlainObject, readArray } from '../shared/validation.ts';
import { type Adjustment, readAdjustment, readAdjustments } from './adjustment.ts';
import { type Fulfillment, FULFILLMENTS_MAX, readItemQuantities, readTracking } from './fulfillment.ts';
import { ITEM_READ_ONLY, type LineItem, type NewLineItem, readItem, readLines } from './line-item.ts';
import type { AnyOrder } from './order.ts';

/** What all readers of an imported order share. */
export interface ImportContext {
  readonly ids: IdSource;
  readonly now: Timestamp;
  /** The order that has the values which the input lacks; `null` for new values. */
  readonly like: AnyOrder | null;
  readonly invalid: InvalidFields;
}

/** A line of an imported order. */
export interface ImportedLine extends NewLineItem {
  readonly id: string;
  /** `undefined` if the fulfillments alone state it. */
  readonly fulfilled_quantity: number | undefined;
  readonly cancelled_quantity: number;
  readonly returned_quantity: number;
  /** `undefined` if it is not stated. */
  readonly total: Money | undefined;
}

/** Reads the lines of an imported order. */
export function readImportedLines(input: unknown, { ids, like, invalid }: ImportContext): readonly ImportedLine[] {
  const readId = idReader(ids, invalid);
  let line = 0;
  const read = (item: unknown, path: string): ImportedLine | undefined => {
    const known = like?.items[line++]?.id;
    const ordered = readItem(item, path, invalid, { isNew: false, others: ITEM_READ_ONLY });
    if (!ordered || !isPlainObject(item)) return undefined;
    const readQuantity = (name: keyof LineItem) => {
      const quantity = item[name] ?? undefined;
      return quantity === undefined
        ? undefined
        : invalid.readInteger(quantity, fieldPath(path, name), 0, ordered.quantity);
    };
    return {
      ...ordered,
      id: readId(item['id'], fieldPath(path, 'id'), known),
      fulfilled_quantity: readQuantity('fulfilled_quantity'),
      cancelled_quantity: readQuantity('cancelled_quantity') ?? 0,
      returned_quantity: readQuantity('returned_quantity') ?? 0,
      total: readTotal(item['total'], fieldPath(path, 'total'), invalid),
    };
  };
  return readLines(input, 'items', invalid, read) ?? [];
}

/** Reads a total that may be stated; `undefined` if it is not. */
export function readTotal(input: unknown, path: string, invalid: InvalidFields): Money | undefined {
  if (input === undefined || input === null) return undefined;
  return readMoney(input, path, 0, Number.MAX_SAFE_INTEGER, invalid, false);
}

/** The members that refer to an item: by its id, or by its index in the input. */
const ITEM_MEMBERS = ['item_id', 'item'];

/** Returns a function that reads a reference to one of `lines`, and returns its id. */
function itemReader(lines: readonly ImportedLine[], invalid: InvalidFields) {
  const known = new Set(lines.map(({ id }) => id));
  return (input: unknown, path: string): string | undefined => {
    if (path.endsWith('.item')) {
      const index = invalid.readInteger(input, path, 0, lines.length - 1);
      return index === undefined ? undefined : lines[index]?.id;
    }
    const id = invalid.readUuid(input, path);
    if (id === undefined || known.has(id)) return id;
    return invalid.add(path, 'not_found', 'must be the id of an item of the order');
  };
}

/** Reads a time of an element of a list, which is not before that of the one before it. */
function timeReader({ now, invalid }: ImportContext, first: Timestamp) {
  let earliest = first;
  return (input: unknown, path: string): Timestamp => {
    earliest = readImportedTime(input, path, earliest, now, invalid) ?? earliest;
    return earliest;
  };
}

/** Reads the adjustments of an imported order, in the order in which they were made. */
export function readImportedAdjustments(
  input: unknown,
  lines: readonly ImportedLine[],
  createdAt: Timestamp,
  context: ImportContext,
): readonly Adjustment[] {
  const { ids, like, invalid } = context;
  const readId = idReader(ids, invalid);
  const readTime = timeReader(context, createdAt);
  const readLine = itemReader(lines, invalid);
  const form = { itemMembers: ITEM_MEMBERS, isNew: false, others: ['id', 'created_at'] };
  let place = 0;
  return readAdjustments(input, 0, invalid, (one, path): Adjustment | undefined => {
    const known = like?.adjustments[place++]?.id;
    const adjustment = readAdjustment(one, path, invalid, form, readLine);
    if (!adjustment || !isPlainObject(one)) return undefined;
    const { type, name, amount, item: item_id, included } = adjustment;
    const created_at = readTime(one['created_at'], fieldPath(path, 'created_at'));
    return { id: readId(one['id'], fieldPath(path, 'id'), known), type, name, amount, item_id, included, created_at };
  });
}

const FULFILLMENT_MEMBERS = ['id', 'created_at', 'items', 'tracking', 'cancelled_at'];

/** Reads the fulfillments of an imported order, in the order in which they were made. */
export function readImportedFulfillments(
  input: unknown,
  lines: readonly ImportedLine[],
  createdAt: Timestamp,
  context: ImportContext,
): readonly Fulfillment[] {
  if (input === undefined || input === null) return [];
  const { ids, like, now, invalid } = context;
  const readId = idReader(ids, invalid);
  const readTime = timeReader(context, createdAt);
  const readLine = itemReader(lines, invalid);
  let place = 0;
  const read = (one: unknown, path: string): Fulfillment | undefined => {
    const known = like?.fulfillments[place++]?.id;
    if (!isPlainObject(one)) return invalid.add(path, 'wrong_type', 'must be an object');
    invalid.rejectUnknownFields(one, FULFILLMENT_MEMBERS, path);
    const created_at = readTime(one['created_at'], fieldPath(path, 'created_at'));
    return {
      id: readId(one['id'], fieldPath(path, 'id'), known),
      created_at,
      items: readItemQuantities(one['items'], invalid, fieldPath(path, 'items'), ITEM_MEMBERS, readLine),
      tracking: readTracking(one['tracking'], invalid, fieldPath(path, 'tracking')),
      cancelled_at:
        readImportedTime(one['cancelled_at'], fieldPath(path, 'cancelled_at'), created_at, now, invalid) ?? null,
    };
  };
  return readArray(input, 'fulfillments', 0, FULFILLMENTS_MAX, 'fulfillment', invalid, read) ?? [];
}

/** Returns the fulfilled quantity of each line that the fulfillments make, and checks all quantities. */
export function checkQuantities(
  lines: readonly ImportedLine[],
  fulfillments: readonly Fulfillment[],
  invalid: InvalidFields,
): readonly number[] {
  const sums = new Map<string, number>();
  for (const { items, cancelled_at } of fulfillments)
    if (cancelled_at === null)
      for (const { item_id, quantity } of items) sums.set(item_id, (sums.get(item_id) ?? 0) + quantity);
  const isGone = ({ quantity, cancelled_quantity }: ImportedLine) => quantity > 0 && cancelled_quantity === quantity;
  if (lines.length > 0 && lines.every(isGone))
    invalid.add('items', 'invalid_value', 'must not all be cancelled: such an order has the status of a cancelled one');
  return lines.map((line, index) => {
    const fulfilled = sums.get(line.id) ?? 0;
    const path = `items[${index}]`;
    if ((line.fulfilled_quantity ?? fulfilled) !== fulfilled)
      invalid.add(`${path}.fulfilled_quantity`, 'invalid_value', `must be ${fulfilled}, the sum of the fulfillments`);
    if (fulfilled + line.cancelled_quantity > line.quantity)
      invalid.add(`${path}.quantity`, 'out_of_range', 'must be at least what is fulfilled and cancelled');
    if (line.returned_quantity > fulfilled)
      invalid.add(`${path}.returned_quantity`, 'out_of_range', `must be at most ${fulfilled}, what is fulfilled`);
    return fulfilled;
  });
}

/** Returns the latest time of what happened to an order. */
export function timesOfParts(
  adjustments: readonly Adjustment[],
  fulfillments: readonly Fulfillment[],
): readonly Timestamp[] {
  return [
    ...adjustments.map(({ created_at }) => created_at),
    ...fulfillments.map(({ created_at, cancelled_at }) => laterTimestamp(created_at, cancelled_at ?? created_at)),
  ];
}
