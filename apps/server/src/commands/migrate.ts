import type { OrdersDatabase } from '@orders/persistence';
import { Option } from 'commander';
import { OperatorError } from '../operator-error.ts';
import { report } from '../terminal.ts';
import { recordCommand, REASON } from './audited.ts';
import type { Command } from './command.ts';
import { type Column, JSON_OUTPUT, printList } from './list-output.ts';
import { print } from './print.ts';

/** Applies pending migrations, or lists all migrations and their status. */
export const migrate: Command = {
  usage: 'migrate',
  records: 'itself',
  about: 'applies the pending migrations; --status lists all migrations and changes nothing',
  options: [new Option('--status', 'lists all migrations, and changes nothing'), JSON_OUTPUT, REASON],
  examples: ['migrate', 'migrate --status'],
  needs: ({ flags }) => (flags.has('status') ? 'database' : 'nothing'),
  prepare: (args) => {
    const { flags } = args;
    if (flags.has('json') && !flags.has('status')) throw new OperatorError(['--json: needs --status']);
    if (flags.has('status')) {
      return async ({ database }) => {
        const { applied, pending, unknown } = await database.schemaStatus();
        const inState = (state: string, names: readonly string[]) => names.map((name) => ({ name, state }));
        const migrations = [
          ...inState('applied', applied),
          ...inState('pending', pending),
          ...inState('unknown', unknown),
        ];
        await printList(migrations, MIGRATION_COLUMNS, args);
      };
    }
    return async ({ database }, signal) => {
      const applied = await migrated(database, signal);
      const subject = applied.at(-1);
      if (subject !== undefined) await recordCommand(database, args, { action: 'migrate', subject });
      for (const name of applied) await print(`applied ${name}\n`);
      const { unknown } = await database.schemaStatus();
      await print(
        unknown.length === 0
          ? 'The schema is up to date.\n'
          : `The schema is newer than this release (unknown: ${unknown.join(', ')}).\n`,
      );
    };
  },
};

async function migrated(database: OrdersDatabase, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return await database.migrate({ signal, log: report });
  } catch (cause) {
    signal.throwIfAborted();
    throw OperatorError.of(cause);
  }
}

const MIGRATION_COLUMNS: readonly Column<{ readonly name: string; readonly state: string }>[] = [
  { header: 'MIGRATION', cell: ({ name }) => name },
  { header: 'STATE', cell: ({ state }) => state },
];

/** Distributes the tables of a Citus database. */
export const distribute: Command = {
  usage: 'distribute',
  records: () => ({ action: 'distribute', subject: null }),
  about: 'distributes the tables over the nodes of a Citus cluster by owner',
  options: [new Option('--shards <number>', 'the number of shards of each table; 32 without it'), REASON],
  examples: ['distribute', 'distribute --shards 128'],
  prepare: async ({ values }) => {
    const { distribute: distributeTables, SHARDS_DEFAULT, SHARDS_MAX } = await import('@orders/persistence');
    const { shards: text = `${SHARDS_DEFAULT}` } = values;
    const shards = /^[1-9][0-9]{0,4}$/.test(text) ? Number(text) : Number.NaN;
    if (!(shards <= SHARDS_MAX)) throw new OperatorError([`--shards: must be a whole number from 1 to ${SHARDS_MAX}`]);
    return async ({ database }) => {
      const outcome = await distributeTables(database, { shards }).catch((cause: unknown) => {
        throw new OperatorError([`the tables cannot be distributed: ${String(cause)}`], { cause });
      });
      await print(MESSAGES[outcome]);
    };
  },
};

const MESSAGES = {
  distributed: 'The tables are distributed by owner_id.\n',
  no_citus: 'This PostgreSQL has no Citus: nothing was changed.\n',
};
