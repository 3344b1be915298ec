import { CURRENCIES } from './currencies.ts';
import { fieldPath, INVALID_TEXT, type InvalidFields, isPlainObject } from './validation.ts';

/** An amount of money: a whole number of the currency's minor units (cents, fils, yen), never a fraction. */
export interface Money {
  /** Minor units, a safe integer. */
  readonly amount: number;
  /** ISO 4217 code, one of {@link CURRENCIES}. */
  readonly currency: string;
}

/** The largest price of one unit, in minor units. */
export const UNIT_PRICE_MAX = 1_000_000_000_000;

/**
 * A product of whole numbers or a sum of such, all from nought up, as money; `undefined` past 2^53-1, which a JSON
 * number could not carry exactly.
 */
export function toExactMoney(amount: number, currency: string): Money | undefined {
  // A floating-point result is the exact one rounded to nearest, and rounding keeps order: once an exact result is
  // above 2^53-1, no product or sum with it is rounded below, so a safe integer here is the exact result.
  return Number.isSafeInteger(amount) ? { amount, currency } : undefined;
}

/** Reads a unit price, reporting every bad field below `path`. */
export function readUnitPrice(input: unknown, path: string, invalid: InvalidFields): Money | undefined {
  if (!isPlainObject(input)) {
    const code = input === undefined || input === null ? 'required' : 'wrong_type';
    return invalid.add(path, code, 'must be an object with amount and currency');
  }
  invalid.rejectUnknownFields(input, ['amount', 'currency'], path);
  const amount = invalid.readInteger(input['amount'], fieldPath(path, 'amount'), 0, UNIT_PRICE_MAX) ?? 0;
  const currency = readCurrency(input['currency'], fieldPath(path, 'currency'), invalid) ?? INVALID_TEXT;
  return { amount, currency };
}

function readCurrency(input: unknown, path: string, invalid: InvalidFields): string | undefined {
  if (input === undefined || input === null) return invalid.add(path, 'required', 'is required');
  if (typeof input !== 'string') return invalid.add(path, 'wrong_type', 'must be a string');
  if (CURRENCIES.has(input)) return input;
  return invalid.add(path, 'invalid_value', 'must be an ISO 4217 currency code in upper case');
}
