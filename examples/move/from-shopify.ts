// Turns an export of orders of Shopify into lines for `orders import`:
//   node --conditions=source from-shopify.ts orders_export.csv > shop.ndjson
// The columns are those of https://help.shopify.com/en/manual/fulfillment/managing-orders/exporting-orders on 30 August
// 2026. An order has a row for each item, and what concerns the whole order is in its first row alone. The properties of a
// line are in no such file; a column that an app adds for them, `Lineitem properties`, is read.
import { Readable } from 'node:stream';
import {
  ITEM_METADATA_KEYS_MAX,
  ITEM_METADATA_VALUE_LENGTH_MAX,
  ITEM_NAME_LENGTH_MAX,
  METADATA_KEYS_MAX,
  METADATA_VALUE_LENGTH_MAX,
  NOTE_LENGTH_MAX,
  SKU_LENGTH_MAX,
} from '@orders/domain';
import { parse } from 'csv-parse';
import {
  address,
  adjustments,
  buyer,
  customerId,
  externalIds,
  type ImportLine,
  metadata,
  type OrderLine,
  print,
  statuses,
  sumOf,
} from './records.ts';
import { Report } from './report.ts';
import { readText } from './text-file.ts';

/** The columns of an order that are read. What another row of it states must be the same. */
const OF_ORDER = [
  'email',
  'paid at',
  'fulfillment status',
  'fulfilled at',
  'currency',
  'shipping',
  'taxes',
  'total',
  'discount code',
  'discount amount',
  'created at',
  'notes',
  'note attributes',
  'cancelled at',
  'payment method',
  'payment id',
  'payment reference',
  'payment references',
  'refunded amount',
  'id',
  'tags',
  'phone',
  'duties',
  ...['billing', 'shipping'].flatMap((kind) =>
    [
      'name',
      'company',
      'street',
      'address1',
      'address2',
      'city',
      'zip',
      'province',
      'province name',
      'country',
      'phone',
    ].map((member) => `${kind} ${member}`),
  ),
];
const OF_ITEM = ['lineitem quantity', 'lineitem name', 'lineitem price', 'lineitem sku', 'lineitem fulfillment status'];
/** The columns of an item that become its metadata. */
const ITEM_METADATA = ['Vendor', 'Lineitem compare at price', 'Lineitem properties'];
const READ = new Set(['name', ...OF_ORDER, ...OF_ITEM, ...ITEM_METADATA.map((column) => column.toLowerCase())]);

/** The cells of a row by column, in lower case. */
type Row = ReadonlyMap<string, string>;

/** The rows of an order, which is missing if it has a fault. */
interface Rows {
  readonly name: string;
  readonly line: number;
  readonly rows: [Row, ...Row[]];
  fault: string | null;
}

/** Returns the customers in a file, then its orders, and adds to `report` what could not be converted. */
export async function* fromShopify(file: string, report: Report): AsyncGenerator<ImportLine> {
  const text = await readText(file);
  const emails = new Set<string>();
  const [seen, apart] = [new Set<string>(), new Set<string>()];
  for await (const { name, rows, fault } of ordersIn(text)) {
    (seen.has(name) ? apart : seen).add(name);
    const email = cellOf(rows[0], 'email');
    const id = customerId(email);
    // An order that fails is reported below.
    const created_at = new Report().attempt(name, () => time(rows[0], 'created at'));
    if (email === '' || emails.has(id) || created_at === null || fault !== null) continue;
    emails.add(id);
    yield { kind: 'customer', id, email, name: cellOf(rows[0], 'billing name') || null, created_at };
  }
  for await (const { name, line, rows, fault } of ordersIn(text)) {
    const order = report.attempt(`order ${name} (line ${line})`, () => {
      if (apart.has(name)) throw new Error('its rows do not stand together');
      if (fault !== null) throw new Error(fault);
      return orderOf(name, rows, report);
    });
    if (order) yield order;
    const left = rows.flatMap((row) => [...row].filter(([column, cell]) => !READ.has(column) && /[^0.]/.test(cell)));
    for (const column of new Set(left.map(([each]) => each))) report.leave(column, name);
  }
}

