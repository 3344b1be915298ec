import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ITEMS_MAX, ORDERS } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { csvOf } from '../../../src/commands/bulk/csv-export.ts';
import { csvRecordsOf } from '../../../src/commands/bulk/csv-import.ts';
import { NDJSON } from '../../../src/commands/bulk/export-format.ts';
import { aShop, OWNER, textOf } from './a-shop.ts';
import { importText, NOTHING } from './import-text.ts';

const fileOf = (name: string) => readFileSync(join(import.meta.dirname, 'files', `${name}.csv`));

/** Imports CSV into an empty shop, and returns its orders as well. */
async function importCsv(text: string | Buffer, size?: number) {
  const shop = aShop();
  const { counts, problems, lastLine } = await importText(shop, text, { read: csvRecordsOf(ORDERS), size });
  const orders = (await textOf(shop, NDJSON)).split('\n').filter((line) => line !== '');
  const faults = problems.map(
    ([line, { detail, errors }]) => `${line}: ${typeof detail === 'string' ? detail : JSON.stringify(errors)}`,
  );
  return { shop, counts, faults, lastLine, orders: orders.map((line): unknown => JSON.parse(line)) };
}

const HEAD = 'reference,sku,item_name,quantity,unit_price,currency';
const A1 = [{ reference: 'A1', items: [{ sku: 'LAMP', quantity: 2, unit_price: { amount: 450, currency: 'EUR' } }] }];

