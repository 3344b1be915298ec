import { StartupError } from '../startup-error.ts';
import type { Command } from './command.ts';

/** Brings the database's schema up to date, which opening it has done. */
export const migrate: Command = {
  usage: 'migrate',
  prepare: (args) => {
    if (args.length > 0) throw new StartupError(['migrate takes no arguments']);
    return () => {
      process.stdout.write('The schema is up to date.\n');
      return Promise.resolve();
    };
  },
};