/** Reads the rows of each order. The names of columns are in lower case, because their spelling has changed. */
async function* ordersIn(text: string): AsyncGenerator<Rows> {
  const [stated = '', separator] = /^sep=(.)\r?\n/.exec(text) ?? [];
  const header = text.slice(stated.length).split(/[\r\n]/, 1)[0] ?? '';
  const separators = [',', ';', '\t'].toSorted((one, other) => header.split(other).length - header.split(one).length);
  const read: AsyncIterable<{ readonly record: readonly string[]; readonly info: { readonly lines: number } }> =
    Readable.from([text.slice(stated.length)]).pipe(
      parse({
        delimiter: separator ?? separators[0] ?? ',',
        info: true,
        relax_column_count: true,
        skip_records_with_empty_values: true,
      }),
    );
  let columns: readonly string[] | null = null;
  let order: Rows | null = null;
  for await (const { record, info } of read) {
    if (!columns) {
      columns = columnsOf(record);
      continue;
    }
    const row = new Map(columns.map((column, index) => [column, record[index] ?? '']));
    const line = info.lines + (stated === '' ? 0 : 1);
    const name = cellOf(row, 'name');
    if (!order || (name !== '' && name !== order.name)) {
      if (order) yield order;
      order = { name, line, rows: [row], fault: null };
    } else order.rows.push(row);
    const [first] = order.rows;
    const differs = OF_ORDER.find((column) => !['', cellOf(first, column)].includes(cellOf(row, column)));
    if (name === '') order.fault ??= `line ${line} has no Name, and may be a part of it`;
    else if (record.slice(columns.length).some((cell) => cell !== ''))
      order.fault ??= `line ${line} has more cells than there are columns`;
    else if (differs !== undefined) order.fault ??= `line ${line} has another ${differs}`;
  }
  if (!columns) throw new Error('the file is empty');
  if (order) yield order;
}

/**
 * Returns the names of the columns.
 *
 * @throws {Error} one is there twice, or missing
 */
function columnsOf(names: readonly string[]): readonly string[] {
  const columns = names.map((name) => name.trim().toLowerCase().replace('canceled', 'cancelled'));
  while (columns.at(-1) === '') columns.pop();
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) throw new Error(`the column ${JSON.stringify(twice)} is there twice`);
  const missing = ['name', 'currency', 'total', 'created at', ...OF_ITEM].filter((column) => !columns.includes(column));
  if (missing.length > 0) throw new Error(`the columns are not those of Shopify: ${missing.join(', ')} are missing`);
  return columns;
}

