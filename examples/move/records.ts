import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type ImportedCustomer, type ImportedOrder, minorUnits } from '@orders/domain';

/** One line of a file that `orders import` reads. */
export type ImportLine =
  | ({ readonly kind: 'customer' } & ImportedCustomer)
  | ({ readonly kind: 'order' } & ImportedOrder);

/** An order, which this program makes. */
export type OrderLine = Extract<ImportLine, { readonly kind: 'order' }>;

/** One charge or reduction of an order. */
export type AdjustmentLine = NonNullable<OrderLine['adjustments']>[number];

/** Returns the UUID of the customer with an email, always the same one, so that a second run adds nothing. */
export function customerId(email: string): string {
  const hex = createHash('sha256').update(`customer ${email.toLowerCase()}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Returns an amount such as `19.99` in minor units: the number of decimals depends on the currency. */
export function money(
  amount: string | number,
  currency: string,
): { readonly amount: number; readonly currency: string } {
  const digits = minorUnits(currency);
  const exact = Number(amount) * 10 ** digits;
  const minor = Math.round(exact);
  if (!(Math.abs(exact - minor) < 1e-4)) throw new Error(`${amount} ${currency} is no amount of minor units`);
  return { amount: minor, currency };
}

/** The charges of an order, as decimals in major units. Those that are 0 are left out. */
export interface Charges {
  readonly discount: string | number;
  readonly shipping: string | number;
  readonly tax: string | number;
  readonly fee: string | number;
  readonly refund: string | number;
}

/** Returns the adjustments of an order. */
export function adjustments(charges: Charges, taxIncluded: boolean, currency: string): readonly AdjustmentLine[] {
  const of = (amount: string | number, sign: number) => ({
    amount: { amount: sign * money(amount, currency).amount, currency },
  });
  const all: readonly AdjustmentLine[] = [
    { type: 'discount', name: 'Discount', ...of(charges.discount, -1) },
    { type: 'shipping', name: 'Shipping', ...of(charges.shipping, 1) },
    { type: 'tax', name: 'Taxes', ...of(charges.tax, 1), included: taxIncluded },
    { type: 'fee', name: 'Duties', ...of(charges.fee, 1) },
    { type: 'refund', name: 'Refund', ...of(charges.refund, -1) },
  ];
  return all.filter(({ amount }) => amount.amount !== 0);
}

/** Returns the statuses of an order with the times at which it entered them, as far as their order is that of Orders. */
export function statuses(times: {
  readonly paid: string | null;
  readonly shipped: string | null;
  readonly delivered: string | null;
  readonly cancelled: string | null;
}): Pick<OrderLine, 'status' | 'paid_at' | 'shipped_at' | 'delivered_at' | 'cancelled_at'> {
  const { paid: paid_at, shipped: shipped_at, delivered: delivered_at, cancelled: cancelled_at } = times;
  if (cancelled_at !== null)
    return {
      status: 'cancelled',
      cancelled_at,
      paid_at: paid_at !== null && isInOrder(paid_at, cancelled_at) ? paid_at : null,
    };
  if (paid_at === null) return { status: 'pending' };
  // What is shipped before it is paid has no status of its own here: its fulfillments say it.
  if (shipped_at === null || !isInOrder(paid_at, shipped_at)) return { status: 'paid', paid_at };
  if (delivered_at === null || !isInOrder(shipped_at, delivered_at)) return { status: 'shipped', paid_at, shipped_at };
  return { status: 'delivered', paid_at, shipped_at, delivered_at };
}

function isInOrder(before: string, after: string): boolean {
  return Date.parse(before) <= Date.parse(after);
}

/** Writes lines to standard output. */
export async function print(lines: AsyncIterable<ImportLine>): Promise<void> {
  for await (const line of lines)
    if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain');
}
