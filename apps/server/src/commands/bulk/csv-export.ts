import type { AnyOrder, OrderDefinition } from '@orders/domain';
import { stringify } from 'csv-stringify/sync';
import { escapeFormulas } from './csv-cells.ts';
import { type Column, CURRENCY, csvColumns } from './csv-columns.ts';
import type { ExportFormat } from './export-format.ts';

/**
 * CSV (RFC 4180) with a row for each item. The id of the order is on every row, and its other columns are on the first one
 * alone, so that sums are right. An apostrophe is before what a spreadsheet would take for a formula, and cells with an end
 * of a line or a separator are quoted.
 */
export function csvOf(definition: OrderDefinition): ExportFormat {
  const columns = csvColumns(definition);
  const textOf = (rows: readonly (readonly string[])[]) =>
    stringify(
      rows.map((row) => [...row]),
      { record_delimiter: 'windows', quoted_match: /[\r\n;\t]/ },
    );
  return {
    head: textOf([columns.map(({ name }) => name)]),
    textOf: (page) => textOf(page.flatMap(({ kind, value }) => (kind === 'order' ? rowsOf(columns, value) : []))),
  };
}

function rowsOf(columns: readonly Column[], order: AnyOrder): readonly (readonly string[])[] {
  return order.items.map((item, line) =>
    columns.map((column) => {
      const { of, member, within, name } = column;
      if (of === 'item') return cellOf(column, Reflect.get(item, member));
      if (line > 0 && member !== 'id') return '';
      if (name === CURRENCY) return order.total.currency;
      const object: unknown = within === undefined ? order : Reflect.get(order, within);
      return cellOf(column, object === null ? null : Reflect.get(Object(object), member));
    }),
  );
}

function cellOf({ type }: Column, value: unknown): string {
  if (value === null || value === undefined) return '';
  // Behind a semicolon, a text in it could begin a formula.
  if (type === 'json') return isEmpty(value) ? '' : JSON.stringify(value).replaceAll(';', String.raw`\u003b`);
  if (type === 'amount') return String(Reflect.get(Object(value), 'amount'));
  if (typeof value !== 'string') return JSON.stringify(value);
  return escapeFormulas(value);
}

/** Whether a list or an object has nothing, which an empty cell says, too. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
