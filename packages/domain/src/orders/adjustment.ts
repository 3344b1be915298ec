import type { Timestamp } from '../shared/clock.ts';
import type { IdSource } from '../shared/ids.ts';
import { type Money, readMoney } from '../shared/money.ts';
import { fieldPath, INVALID_TEXT, type InvalidFields, isPlainObject, readArray } from '../shared/validation.ts';

/** Maximum number of adjustments of an order. */
export const ADJUSTMENTS_MAX = 100;
/** Maximum length of an adjustment's name, in Unicode code points. */
export const ADJUSTMENT_NAME_LENGTH_MAX = 255;
/** Maximum amount of an adjustment, of either sign, in minor units. */
export const ADJUSTMENT_AMOUNT_MAX = 1_000_000_000_000;

/** What an order is charged for besides its items, or given back. */
export const ADJUSTMENT_TYPES = Object.freeze(['discount', 'shipping', 'tax', 'fee', 'refund', 'other'] as const);
/** One of {@link ADJUSTMENT_TYPES}. */
export type AdjustmentType = (typeof ADJUSTMENT_TYPES)[number];

/**
 * The sign that the amounts of each type have: -1 for at most 0, 1 for at least 0, 0 for any. After the order is placed, the
 * sum of a type's amounts has the sign, so that a charge can be reversed.
 */
export const ADJUSTMENT_SIGNS: Readonly<Record<AdjustmentType, -1 | 0 | 1>> = Object.freeze({
  discount: -1,
  shipping: 1,
  tax: 1,
  fee: 1,
  refund: -1,
  other: 0,
});

/** One charge or reduction of an order. It never changes and is never removed; a further one may reverse it. */
export interface Adjustment {
  /** UUIDv7. */
  readonly id: string;
  readonly type: AdjustmentType;
  readonly name: string;
  /** In the currency of the order. */
  readonly amount: Money;
  /** Id of the item that it belongs to; `null` if it belongs to the order. */
  readonly item_id: string | null;
  /** Whether the prices contain it already, so that it is shown, but not added to the total. Only a tax can be. */
  readonly included: boolean;
  readonly created_at: Timestamp;
}

/** The members of an adjustment's input besides the item. */
type AdjustmentOf<Type extends AdjustmentType> = {
  /** 1 to {@link ADJUSTMENT_NAME_LENGTH_MAX} characters. */
  readonly name: string;
  /** At most {@link ADJUSTMENT_AMOUNT_MAX} minor units of either sign, in the currency of the order. */
  readonly amount: Money;
} & (
  | { readonly type: Exclude<Type, 'tax'>; readonly included?: false | null | undefined }
  | {
      readonly type: Extract<Type, 'tax'>;
      /** Whether the prices contain the tax already. Default: no, so that it is added to the total. */
      readonly included?: boolean | null | undefined;
    }
);

/** An adjustment of a new order. Nothing is refunded yet. */
export type NewAdjustment = AdjustmentOf<Exclude<AdjustmentType, 'refund'>> & {
  /** Index of the item that it belongs to. Default: it belongs to the order. */
  readonly item?: number | null | undefined;
};

/** Adjustments whose literal amounts have the signs of their types. Other amounts are checked at run time alone. */
export type WithSigns<Adjustments extends readonly NewAdjustment[]> = {
  readonly [Index in keyof Adjustments]: Adjustments[Index] extends {
    readonly type: infer Type;
    readonly amount: { readonly amount: infer Amount extends number };
  }
    ? number extends Amount
      ? Adjustments[Index]
      : IsAllowed<Type, `${Amount}`> extends true
        ? Adjustments[Index]
        : { readonly amount: `the amount of a ${Type & string} has the other sign` }
    : Adjustments[Index];
};

type IsAllowed<Type, Amount extends string> = Amount extends '0'
  ? true
  : Amount extends `-${string}`
    ? Type extends 'discount' | 'other'
      ? true
      : false
    : Type extends 'discount'
      ? false
      : true;

/** An adjustment of an existing order. */
export type FurtherAdjustment = AdjustmentOf<AdjustmentType> & {
  /** Id of the item that it belongs to. Default: it belongs to the order. */
  readonly item_id?: string | null | undefined;
};

/** An adjustment that is made together with further items, and may belong to one of them. */
export type AddedAdjustment = AdjustmentOf<AdjustmentType> &
  (
    | (Pick<NewAdjustment, 'item'> & { readonly item_id?: null | undefined })
    | (Pick<FurtherAdjustment, 'item_id'> & { readonly item?: null | undefined })
  );

/** A validated adjustment; `item` is the index or the id of an item. */
export interface AdjustmentCommand<Item> {
  readonly type: AdjustmentType;
  readonly name: string;
  readonly amount: Money;
  readonly item: Item | null;
  readonly included: boolean;
}

/** Reads the adjustments of a new order, which has `itemCount` items, and reports every invalid field. */
export function readNewAdjustments(
  input: unknown,
  itemCount: number,
  invalid: InvalidFields,
): readonly AdjustmentCommand<number>[] {
  return readAdjustments(input, 0, invalid, (one, path) =>
    readAdjustment(one, path, invalid, { itemMembers: ['item'], isNew: true }, (item, at) =>
      invalid.readInteger(item, at, 0, itemCount - 1),
    ),
  );
}

