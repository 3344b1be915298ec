import type { Definition, Money, Order } from '@orders/client';

/** Replaces control characters, which would control the terminal. They can be part of a text that a client sent. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}

/** Returns an amount of money in its currency's own decimals, such as `9.00 EUR`. */
export function moneyOf({ amount, currency }: Money): string {
  const digits =
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 0;
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
}

/** Returns the members of an order, one line each, and its items. */
export function describeOrder(order: Order<Definition>): string {
  const { items, total, metadata, ...rest } = order;
  const members: readonly (readonly [string, unknown])[] = [
    ...Object.entries(rest),
    ['total', moneyOf(total)],
    ...(Object.keys(metadata).length === 0 ? [] : [['metadata', metadata] as const]),
  ];
  const shown = members.filter(([, value]) => value !== null);
  const width = Math.max(...shown.map(([name]) => name.length));
  const lines = shown.map(([name, value]) => `${name.padEnd(width)}  ${textOf(value)}`);
  const itemLines = items.map(
    ({ sku, name, quantity, unit_price: price }) =>
      `  ${quantity} x ${printable(sku)}  ${printable(name)}  ${moneyOf(price)}`,
  );
  return `${[...lines, 'items', ...itemLines].join('\n')}\n`;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}
