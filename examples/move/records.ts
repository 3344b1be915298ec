import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  type Address,
  ADDRESS_MEMBERS,
  type Buyer,
  BUYER_MEMBERS,
  COUNTRIES,
  type ImportedCustomer,
  type ImportedOrder,
  METADATA_KEY_LENGTH_MAX,
  WITHDRAWN_COUNTRIES,
} from '@orders/domain';
import type { Money, Report } from './report.ts';

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

/** The texts that an order of the shop has. Those that are empty are none. */
type Texts<Name extends string> = { readonly [Member in Name]?: string | null | undefined };

/** Returns the texts that are not empty, cut to the lengths of `members`. */
function texts<Name extends string>(
  members: { readonly [Member in Name]: { readonly max: number } },
  given: Texts<Name>,
  report: Report,
): Partial<Record<Name, string>> {
  const set: Partial<Record<Name, string>> = {};
  for (const name in given) {
    const text = given[name]?.trim();
    if (text) set[name] = report.text(text, members[name].max);
  }
  return set;
}

/** Returns who buys, or `null` if nothing is known. The email is not cut, as it would be another one. */
export function buyer({ email, ...given }: Texts<keyof Buyer>, report: Report) {
  const set = { ...texts(BUYER_MEMBERS, given, report), ...(email ? { email } : {}) };
  return Object.keys(set).length > 0 ? set : null;
}

/** Returns the address of an order, or `null` if it has none or lacks the code of a country, which the report then says. */
export function address(kind: string, given: Texts<keyof Address>, order: string, report: Report) {
  const country = given.country?.trim().toUpperCase() ?? '';
  const set = texts(ADDRESS_MEMBERS, { ...given, country: null }, report);
  if (COUNTRIES.has(country) || WITHDRAWN_COUNTRIES.has(country)) return { ...set, country };
  if (Object.keys(set).length > 0 || country !== '')
    report.leave(`${kind} address without the code of a country`, order);
  return null;
}

/** Returns the ids that each system has for an order, without those that are empty, and each once. */
export function externalIds(given: Readonly<Record<string, readonly (string | null | undefined)[]>>) {
  const systems = Object.entries(given).map(([system, ids]) => {
    return [system, [...new Set(ids.flatMap((id) => id || []))]] as const;
  });
  return Object.fromEntries(systems.filter(([, ids]) => ids.length > 0));
}

/** Returns texts by key, cut to `length`: what is no text as JSON. What is more than `keys` is left out, as the report then says. */
export function metadata(
  given: Readonly<Record<string, unknown>>,
  [keys, length]: readonly [keys: number, length: number],
  order: string,
  report: Report,
): Record<string, string> {
  const set = Object.entries(given).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  if (set.length > keys) report.leave(`metadata of more than ${keys} keys`, order);
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return Object.fromEntries(
    set
      .slice(0, keys)
      .map(([key, value]) => [report.text(key, METADATA_KEY_LENGTH_MAX), report.text(text(value), length)]),
  );
}

/** The charges of an order, as decimals in major units. Those that are 0 are left out. */
export interface Charges {
  readonly discount: string | number;
  readonly shipping: string | number;
  readonly tax: string | number;
  readonly fee: string | number;
  /** In minor units, as the total has it, too. */
  readonly refund: Money;
}

/** Returns the adjustments of an order. */
export function adjustments(
  charges: Charges,
  taxIncluded: boolean,
  currency: string,
  report: Report,
): readonly AdjustmentLine[] {
  const of = (name: Exclude<keyof Charges, 'refund'>, sign: number) => ({
    amount: { amount: sign * report.money(charges[name], currency, name).amount, currency },
  });
  const refund = { amount: -charges.refund.amount, currency };
  const all: readonly AdjustmentLine[] = [
    { type: 'discount', name: 'Discount', ...of('discount', -1) },
    { type: 'shipping', name: 'Shipping', ...of('shipping', 1) },
    { type: 'tax', name: 'Taxes', ...of('tax', 1), included: taxIncluded },
    { type: 'fee', name: 'Duties', ...of('fee', 1) },
    { type: 'refund', name: 'Refund', amount: refund },
  ];
  return all.filter(({ amount }) => amount.amount !== 0);
}

/** Returns the sum of the items and adjustments of an order. */
export function sumOf({ items, adjustments: added }: Pick<OrderLine, 'items' | 'adjustments'>): number {
  const charged = (added ?? []).filter(({ included }) => included !== true);
  return (
    items.reduce((sum, { quantity, unit_price }) => sum + quantity * unit_price.amount, 0) +
    charged.reduce((sum, { amount }) => sum + amount.amount, 0)
  );
}

/**
 * Returns an order of which amounts were rounded, with an adjustment that makes its total the sum again. A difference that is
 * too large for that stays, and fails the import.
 */
export function withRounding(order: OrderLine): OrderLine {
  const { items, adjustments: added = [], total } = order;
  if (!total) return order;
  const difference = total.amount - sumOf(order);
  const parts = items.reduce((sum, { quantity }) => sum + quantity, 1 + (added?.length ?? 0));
  if (difference === 0 || Math.abs(difference) > Math.ceil(parts / 2)) return order;
  const amount = { amount: difference, currency: total.currency };
  return { ...order, adjustments: [...(added ?? []), { type: 'other', name: 'Rounding', amount }] };
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

/** Writes lines to standard output, and what the report says at the end to standard error. */
export async function print(lines: AsyncIterable<ImportLine>, report: Report): Promise<void> {
  const counts = { customer: 0, order: 0 };
  const done = () => `converted ${counts.customer} customers and ${counts.order} orders`;
  const progress = setInterval(() => console.error(`${done()} …`), 2000);
  try {
    for await (const line of lines) {
      counts[line.kind] += 1;
      if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain');
    }
  } catch (cause) {
    report.failures.push(`The file cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  clearInterval(progress);
  for (const line of report.lines()) console.error(line);
  console.error(`${done()}, ${report.failures.length} failed`);
  if (report.failures.length > 0) process.exitCode = 1;
}
