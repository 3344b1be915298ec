import { Option } from 'commander';
import { OperatorError } from '../../operator-error.ts';
import { REASON } from '../audited.ts';
import type { Command } from '../command.ts';
import { ORDER_FILTERS, orderQuery } from '../order-filters.ts';
import { Progress } from '../progress.ts';
import { OWNER, readOwner } from '../owner.ts';
import { FORMAT } from './format.ts';

/** Exports all customers and the chosen orders of an owner. */
export const exportOrders: Command = {
  usage: 'export',
  records: () => ({ action: 'export', subject: null }),
  about: 'writes the customers and orders of an owner, for import or a spreadsheet',
  options: [
    OWNER,
    FORMAT,
    ...ORDER_FILTERS,
    new Option('--include <what>', 'the versions of each order, after it').choices(['versions']),
    new Option('--out <file>', 'the file to write, instead of standard output'),
    REASON,
  ],
  examples: [
    'export --owner shop --out shop.ndjson',
    'export --owner shop --include versions --out archive.ndjson',
    'export --owner shop --format csv --from 2026-01-01T00:00:00Z --before 2026-02-01T00:00:00Z --out january.csv',
  ],
  endsBySignal: true,
  prepare: async (args, definition) => {
    const { parseOrderQuery } = await import('@orders/domain');
    const owner = await readOwner(args);
    const { format, include, out } = args.values;
    const orders = orderQuery(args, false);
    const query = parseOrderQuery(orders, definition);
    const faults = [
      ...(include !== undefined && format === 'csv' ? ['--include: needs --format ndjson'] : []),
      ...(query.isErr() ? query.error.errors.map(({ field, message }) => `${field}: ${message}`) : []),
    ];
    if (faults.length > 0) throw new OperatorError(faults);
    const selection = { orders, versions: include !== undefined, customers: format !== 'csv' };
    return async ({ openDomain }, signal) => {
      const { openOutput } = await import('./output.ts');
      const { exportedPages } = await import('./exported-pages.ts');
      const { head, textOf } = format === 'csv' ? (await import('./csv-export.ts')).csvOf(definition) : await ndjson();
      const output = await openOutput(out);
      const progress = new Progress('exported');
      const counts = { customer: 0, order: 0, version: 0 };
      try {
        await output.write(head);
        for await (const page of exportedPages(openDomain(), owner, selection)) {
          signal.throwIfAborted();
          await output.write(textOf(page));
          for (const { kind } of page) counts[kind] += 1;
          progress.add(page.length);
        }
        await output.finish();
        progress.end(`exported ${counts.customer} customers and ${counts.order} orders`);
      } finally {
        progress.stop();
        await output.close();
      }
    };
  },
};

async function ndjson() {
  const { NDJSON } = await import('./export-format.ts');
  return NDJSON;
}
