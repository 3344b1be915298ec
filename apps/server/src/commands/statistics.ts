import { OperatorError } from '../operator-error.ts';
import type { Command } from './command.ts';
import { print } from './print.ts';

/** Counts orders again, one owner after the other. May be repeated, and run beside servers. */
export const rebuildStatistics: Command = {
  usage: 'statistics rebuild [--owner OWNER]',
  about: 'counts the orders of an owner, or of all owners, again',
  examples: ['statistics rebuild', 'statistics rebuild --owner shop'],
  prepare: async ({ values: { owner } }) => {
    const { isOwner } = await import('@orders/domain');
    if (owner !== undefined && !isOwner(owner))
      throw new OperatorError(['--owner: must be 1 to 255 printable ASCII characters']);
    return async ({ database }, signal) => {
      const { owners } = await import('@orders/domain/events');
      const { postgresCheckpoints, rebuildStatistics: rebuild } = await import('@orders/persistence');
      let count = 0;
      for await (const each of owner === undefined ? owners(postgresCheckpoints(database), { signal }) : [owner]) {
        await rebuild(database, each);
        count += 1;
      }
      await print(count === 1 ? '1 owner was counted again.\n' : `${count} owners were counted again.\n`);
    };
  },
};