/** Reads at least `min` adjustments of an existing order, and reports every invalid field. */
export function readFurtherAdjustments(
  input: unknown,
  min: number,
  invalid: InvalidFields,
): readonly AdjustmentCommand<string>[] {
  return readAdjustments(input, min, invalid, (one, path) =>
    readAdjustment(one, path, invalid, { itemMembers: ['item_id'], isNew: false }, (item, at) =>
      invalid.readUuid(item, at),
    ),
  );
}

/** Reads adjustments of an existing order and of `itemCount` further items, and reports every invalid field. */
export function readAddedAdjustments(
  input: unknown,
  itemCount: number,
  invalid: InvalidFields,
): readonly AdjustmentCommand<string | number>[] {
  return readAdjustments(input, 0, invalid, (one, path) => {
    if (isPlainObject(one) && (one['item'] ?? null) !== null && (one['item_id'] ?? null) !== null)
      invalid.add(fieldPath(path, 'item_id'), 'invalid_value', 'cannot be set together with item');
    return readAdjustment(one, path, invalid, { itemMembers: ['item', 'item_id'], isNew: false }, (item, at, member) =>
      member === 'item' ? invalid.readInteger(item, at, 0, itemCount - 1) : invalid.readUuid(item, at),
    );
  });
}

/** Reads at least `min` adjustments, each by `read`; an absent list and `null` mean none if `min` is 0. */
export function readAdjustments<Read>(
  input: unknown,
  min: number,
  invalid: InvalidFields,
  read: (one: unknown, path: string) => Read | undefined,
): readonly Read[] {
  if (min === 0 && (input === undefined || input === null)) return [];
  return readArray(input, 'adjustments', min, ADJUSTMENTS_MAX, 'adjustment', invalid, read) ?? [];
}

/** What an adjustment may have in an input. */
interface AdjustmentForm {
  /** The members that refer to an item. The first one that is set counts. */
  readonly itemMembers: readonly string[];
  /** Whether it belongs to a new order: its amount has the sign of its type, and nothing is refunded. */
  readonly isNew: boolean;
  /** Members that are read elsewhere. Default: none. */
  readonly others?: readonly string[];
}

/** Reads an adjustment, and reports every invalid field. `readItem` reads a reference to an item. */
export function readAdjustment<Item>(
  input: unknown,
  path: string,
  invalid: InvalidFields,
  { itemMembers, isNew, others = [] }: AdjustmentForm,
  readItem: (input: unknown, path: string, member: string) => Item | undefined,
): AdjustmentCommand<Item> | undefined {
  if (!isPlainObject(input)) return invalid.add(path, 'wrong_type', 'must be an object');
  const known = ['type', 'name', 'amount', ...itemMembers, 'included', ...others];
  invalid.rejectUnknownFields(input, known, path, ['id', 'created_at']);
  const type = readType(input['type'], fieldPath(path, 'type'), isNew, invalid);
  const name = invalid.readText(input['name'], fieldPath(path, 'name'), 1, ADJUSTMENT_NAME_LENGTH_MAX) ?? INVALID_TEXT;
  const sign = isNew && type ? ADJUSTMENT_SIGNS[type] : 0;
  const min = sign === 1 ? 0 : -ADJUSTMENT_AMOUNT_MAX;
  const max = sign === -1 ? 0 : ADJUSTMENT_AMOUNT_MAX;
  const amount = readMoney(input['amount'], fieldPath(path, 'amount'), min, max, invalid, isNew);
  const member = itemMembers.find((name) => input[name] !== undefined && input[name] !== null);
  const item = member === undefined ? null : (readItem(input[member], fieldPath(path, member), member) ?? null);
  const included = readIncluded(input['included'], fieldPath(path, 'included'), type, invalid);
  return type && amount && { type, name, amount, item, included };
}

function readType(input: unknown, path: string, isNew: boolean, invalid: InvalidFields): AdjustmentType | undefined {
  if (input === undefined || input === null) return invalid.add(path, 'required', 'is required');
  if (typeof input !== 'string') return invalid.add(path, 'wrong_type', 'must be a string');
  const types = ADJUSTMENT_TYPES.filter((type) => !isNew || type !== 'refund');
  return invalid.readOneOf(input, path, types);
}

function readIncluded(input: unknown, path: string, type: AdjustmentType | undefined, invalid: InvalidFields): boolean {
  if (input === undefined || input === null || input === false) return false;
  if (input !== true) invalid.add(path, 'wrong_type', 'must be a boolean');
  else if (type !== undefined && type !== 'tax') invalid.add(path, 'invalid_value', 'can be true only for a tax');
  return true;
}

/** Returns new adjustments with their ids. */
export function createAdjustments<Item>(
  commands: readonly AdjustmentCommand<Item>[],
  idOf: (item: Item) => string | null,
  ids: IdSource,
  created_at: Timestamp,
): readonly Adjustment[] {
  return commands.map(({ type, name, amount, item, included }) => ({
    id: ids.next(),
    type,
    name,
    amount,
    item_id: item === null ? null : idOf(item),
    included,
    created_at,
  }));
}

/** Returns the first adjustment after which a type's sum, of one item or of the order, has the wrong sign. */
export function findWrongSign(adjustments: readonly Adjustment[]): Adjustment | undefined {
  const sums = new Map<string, { sum: number; readonly last: Adjustment }>();
  for (const adjustment of adjustments) {
    const key = `${adjustment.type} ${adjustment.included} ${adjustment.item_id}`;
    const sum = (sums.get(key)?.sum ?? 0) + adjustment.amount.amount;
    sums.set(key, { sum, last: adjustment });
  }
  return [...sums.values()].find(({ sum, last }) => sum * ADJUSTMENT_SIGNS[last.type] < 0)?.last;
}
