import { Option } from 'commander';
import { OperatorError } from '../../operator-error.ts';
import { printable, report } from '../../terminal.ts';
import { REASON } from '../audited.ts';
import type { Command } from '../command.ts';
import { OWNER, readOwner } from '../owner.ts';
import { FORMAT } from './format.ts';
import { openOutput, type Output } from './output.ts';
import { Progress } from '../progress.ts';
import type { Problem } from './input-records.ts';

/** Imports customers and orders. What an earlier run has imported is left as it is. */
export const importOrders: Command = {
  usage: 'import <file>',
  records: ({ flags }) => (flags.has('dry-run') ? null : { action: 'import', subject: null }),
  about: 'imports the customers and orders in a file, or on standard input for -; run it again to continue',
  options: [
    OWNER,
    FORMAT,
    new Option('--dry-run', 'checks everything, and stores nothing'),
    new Option('--on-error <what>', 'whether it goes on after a record that fails')
      .choices(['stop', 'skip'])
      .default('stop'),
    new Option('--errors <file>', 'the file for the records that fail'),
    new Option('--as-history', 'whether the orders are from before the rules of the server, so that none refuses them'),
    REASON,
  ],
  examples: [
    'import shop.ndjson --owner shop --dry-run --on-error skip',
    'import shop.ndjson --owner shop --on-error skip --errors failed.ndjson',
    'import - --owner shop --as-history < shop.ndjson',
  ],
  endsBySignal: true,
  prepare: async (args, definition) => {
    const owner = await readOwner(args);
    const { format, 'on-error': onError, errors } = args.values;
    const [file = ''] = args.positionals;
    const isDryRun = args.flags.has('dry-run');
    return async ({ openDomain }, signal) => {
      const { importRecords } = await import('./import-records.ts');
      const readRecords =
        format === 'csv'
          ? (await import('./csv-import.ts')).csvRecordsOf(definition)
          : (await import('./input-records.ts')).ndjsonRecords;
      const { inputFile } = await import('./input-file.ts');
      const input = await inputFile(file, format === 'csv', signal);
      const failures = errors === undefined ? null : await openOutput(errors, '--errors');
      const progress = new Progress(isDryRun ? 'checked' : 'imported');
      try {
        const counts = await importRecords(openDomain(), owner, readRecords(input.open), {
          isDryRun,
          asHistory: args.flags.has('as-history'),
          stopsOnError: onError === 'stop',
          onFailure: (line, problem) => reportFailure(line, problem, failures),
          onDone: (end) => progress.add(1, input.size === 0 ? 0 : end / input.size),
        });
        await failures?.finish();
        const { customers, orders, existing, failed, lastLine } = counts;
        const done = isDryRun ? 'checked' : 'imported';
        const upTo = lastLine === 0 ? 'nothing' : `everything up to line ${lastLine}`;
        if (failed > 0 && onError === 'stop') report(`stopped: ${upTo} is ${done}, and nothing after that`);
        progress.end(`${done} ${customers} customers and ${orders} orders; ${existing} existed, ${failed} failed,`);
        if (failed > 0) throw new OperatorError([]);
      } finally {
        progress.stop();
        await failures?.close();
        await input.close();
      }
    };
  },
};

/** Reports a failure on standard error, and as a line of JSON in the file of failures. */
async function reportFailure(line: number, problem: Problem, failures: Output | null): Promise<void> {
  const { code, errors, ...members } = problem;
  const fields = Array.isArray(errors) ? errors.map(({ field, message }) => `${field} ${message}`) : [];
  const rest = Object.entries(members).map(([name, value]) => (name === 'detail' ? value : `${name} ${String(value)}`));
  report(`line ${line}: ${[code, ...fields, ...rest].join('; ')}`);
  await failures?.write(`${printable(JSON.stringify({ line, problem }))}\n`);
}
