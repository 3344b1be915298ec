import { err, ok, type Result } from 'neverthrow';
import { type Money, toExactMoney } from '../shared/money.ts';
import type { Adjustment } from './adjustment.ts';
import type { AmountOutOfRange, CurrencyMismatch, NegativeTotal } from './order-errors.ts';

/** Returns the error of the first adjustment that is not in `currency`. */
export function findForeignCurrency(
  commands: readonly Pick<Adjustment, 'amount'>[],
  currency: string,
): CurrencyMismatch | null {
  const index = commands.findIndex(({ amount }) => amount.currency !== currency);
  return index === -1 ? null : { type: 'currency_mismatch', currency, field: `adjustments[${index}].amount.currency` };
}

/** Returns the total of an order: that of its items, and the adjustments that the prices do not include. */
export function totalOf(
  subtotal: Money,
  adjustments: readonly Pick<Adjustment, 'included' | 'amount'>[],
): Result<Money, NegativeTotal | AmountOutOfRange> {
  // The sum of the adjustments is exact. Added first, it leaves one addition that may be above 2^53-1.
  const adjusted = adjustments.reduce((sum, { included, amount }) => (included ? sum : sum + amount.amount), 0);
  const total = subtotal.amount + adjusted;
  if (total < 0) return err({ type: 'negative_total', total });
  const money = toExactMoney(total, subtotal.currency);
  return money ? ok(money) : err({ type: 'amount_out_of_range', field: 'adjustments' });
}
