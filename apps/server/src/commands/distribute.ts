import type { OrdersDatabase } from '@orders/persistence';
import { OperatorError } from '../operator-error.ts';
import type { Command } from './command.ts';
import { print } from './print.ts';

/** Distributes the tables of a Citus database. */
export const distribute: Command = {
  usage: 'distribute',
  about: 'distributes the tables over the nodes of a Citus cluster by owner',
  examples: ['distribute'],
  prepare: (args) => {
    if (args.length > 0) throw new OperatorError(['distribute takes no arguments']);
    return async ({ database }) => {
      await print(MESSAGES[await distributed(database)]);
    };
  },
};

const MESSAGES = {
  distributed: 'The tables are distributed by owner_id.\n',
  no_citus: 'This PostgreSQL has no Citus: nothing was changed.\n',
};

async function distributed(database: OrdersDatabase) {
  const { distribute: distributeTables } = await import('@orders/persistence');
  try {
    return await distributeTables(database);
  } catch (cause) {
    throw new OperatorError([`the tables cannot be distributed: ${String(cause)}`], { cause });
  }
}
