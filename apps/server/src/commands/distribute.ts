import type { DistributeOptions, OrdersDatabase } from '@orders/persistence';
import { OperatorError } from '../operator-error.ts';
import type { Arguments, Command } from './command.ts';
import { print } from './print.ts';

/** Distributes the tables of a Citus database. */
export const distribute: Command = {
  usage: 'distribute [--shards 32]',
  about: 'distributes the tables over the nodes of a Citus cluster by owner',
  examples: ['distribute', 'distribute --shards 128'],
  prepare: async ({ values }) => {
    const options = await readDistribution(values);
    return async ({ database }) => {
      await print(MESSAGES[await distributed(database, options)]);
    };
  },
};

const MESSAGES = {
  distributed: 'The tables are distributed by owner_id.\n',
  no_citus: 'This PostgreSQL has no Citus: nothing was changed.\n',
};

async function readDistribution({ shards: given }: Arguments['values']): Promise<DistributeOptions> {
  const { SHARDS_DEFAULT, SHARDS_MAX } = await import('@orders/persistence');
  const text = given ?? `${SHARDS_DEFAULT}`;
  const shards = /^[1-9][0-9]{0,4}$/.test(text) ? Number(text) : Number.NaN;
  if (shards <= SHARDS_MAX) return { shards };
  throw new OperatorError([`--shards: must be a whole number from 1 to ${SHARDS_MAX}`]);
}

async function distributed(database: OrdersDatabase, options: DistributeOptions) {
  const { distribute: distributeTables } = await import('@orders/persistence');
  try {
    return await distributeTables(database, options);
  } catch (cause) {
    throw new OperatorError([`the tables cannot be distributed: ${String(cause)}`], { cause });
  }
}
