import type { Definition, LineItem, Money, Order } from '@orders/client';
import { minorUnits } from '@orders/domain';
import { oneLine } from '../../terminal.ts';

/** Returns an amount of money in its currency's own decimals, such as `9.00 EUR`. */
export function moneyOf({ amount, currency }: Money): string {
  const digits = minorUnits(currency);
  // The digits themselves are exact, which a quotient of large amounts is not.
  const all = String(Math.abs(amount)).padStart(digits + 1, '0');
  const end = all.length - digits;
  return `${amount < 0 ? '-' : ''}${all.slice(0, end)}${digits > 0 ? `.${all.slice(end)}` : ''} ${currency}`;
}

/** Returns the members of an order, one line each, its items, and what it is charged for besides them. */
export function describeOrder(order: Order<Definition>): string {
  const { items, adjustments, fulfillments: _, subtotal, total, metadata, ...rest } = order;
  const members: readonly (readonly [string, unknown])[] = [
    ...Object.entries(rest),
    ...(adjustments.length === 0 ? [] : [['subtotal', moneyOf(subtotal)] as const]),
    ['total', moneyOf(total)],
    ['metadata', metadata],
  ];
  const shown = members.filter(([, value]) => value !== null && !isEmpty(value));
  const width = Math.max(...shown.map(([name]) => name.length));
  const lines = shown.map(([name, value]) => `${name.padEnd(width)}  ${textOf(value)}`);
  const itemLines = items.map((item) => {
    const { sku, name, quantity, unit_price: price, metadata: own } = item;
    const data = isEmpty(own) ? '' : `  ${textOf(own)}`;
    return `  ${quantity} x ${oneLine(sku)}  ${oneLine(name)}  ${moneyOf(price)}${quantitiesOf(item)}${data}`;
  });
  const adjustmentLines = adjustments.map(
    ({ type, name, amount, included }) =>
      `  ${type}  ${oneLine(name)}  ${moneyOf(amount)}${included ? ' (included)' : ''}`,
  );
  const charged = adjustmentLines.length === 0 ? [] : ['adjustments', ...adjustmentLines];
  return `${[...lines, 'items', ...itemLines, ...charged].join('\n')}\n`;
}

/** Whether a value is an object without members. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

/** Returns the quantities of an item that were fulfilled, cancelled and returned, such as ` (2 fulfilled)`. */
function quantitiesOf({ fulfilled_quantity, cancelled_quantity, returned_quantity }: LineItem): string {
  const quantities = { fulfilled: fulfilled_quantity, cancelled: cancelled_quantity, returned: returned_quantity };
  const some = Object.entries(quantities).filter(([, quantity]) => quantity > 0);
  return some.length === 0 ? '' : ` (${some.map(([name, quantity]) => `${quantity} ${name}`).join(', ')})`;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  // What a buyer or an address lacks is not worth its place.
  const isSet = (_: string, member: unknown) => member ?? undefined;
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value, isSet));
}
