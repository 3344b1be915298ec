import { CURRENCIES, WITHDRAWN_CURRENCIES } from './currencies.ts';
import { fieldPath, INVALID_TEXT, type InvalidFields, isPlainObject } from './validation.ts';

/** An amount of money, as a whole number of the currency's minor units (cents, fils, yen). */
export interface Money {
  /** Number of minor units, a safe integer. */
  readonly amount: number;
  /** ISO 4217 code, one of {@link CURRENCIES}; of an imported order also one of {@link WITHDRAWN_CURRENCIES}. */
  readonly currency: string;
}

/** Maximum unit price, in minor units. */
export const UNIT_PRICE_MAX = 1_000_000_000_000;

/**
 * Converts a product of non-negative integers, a sum of such products, or such a sum and one safe integer to money.
 * Returns `undefined` above 2^53-1, the largest integer that a JSON number represents exactly.
 */
export function toExactMoney(amount: number, currency: string): Money | undefined {
  // Floating-point arithmetic rounds each exact result to the nearest number, and rounding preserves order. A result
  // above 2^53-1 therefore never rounds to a safe integer, nor does any sum or product with it.
  return Number.isSafeInteger(amount) ? { amount, currency } : undefined;
}

/**
 * Reads an amount of `min` to `max` minor units, and reports every invalid field below `path`. One that `isNew` has a
 * currency that is in use.
 */
export function readMoney(
  input: unknown,
  path: string,
  min: number,
  max: number,
  invalid: InvalidFields,
  isNew: boolean,
): Money | undefined {
  if (!isPlainObject(input)) {
    const code = input === undefined || input === null ? 'required' : 'wrong_type';
    return invalid.add(path, code, 'must be an object with amount and currency');
  }
  invalid.rejectUnknownFields(input, ['amount', 'currency'], path);
  const amount = invalid.readInteger(input['amount'], fieldPath(path, 'amount'), min, max) ?? 0;
  const currency = readCurrency(input['currency'], fieldPath(path, 'currency'), invalid, isNew) ?? INVALID_TEXT;
  return { amount, currency };
}

function readCurrency(input: unknown, path: string, invalid: InvalidFields, isNew: boolean): string | undefined {
  if (input === undefined || input === null) return invalid.add(path, 'required', 'is required');
  if (typeof input !== 'string') return invalid.add(path, 'wrong_type', 'must be a string');
  const isWithdrawn = WITHDRAWN_CURRENCIES.has(input);
  if (CURRENCIES.has(input) || (isWithdrawn && !isNew)) return input;
  if (isWithdrawn)
    return invalid.add(path, 'invalid_value', `must be in use: ${input} is withdrawn, and only imported`);
  return invalid.add(path, 'invalid_value', 'must be an ISO 4217 currency code in upper case');
}
