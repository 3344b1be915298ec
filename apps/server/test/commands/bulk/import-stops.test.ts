import { ORDERS } from '@orders/domain';
import { expect, it } from 'vitest';
import { csvRecordsOf } from '../../../src/commands/bulk/csv-import.ts';
import { NDJSON } from '../../../src/commands/bulk/export-format.ts';
import { aShop, textOf } from './a-shop.ts';
import { type Importing, importText, lineOf, orderLine } from './import-text.ts';

const COUNT = 500;
const numbered = (line: (at: number) => string) => Array.from({ length: COUNT }, (_, at) => line(at));
const id = (at: number) => `10000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
const row = (at: number, price = '1') => `A${at},S,Name,1,${price},EUR\n`;

/** Lines of which the one at an index fails, by what is wrong with it. */
const INPUTS: Readonly<Record<string, (failing: number) => readonly [text: string, how: Importing]>> = {
  'an invalid order': (failing) => [
    numbered((at) => orderLine(`A${at}`, at === failing ? { items: [] } : {})).join(''),
    {},
  ],
  'a reference that is taken': (failing) => [
    numbered((at) => (at === failing ? orderLine('A0', { note: 'other' }) : orderLine(`A${at}`))).join(''),
    {},
  ],
  'no JSON': (failing) => [numbered((at) => (at === failing ? '{"kind"\n' : orderLine(`A${at}`))).join(''), {}],
  'an unknown kind': (failing) => [
    numbered((at) => (at === failing ? lineOf('parcel', {}) : orderLine(`A${at}`))).join(''),
    {},
  ],
  'a customer of a taken email': (failing) => [
    numbered((at) => lineOf('customer', { id: id(at), email: `${at === failing ? 0 : at}@example.com` })).join(''),
    {},
  ],
  'a row of CSV with too many cells': (failing) => [
    `reference,sku,item_name,quantity,unit_price,currency\n${numbered((at) => row(at, at === failing ? '1,2' : '1')).join('')}`,
    { read: csvRecordsOf(ORDERS) },
  ],
  'an invalid row of CSV': (failing) => [
    `reference,sku,item_name,quantity,unit_price,currency\n${numbered((at) => row(at, at === failing ? 'x' : '1')).join('')}`,
    { read: csvRecordsOf(ORDERS) },
  ],
};

it.each(Object.keys(INPUTS))('an import stops at %s: all before it is stored, and nothing behind it', async (name) => {
  for (const failing of [1, 99, 100, 350]) {
    const [text, how] = INPUTS[name]?.(failing) ?? ['', {}];
    const shop = aShop();
    const { counts, problems, lastLine } = await importText(shop, text, { ...how, stopsOnError: true });
    const line = failing + (how.read ? 2 : 1);
    expect(problems.map(([at]) => at)).toEqual([line]);
    expect([counts.orders + counts.customers, counts.failed, lastLine]).toEqual([failing, 1, line - 1]);
    expect((await textOf(shop, NDJSON)).split('\n')).toHaveLength(failing + 1);
    if (/taken/.test(name)) continue;
    const dry = await importText(aShop(), text, { ...how, stopsOnError: true, isDryRun: true });
    expect([dry.counts, dry.lastLine, dry.problems]).toEqual([counts, lastLine, problems]);
  }
});

it('an import that stops has nothing to say about a line before an invalid first one', async () => {
  const { counts, lastLine } = await importText(aShop(), 'x\n', { stopsOnError: true });
  expect([counts.failed, lastLine]).toEqual([1, 0]);
});
