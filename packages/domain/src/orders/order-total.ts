import { err, ok, type Result } from 'neverthrow';
import { type Money, toExactMoney } from '../shared/money.ts';
import type { Adjustment } from './adjustment.ts';
import type { LineItem } from './line-item.ts';
import type { AmountOutOfRange, CurrencyMismatch, NegativeTotal } from './order-errors.ts';

/** Returns the error of the first line or adjustment that is not in `currency`. */
export function findForeignCurrency(
  lines: readonly Pick<LineItem, 'unit_price'>[],
  adjustments: readonly Pick<Adjustment, 'amount'>[],
  currency: string,
): CurrencyMismatch | null {
  const amounts = [
    ...lines.map(({ unit_price }, index) => [unit_price, `items[${index}].unit_price.currency`] as const),
    ...adjustments.map(({ amount }, index) => [amount, `adjustments[${index}].amount.currency`] as const),
  ];
  const [, field] = amounts.find(([amount]) => amount.currency !== currency) ?? [];
  return field === undefined ? null : { type: 'currency_mismatch', currency, field };
}

/** The totals of an order. */
export interface OrderTotals {
  readonly subtotal: Money;
  readonly total: Money;
}

/** Returns the totals of an order: that of its items, and with the adjustments that the prices do not include. */
export function totalsOf(
  items: readonly Pick<LineItem, 'total'>[],
  adjustments: readonly Pick<Adjustment, 'included' | 'amount'>[],
  currency: string,
): Result<OrderTotals, NegativeTotal | AmountOutOfRange> {
  const sum = items.reduce((before, { total }) => before + total.amount, 0);
  const subtotal = toExactMoney(sum, currency);
  if (!subtotal) return err({ type: 'amount_out_of_range', field: 'items' });
  // The sum of the adjustments is exact. Added first, it leaves one addition that may be above 2^53-1.
  const adjusted = adjustments.reduce(
    (before, { included, amount }) => (included ? before : before + amount.amount),
    0,
  );
  if (sum + adjusted < 0) return err({ type: 'negative_total', total: sum + adjusted });
  const total = toExactMoney(sum + adjusted, currency);
  return total ? ok({ subtotal, total }) : err({ type: 'amount_out_of_range', field: 'adjustments' });
}