function cellOf(row: Row, column: string): string {
  const cell = row.get(column) ?? '';
  // An apostrophe makes spreadsheets keep the zeros and the sign of a number.
  return /(zip|phone)$/.test(column) ? cell.replace(/^'/, '') : cell;
}

function orderOf(name: string, rows: Rows['rows'], report: Report): OrderLine {
  const [first] = rows;
  const cell = (column: string) => cellOf(first, column);
  const [email, currency, fulfillment] = [cell('email'), cell('currency'), cell('fulfillment status')];
  const items = rows.map((row, index) => itemOf(row, index, currency, name, report));
  const charges = {
    discount: cell('discount amount') || '0',
    shipping: cell('shipping') || '0',
    tax: cell('taxes') || '0',
    fee: cell('duties') || '0',
    refund: report.money(cell('refunded amount') || '0', currency, 'Refunded Amount'),
  };
  // Shopify does not say whether its prices contain the taxes. The total shows it.
  const paid = report.money(cell('total'), currency, 'Total').amount - charges.refund.amount;
  const added = adjustments(charges, false, currency, report);
  const taxIncluded = sumOf({ items, adjustments: added }) !== paid;
  const sent = rows.flatMap((row, item) =>
    fulfillment === 'fulfilled' || cellOf(row, 'lineitem fulfillment status') === 'fulfilled'
      ? [{ item, quantity: items[item]?.quantity ?? 0 }]
      : [],
  );
  const shipped = fulfillment === 'fulfilled' ? timeOrNull(first, 'fulfilled at') : null;
  const note = cell('notes');
  const addressOf = (kind: string) =>
    address(
      kind,
      {
        name: cell(`${kind} name`),
        company: cell(`${kind} company`),
        line1: cell(`${kind} address1`) || cell(`${kind} street`),
        line2: cell(`${kind} address2`),
        city: cell(`${kind} city`),
        region: cell(`${kind} province`) || cell(`${kind} province name`),
        postal_code: cell(`${kind} zip`),
        country: cell(`${kind} country`),
        phone: cell(`${kind} phone`),
      },
      name,
      report,
    );
  const payments = ['payment id', 'payment reference', 'payment references'].flatMap((column) =>
    cell(column).split(/, | \+ /),
  );
  return {
    kind: 'order',
    reference: name,
    external_ids: externalIds({ shopify: [cell('id')], payment: payments }),
    buyer: buyer(
      {
        name: cell('billing name'),
        company: cell('billing company'),
        email,
        phone: cell('phone') || cell('billing phone'),
      },
      report,
    ),
    shipping_address: addressOf('shipping'),
    billing_address: addressOf('billing'),
    customer_id: email === '' ? null : customerId(email),
    created_at: time(first, 'created at'),
    ...statuses({
      paid: timeOrNull(first, 'paid at'),
      shipped,
      delivered: null,
      cancelled: timeOrNull(first, 'cancelled at'),
    }),
    items,
    adjustments: added.map((each) => (each.type === 'tax' ? { ...each, included: taxIncluded } : each)),
    fulfillments: sent.length === 0 ? [] : [{ items: sent, created_at: shipped }],
    // An amount that got lost on the way fails the import.
    total: { amount: paid, currency },
    note: note === '' ? null : report.text(note, NOTE_LENGTH_MAX),
    metadata: metadata(
      {
        ...Object.fromEntries(
          ['Tags', 'Payment Method', 'Discount Code'].map((each) => [each, cell(each.toLowerCase())]),
        ),
        ...noteAttributes(cell('note attributes')),
      },
      [METADATA_KEYS_MAX, METADATA_VALUE_LENGTH_MAX],
      name,
      report,
    ),
  };
}

/** Returns the attributes in a cell, which has `name: value` on a line each; a value may go on in the next lines. */
function noteAttributes(cell: string): Record<string, string> {
  const lines = cell
    .split(/\r?\n(?=[^:\n]+: )/)
    .map((line) => /^([^:]+): ?(.*)$/s.exec(line) ?? ['', 'Note Attributes', line]);
  return Object.fromEntries(lines.map(([, name = '', value = '']) => [name.trim(), value]));
}

/**
 * Returns an item of an order.
 *
 * @throws {Error} it cannot be converted, with its place and SKU
 */
function itemOf(row: Row, index: number, currency: string, order: string, report: Report) {
  // A product need not have a SKU.
  const sku = cellOf(row, 'lineitem sku') || cellOf(row, 'lineitem name');
  const name = `item ${index + 1} (${sku})`;
  const quantity = cellOf(row, 'lineitem quantity');
  if (!/^[0-9]{1,9}$/.test(quantity))
    throw new Error(`${name}: Lineitem quantity is no whole number: ${JSON.stringify(quantity)}`);
  return {
    sku: report.text(sku, SKU_LENGTH_MAX),
    name: report.text(cellOf(row, 'lineitem name'), ITEM_NAME_LENGTH_MAX),
    quantity: Number(quantity),
    unit_price: report.money(cellOf(row, 'lineitem price'), currency, `${name}: Lineitem price`),
    metadata: metadata(
      Object.fromEntries(ITEM_METADATA.map((column) => [column, cellOf(row, column.toLowerCase())])),
      [ITEM_METADATA_KEYS_MAX, ITEM_METADATA_VALUE_LENGTH_MAX],
      order,
      report,
    ),
  };
}

/** Returns a time such as `2025-11-28 17:45:13 +0100` in RFC 3339. */
function timeOrNull(row: Row, column: string): string | null {
  const value = cellOf(row, column);
  const [, date, hours, zone, minutes] = /^(\S+) (\S+) ([+-]\d\d)(\d\d)$/.exec(value) ?? [];
  if (date !== undefined) return `${date}T${hours}${zone}:${minutes}`;
  if (value === '') return null;
  throw new Error(`${column} is no time: ${JSON.stringify(value)}`);
}

function time(row: Row, column: string): string {
  const found = timeOrNull(row, column);
  if (found === null) throw new Error(`${column} is empty`);
  return found;
}

if (import.meta.main) {
  const report = new Report();
  await print(fromShopify(process.argv[2] ?? '', report), report);
}
