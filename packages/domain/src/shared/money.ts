import { err, ok, type Result } from 'neverthrow';
import { CURRENCIES } from './currencies.ts';
import { at, isPlainObject, type InvalidFields } from './invalid.ts';

/** An amount of money: a whole number of the currency's minor units (cents, fils, yen), never a fraction. */
export interface Money {
  /** Minor units, a safe integer. */
  readonly amount: number;
  /** ISO 4217 code, one of {@link CURRENCIES}. */
  readonly currency: string;
}

/** The largest price of one unit, in minor units. */
export const UNIT_PRICE_MAX = 1_000_000_000_000;

/** A product or sum past 2^53-1, which a JSON number could not carry exactly. */
export interface AmountTooLarge {
  readonly type: 'amount_too_large';
}

const tooLarge = err<never, AmountTooLarge>({ type: 'amount_too_large' });

/** `quantity` times `price`, exact or refused. */
export function multiplyMoney(price: Money, quantity: number): Result<Money, AmountTooLarge> {
  return exact(price.amount * quantity, price.currency);
}

/** `left` plus `right`, exact or refused. Both are of one currency: mixing them is a bug of the caller. */
export function addMoney(left: Money, right: Money): Result<Money, AmountTooLarge> {
  if (left.currency !== right.currency) throw new TypeError(`cannot add ${right.currency} to ${left.currency}`);
  return exact(left.amount + right.amount, left.currency);
}

// A floating-point result is the exact one rounded to nearest, and rounding keeps order: an exact result above 2^53-1
// cannot be rounded below it, so a safe integer here is the exact result.
function exact(amount: number, currency: string): Result<Money, AmountTooLarge> {
  return Number.isSafeInteger(amount) ? ok({ amount, currency }) : tooLarge;
}

/** Reads a unit price, reporting every bad field below `path`. */
export function readUnitPrice(input: unknown, path: string, invalid: InvalidFields): Money | undefined {
  if (!isPlainObject(input)) {
    invalid.add(
      path,
      input === undefined || input === null ? 'required' : 'wrong_type',
      'must be an object with amount and currency',
    );
    return undefined;
  }
  invalid.onlyKnown(input, ['amount', 'currency'], path);
  const amount = invalid.integer(input['amount'], at(path, 'amount'), 0, UNIT_PRICE_MAX);
  const currency = readCurrency(input['currency'], at(path, 'currency'), invalid);
  return amount === undefined || currency === undefined ? undefined : { amount, currency };
}

function readCurrency(input: unknown, path: string, invalid: InvalidFields): string | undefined {
  if (typeof input === 'string' && CURRENCIES.has(input)) return input;
  if (input === undefined || input === null) invalid.add(path, 'required', 'is required');
  else if (typeof input !== 'string') invalid.add(path, 'wrong_type', 'must be a string');
  else invalid.add(path, 'invalid_value', 'must be an ISO 4217 currency code in upper case');
  return undefined;
}
