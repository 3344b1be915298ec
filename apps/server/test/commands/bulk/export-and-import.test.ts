import { ORDERS } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { csvOf } from '../../../src/commands/bulk/csv-export.ts';
import { csvRecordsOf } from '../../../src/commands/bulk/csv-import.ts';
import { NDJSON } from '../../../src/commands/bulk/export-format.ts';
import { LINE_BYTES_MAX, ndjsonRecords } from '../../../src/commands/bulk/input-records.ts';
import { aShop, fill, OWNER, textOf } from './a-shop.ts';
import { importText, lineOf, NOTHING, orderLine as order } from './import-text.ts';

describe('an export', () => {
  it.each([1, 2, 3, 4])(
    'is imported into an empty shop, exported again byte for byte, and adds nothing a second time: %i',
    async (seed) => {
      const [source, target] = [aShop(), aShop()];
      await fill(source, 250, seed);
      const text = await textOf(source, NDJSON);
      const { counts, ends } = await importText(target, text);
      expect(counts).toEqual({ ...NOTHING, customers: 25, orders: 250 });
      expect(Math.max(...ends)).toBe(Buffer.byteLength(text));
      expect(await textOf(target, NDJSON)).toBe(text);
      // Orders of erased customers have got text since.
      expect(/"note":"[^\n]+"erased_at":"2/.test(text)).toBe(true);
      expect((await importText(target, text)).counts).toEqual({ ...NOTHING, existing: 275 });
      expect(await textOf(target, NDJSON)).toBe(text);
    },
  );

  it('during an erasure has what that leaves, so that it is imported, and again byte for byte', async () => {
    const [source, target] = [aShop(), aShop()];
    const { customer } = (await source.createCustomer(OWNER, { email: 'ada@example.com' }))._unsafeUnwrap();
    const items = [{ sku: 'MUG', name: 'Mug', quantity: 1, unit_price: { amount: 1, currency: 'EUR' } }];
    for (let count = 0; count < 30; count += 1)
      (await source.placeOrder(OWNER, { items, customer_id: customer.id, note: 'For Ada' }))._unsafeUnwrap();
    expect(await textOf(source, NDJSON)).toContain('Ada');
    const { erasure } = (await source.eraseCustomer(OWNER, customer.id))._unsafeUnwrap().customer;
    expect(erasure).toEqual({ status: 'pending' });
    const text = await textOf(source, NDJSON);
    for (const each of [text, await textOf(source, NDJSON, { versions: true })]) expect(each).not.toContain('Ada');
    expect((await importText(target, text)).counts).toEqual({ ...NOTHING, customers: 1, orders: 30 });
    expect(await textOf(target, NDJSON)).toBe(text);
  });

  it('has what an order without text has got since its import for an erased customer', async () => {
    const [source, target] = [aShop(), aShop()];
    const customer_id = '019b2a4e-8f00-7000-8000-0000000000c1';
    const at = '2025-01-02T03:04:05.000Z';
    const erased = { id: customer_id, created_at: at, erased_at: at };
    const lines = lineOf('customer', erased) + order('PO-1', { customer_id });
    expect((await importText(source, lines)).counts).toEqual({ ...NOTHING, customers: 1, orders: 1 });
    expect((await importText(source, lines)).counts).toEqual({ ...NOTHING, existing: 2 });
    const [imported] = (await source.listOrders(OWNER))._unsafeUnwrap().data;
    (await source.changeOrder(OWNER, imported?.id ?? '', { note: 'Ada again' }))._unsafeUnwrap();
    const text = await textOf(source, NDJSON);
    expect(text).toContain('Ada again');
    expect((await importText(target, text)).counts).toEqual({ ...NOTHING, customers: 1, orders: 1 });
    expect(await textOf(target, NDJSON)).toBe(text);
  });

  it('has the versions of each order after it, which an import leaves out', async () => {
    const source = aShop();
    await fill(source, 5);
    const text = await textOf(source, NDJSON, { versions: true });
    const lines = text.split('\n').filter((line) => line.startsWith('{"kind":"version"'));
    const orders = (await textOf(source, NDJSON, { customers: false })).trim().split('\n');
    const versions = orders.map((line): unknown => JSON.parse(line));
    expect(lines.length).toBe(
      versions.reduce((sum: number, each) => sum + Number(Reflect.get(Object(each), 'version')), 0),
    );
    const { counts } = await importText(aShop(), text);
    expect(counts).toEqual({ ...NOTHING, customers: 1, orders: 5, versions: lines.length });
  });

  it('has the chosen orders alone', async () => {
    const source = aShop();
    await fill(source, 30);
    const paid = await textOf(source, NDJSON, { orders: { status: ['paid'], sort: 'created_at' }, customers: false });
    const lines = paid.trim().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.every((line) => line.includes('"status":"paid"'))).toBe(true);
  });

  it('as CSV has a row for each item and no formula, and makes the same orders', async () => {
    const [source, target] = [aShop(), aShop()];
    await fill(source, 60);
    const csv = await textOf(source, csvOf(ORDERS), { customers: false });
    const cells = csv.split(/[,\r\n]/).map((cell) => cell.replace(/^"/, ''));
    expect(cells.filter((cell) => /^[=+@-]/.test(cell))).toEqual([]);
    expect(csv.slice(0, csv.indexOf('\r\n'))).toBe(
      'order_id,reference,status,customer_id,currency,subtotal,total,item_id,sku,item_name,quantity,fulfilled_quantity,' +
        'cancelled_quantity,returned_quantity,unit_price,item_total,buyer_name,buyer_company,buyer_email,buyer_phone,' +
        'buyer_tax_id,shipping_name,shipping_company,shipping_line1,shipping_line2,shipping_city,shipping_region,' +
        'shipping_postal_code,shipping_country,shipping_phone,billing_name,billing_company,billing_line1,billing_line2,' +
        'billing_city,billing_region,billing_postal_code,billing_country,billing_phone,note,cancel_reason,created_at,' +
        'updated_at,paid_at,shipped_at,delivered_at,cancelled_at,corrected_at,erased_at,version,item_metadata,external_ids,metadata,' +
        'adjustments,fulfillments',
    );
    const ndjson = await textOf(source, NDJSON);
    const customers = ndjson.split('\n').filter((line) => line.includes('"kind":"customer"'));
    await importText(target, customers.join('\n'));
    const { counts, problems } = await importText(target, csv, { read: csvRecordsOf(ORDERS) });
    expect([counts, problems]).toEqual([{ ...NOTHING, orders: 60 }, []]);
    expect(await textOf(target, NDJSON)).toBe(ndjson);
  });
});

describe('an import', () => {
  const FAULTY = [
    order('PO-1'),
    '\n',
    'nonsense\n',
    '[]\n',
    lineOf('parcel', {}),
    order('PO-2', { items: [] }),
    order('PO-1', { note: 'other' }),
    order('PO-3'),
  ].join('');

  it('reports each record that fails, with its line, and continues behind it', async () => {
    const domain = aShop();
    const { counts, problems } = await importText(domain, `\uFEFF${FAULTY}`);
    expect(counts).toEqual({ ...NOTHING, orders: 2, failed: 5 });
    const codes = problems.map(([line, { code }]) => [line, code]);
    expect(codes).toEqual([
      [3, 'malformed_json'],
      [4, 'malformed_json'],
      [5, 'validation_failed'],
      [6, 'validation_failed'],
      [7, 'reference_taken'],
    ]);
    expect(problems[3]?.[1]).toMatchObject({ errors: [{ field: 'items', code: 'too_short' }] });
  });

  it('stores nothing in a dry run', async () => {
    const domain = aShop();
    const { counts } = await importText(domain, FAULTY, { isDryRun: true });
    expect(counts).toEqual({ ...NOTHING, orders: 3, failed: 4 });
    expect(await textOf(domain, NDJSON)).toBe('');
  });

  it('imports orders after the customers before them', async () => {
    const id = '10000000-0000-4000-8000-000000000000';
    const text = lineOf('customer', { id, email: 'ada@example.com' }) + order('PO-1', { customer_id: id });
    expect((await importText(aShop(), text)).counts).toEqual({ ...NOTHING, customers: 1, orders: 1 });
  });

  it('imports few large records together', async () => {
    const domain = aShop();
    const sizes: number[] = [];
    const importOrders: typeof domain.importOrders = (owner, inputs, options) => {
      sizes.push(JSON.stringify(inputs).length);
      return domain.importOrders(owner, inputs, options);
    };
    const large = (line: number) => order(`PO-${line}`, { note: 'x'.repeat(1024 * 600) });
    const text = Array.from({ length: 10 }, (_, line) => large(line)).join('');
    expect((await importText({ ...domain, importOrders }, text)).counts.failed).toBe(10);
    expect(sizes.map((size) => Math.round(size / 1024 / 1024))).toEqual(Array.from({ length: 10 }, () => 1));
  });

  it('rejects a line that is too long, without keeping it, and reads the next ones', async () => {
    async function* chunks(): AsyncGenerator<Buffer> {
      const piece = Buffer.alloc(1024 * 1024, 'x');
      for (let sent = 0; sent <= LINE_BYTES_MAX; sent += piece.length) yield piece;
      yield Buffer.from(`\n${order('PO-1').trim()}`);
      await Promise.resolve();
    }
    const { counts, problems } = await importText(aShop(), '', { read: () => ndjsonRecords(chunks) });
    expect(problems).toMatchObject([[1, { code: 'payload_too_large' }]]);
    expect(counts).toEqual({ ...NOTHING, orders: 1, failed: 1 });
  });
});
