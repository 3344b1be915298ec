import { parseArgs } from 'node:util';
import type { Database } from '@orders/persistence';
import { OperatorError } from '../operator-error.ts';
import type { Command } from './command.ts';
import { print } from './print.ts';

/** Brings the database's schema up to date, or reports what that would do. */
export const migrate: Command = {
  usage: 'migrate [--status]',
  about: 'applies the pending migrations; --status lists all migrations and changes nothing',
  needs: (args) => (isStatus(args) ? 'database' : 'nothing'),
  prepare: (args) => {
    if (isStatus(args)) {
      return async ({ database }) => {
        for (const [state, names] of Object.entries(await database.schemaStatus())) {
          for (const name of names) await print(`${state}\t${name}\n`);
        }
      };
    }
    return async ({ database }, signal) => {
      const applied = await migrated(database, signal);
      for (const name of applied) await print(`applied\t${name}\n`);
      const { unknown } = await database.schemaStatus();
      await print(
        unknown.length === 0
          ? 'The schema is up to date.\n'
          : `The schema is newer than this release (unknown: ${unknown.join(', ')}).\n`,
      );
    };
  },
};

async function migrated(database: Database, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return await database.migrate({ signal, log: (message) => console.error(message) });
  } catch (cause) {
    signal.throwIfAborted();
    throw OperatorError.of(cause);
  }
}

function isStatus(args: readonly string[]): boolean {
  try {
    const { values } = parseArgs({ args: [...args], options: { status: { type: 'boolean', default: false } } });
    return values.status;
  } catch (cause) {
    throw OperatorError.of(cause);
  }
}