describe('a CSV file', () => {
  it.each(['semicolon', 'tab', 'bars', 'sep', 'empty-rows', 'bom', 'utf16'])('is read: %s', async (name) => {
    // In pieces of any size.
    for (const size of [1, 7, 1000]) {
      const { counts, faults, orders } = await importCsv(fileOf(name), size);
      expect([counts, faults]).toEqual([{ ...NOTHING, orders: 1 }, []]);
      expect(orders).toMatchObject(A1);
    }
  });

  it.each([
    ['broken-utf8', ['2: The cell of item_name is not UTF-8.'], []],
    ['blank-reference', ['3: The row names no order: each one needs an order_id or a reference.'], []],
    [
      'ragged',
      [
        expect.stringContaining('2: [{"field":"items[0].unit_price"'),
        '3: The row has more cells than the file has columns: 6.',
      ],
      [],
    ],
    [
      'sorted-by-sku',
      [2, 4].map(
        (line) => `${line}: The rows of an order must stand together, and others are between those of this one.`,
      ),
      ['A2'],
    ],
  ])('is imported without the orders of which a row is wrong: %s', async (name, expected, stored) => {
    const { faults, orders } = await importCsv(fileOf(name));
    expect(faults).toEqual(expected);
    expect(orders).toMatchObject(stored.map((reference) => ({ reference })));
  });

  it.each([
    ['without a row', fileOf('empty'), 'FILE: is empty; its first row must have the names of the columns'],
    ['of empty lines', '\r\n;;\r\n', 'FILE: is empty'],
    ['with a column twice', fileOf('dup-column'), 'FILE: the column "reference" is there twice'],
    ['with an unknown column', 'colour\nred', 'the column "colour" is unknown; the columns are order_id, reference'],
    ['without a column for ids', 'sku\nTEA', 'FILE: a column order_id or reference is required'],
  ])('is rejected %s', async (_, text, message) => {
    await expect(importCsv(text)).rejects.toThrow(message);
  });

  it.each([
    ['a quote that is not closed', 'A2,TEA,"Tea,1,1,EUR\nA3,TEA,Tea,1,1,EUR\n', 'a quote is not closed'],
    ['a quote within a cell', 'A2,TEA,5" pipe,1,1,EUR\n', 'a quote is within a cell that does not begin with one'],
    ['more behind a quote', 'A2,TEA,"Tea"!,1,1,EUR\n', 'a cell goes on behind its closing quote'],
  ])('with %s is read up to the order before it, which it may belong to', async (_, rows, fault) => {
    const text = `${HEAD}\nA0,TEA,"Tea\r\n\nand\rmore",1,1,EUR\nA1,TEA,Tea,1,1,EUR\n${rows}`;
    const { faults, orders, lastLine } = await importCsv(text);
    expect(faults).toEqual([`6: The file cannot be read from here on: ${fault}.`]);
    expect([orders, lastLine]).toMatchObject([[{ reference: 'A0', items: [{ name: 'Tea\r\n\nand\rmore' }] }], 4]);
  });

  it('has rows of an order that state the same about it, or nothing', async () => {
    const rows = [
      `order_id,${HEAD},status,note,metadata,,`,
      // One has an id as well; separators at the end of a row are no cells.
      ',PO-1,TEA,Tea,2,450,EUR,pending,ring,"{""a"":""b""}",,,,',
      ',PO-1,MUG,"Mug, blue",1,900,,,,',
      ',PO-1,CUP,Cup,1,900,EUR,pending,ring',
      ',PO-2,TEA,Tea,1,450,EUR,,,"{""a"":""b"",""a"":""c""}"',
      ',PO-3,TEA,Tea,1,450,EUR',
      ',PO-3,MUG,Mug,1,450,USD',
      '10000000-0000-4000-8000-000000000000,PO-4,TEA,Tea,1,450,EUR',
      '20000000-0000-4000-8000-000000000000,PO-4,MUG,Mug,1,450,EUR',
      ',PO-5,TEA,Tea,1.5,450,EUR',
      ...Array.from({ length: ITEMS_MAX + 5 }, () => ',PO-6,TEA,Tea,1,450,EUR'),
    ];
    const { faults, orders } = await importCsv(rows.join('\n'));
    expect(orders).toMatchObject([{ reference: 'PO-1', total: { amount: 2700 }, metadata: { a: 'b' } }]);
    expect(faults).toEqual([
      '5: The cell of metadata has a member twice: a must occur once, got it on line 5 and line 5.',
      '7: The cell of currency differs from that of the same order on line 6.',
      '9: The cell of order_id differs from that of the same order on line 8.',
      expect.stringContaining('10: [{"field":"items[0].quantity","message":"must be an integer"'),
      expect.stringContaining('11: [{"field":"items","message":"must have at most 100 items"'),
    ]);
  });

  it('of lines that end with carriage returns is read, and their numbers are right', async () => {
    const { faults, orders } = await importCsv(`${HEAD}\rA1,LAMP,Lamp,2,450,EUR\r\rB1,LAMP,Lamp,x,450,EUR`, 3);
    expect(orders).toMatchObject(A1);
    expect(faults).toEqual([expect.stringMatching(/^4: \[\{"field":"items\[0\]\.quantity"/)]);
  });

  it('with bytes that are no UTF-16 says where', async () => {
    const text = Buffer.from(`\uFEFF${HEAD}\nA1,LAMP,Lamp,2,450,EUR\nB1,LAMP,La\uD83Dmp,2,450,EUR\n`, 'utf16le');
    const { faults, orders } = await importCsv(text, 3);
    expect(orders).toMatchObject(A1);
    expect(faults).toEqual(['3: The cell of item_name is not UTF-8.']);
    expect((await importCsv(Buffer.from(text).swap16(), 3)).faults).toEqual(faults);
  });
});

describe('CSV of an export', () => {
  it('that has lone carriage returns in cells is quoted, and the same after an import', async () => {
    const { shop, counts } = await importCsv(fileOf('cr-in-cell'));
    expect(counts).toEqual({ ...NOTHING, orders: 1 });
    const [csv, ndjson] = [await textOf(shop, csvOf(ORDERS)), await textOf(shop, NDJSON)];
    expect(csv).toContain('"one\rtwo"');
    const again = await importCsv(csv);
    expect(await textOf(again.shop, csvOf(ORDERS))).toBe(csv);
    expect(await textOf(again.shop, NDJSON)).toBe(ndjson);
  });

  it('begins no formula, in a row, behind a line break or where semicolons separate cells', async () => {
    const starts = ['', 'a\n', 'a\r', 'a\r\n', 'a;', 'a\n"', 'a;"', '"', "'", "a;'"];
    const texts = starts.flatMap((start) =>
      ['=1+1', '+1', '-1', '@x', "'=y", '\t=1', '＝1', 'x;y'].map((end) => start + end),
    );
    const shop = aShop();
    for (const name of texts) {
      const items = [{ sku: 'S', name, quantity: 1, unit_price: { amount: 1, currency: 'EUR' } }];
      (await shop.placeOrder(OWNER, { items, note: name, metadata: { note: name } }))._unsafeUnwrap();
    }
    const [csv, ndjson] = [await textOf(shop, csvOf(ORDERS), { customers: false }), await textOf(shop, NDJSON)];
    // As a program with semicolons or without quotes sees it.
    const cells = csv.split(/[;\r\n]"*|","|,"|,/);
    expect(cells.filter((cell) => /^[=+@\-\uFF1D]/.test(cell))).toEqual([]);
    expect(await textOf((await importCsv(csv)).shop, NDJSON)).toBe(ndjson);
  });
});
