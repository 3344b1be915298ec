import type { Domain, OrderDefinition } from '@orders/domain';
import { importRecords, type ImportSettings } from '../../../src/commands/bulk/import-records.ts';
import { ndjsonRecords, type Problem } from '../../../src/commands/bulk/input-records.ts';
import { OWNER } from './a-shop.ts';

/** Returns a function that opens bytes in pieces, which end anywhere. */
function opened(input: string | Buffer, size = 1000) {
  const bytes = Buffer.from(input);
  return async function* (): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    await Promise.resolve();
  };
}

/** How to import a text. */
export interface Importing extends Partial<ImportSettings> {
  readonly read?: typeof ndjsonRecords;
  /** The size of a piece. */
  readonly size?: number | undefined;
}

/** Imports a text, and returns what was done, and the problems by line. */
export async function importText(
  domain: Domain<OrderDefinition>,
  text: string | Buffer,
  { read = ndjsonRecords, size, ...settings }: Importing = {},
) {
  const problems: (readonly [number, Problem])[] = [];
  const ends: number[] = [];
  const { lastLine, ...counts } = await importRecords(domain, OWNER, read(opened(text, size)), {
    isDryRun: false,
    asHistory: false,
    stopsOnError: false,
    onFailure: async (line, problem) => {
      problems.push([line, problem]);
      await Promise.resolve();
    },
    onDone: (end) => ends.push(end),
    ...settings,
  });
  return { counts, lastLine, problems: problems.toSorted(([one], [other]) => one - other), ends };
}

const ITEMS = [{ sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 450, currency: 'EUR' } }];
export const lineOf = (kind: string, value: object) => `${JSON.stringify({ kind, ...value })}\n`;
export const orderLine = (reference: string, more: object = {}) =>
  lineOf('order', { reference, items: ITEMS, ...more });
export const NOTHING = { customers: 0, orders: 0, existing: 0, versions: 0, failed: 0 };
