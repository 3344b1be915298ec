// Turns an export of orders of Shopify into lines for `orders import`:
//   node from-shopify.ts orders_export.csv > shop.ndjson
// The columns are those of https://help.shopify.com/en/manual/fulfillment/managing-orders/exporting-orders on 30 August
// 2026. An order has a row for each item, and what concerns the whole order is in its first row alone. Addresses and phone
// numbers are left out: Orders has none.
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import { adjustments, customerId, type ImportLine, money, type OrderLine, print, statuses } from './records.ts';

type Row = Readonly<Record<string, string>>;

/** Returns the customers in a file, then its orders. */
export async function* fromShopify(file: string): AsyncGenerator<ImportLine> {
  const emails = new Set<string>();
  for await (const [first] of ordersIn(file)) {
    const { email = '', 'billing name': name = '' } = first;
    const id = customerId(email);
    if (email === '' || emails.has(id)) continue;
    emails.add(id);
    yield { kind: 'customer', id, email, name: name === '' ? null : name, created_at: time(first, 'created at') };
  }
  for await (const rows of ordersIn(file)) yield orderOf(rows);
}

/** Reads the rows of each order. The names of columns are in lower case, because their spelling has changed. */
async function* ordersIn(file: string): AsyncGenerator<readonly [Row, ...Row[]]> {
  const columns = (names: string[]) => names.map((name) => name.toLowerCase().replace('canceled', 'cancelled'));
  const read: AsyncIterable<Row> = createReadStream(file).pipe(parse({ columns, bom: true, skip_empty_lines: true }));
  let rows: [Row, ...Row[]] | null = null;
  for await (const row of read) {
    if (rows && rows[0]['name'] === row['name']) {
      rows.push(row);
      continue;
    }
    if (rows) yield rows;
    rows = [row];
  }
  if (rows) yield rows;
}

function orderOf(rows: readonly [Row, ...Row[]]): OrderLine {
  const [first] = rows;
  const { name = '', email = '', currency = '', 'fulfillment status': fulfillment } = first;
  const cell = (column: string) => first[column] ?? '';
  const textOf = (column: string) => (cell(column) === '' ? null : cell(column));
  const items = rows.map((row) => ({
    // A product need not have a SKU.
    sku: (row['lineitem sku'] || row['lineitem name'] || '').slice(0, 64),
    name: (row['lineitem name'] ?? '').slice(0, 255),
    quantity: Number(row['lineitem quantity']),
    unit_price: money(row['lineitem price'] ?? '', currency),
  }));
  const charges = {
    discount: cell('discount amount') || '0',
    shipping: cell('shipping') || '0',
    tax: cell('taxes') || '0',
    fee: cell('duties') || '0',
    refund: cell('refunded amount') || '0',
  };
  // Shopify does not say whether its prices contain the taxes. The total shows it.
  const paid = money(cell('total'), currency).amount - money(charges.refund, currency).amount;
  const withTaxes = adjustments(charges, false, currency);
  const subtotal = items.reduce((sum, { quantity, unit_price }) => sum + quantity * unit_price.amount, 0);
  const taxIncluded = withTaxes.reduce((sum, { amount }) => sum + amount.amount, subtotal) !== paid;
  const sent = rows.flatMap((row, item) =>
    fulfillment === 'fulfilled' || row['lineitem fulfillment status'] === 'fulfilled'
      ? [{ item, quantity: Number(row['lineitem quantity']) }]
      : [],
  );
  const shipped = fulfillment === 'fulfilled' ? timeOrNull(first, 'fulfilled at') : null;
  return {
    kind: 'order',
    reference: name,
    customer_id: email === '' ? null : customerId(email),
    created_at: time(first, 'created at'),
    ...statuses({
      paid: timeOrNull(first, 'paid at'),
      shipped,
      delivered: null,
      cancelled: timeOrNull(first, 'cancelled at'),
    }),
    items,
    adjustments: adjustments(charges, taxIncluded, currency),
    fulfillments: sent.length === 0 ? [] : [{ items: sent, created_at: shipped }],
    // An amount that got lost on the way fails the import.
    total: { amount: paid, currency },
    note: textOf('notes'),
    metadata: Object.fromEntries(
      ['Tags', 'Payment Method', 'Discount Code'].flatMap((column) => {
        const value = cell(column.toLowerCase());
        return value === '' ? [] : [[column, value.slice(0, 500)]];
      }),
    ),
  };
}

/** Returns a time such as `2025-11-28 17:45:13 +0100` in RFC 3339. */
function timeOrNull(row: Row, column: string): string | null {
  const value = row[column] ?? '';
  const [, date, hours, zone, minutes] = /^(\S+) (\S+) ([+-]\d\d)(\d\d)$/.exec(value) ?? [];
  if (date !== undefined) return `${date}T${hours}${zone}:${minutes}`;
  if (value === '') return null;
  throw new Error(`${row['name']}: ${column} is no time: ${value}`);
}

function time(row: Row, column: string): string {
  const found = timeOrNull(row, column);
  if (found === null) throw new Error(`${row['name']}: ${column} is empty`);
  return found;
}

if (import.meta.main) await print(fromShopify(process.argv[2] ?? ''));
