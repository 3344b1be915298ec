import { Option } from 'commander';
import { OperatorError } from '../operator-error.ts';
import type { Store } from '../database/store.ts';
import { Progress } from './progress.ts';
import type { Arguments, Command } from './command.ts';

export const OWNER = new Option('--owner <owner>', 'the owner of the resources, such as shop');

/** What is wrong with an `--owner` that is none. */
export const OWNER_FAULT = '--owner: must be 1 to 255 printable ASCII characters';

/**
 * Parses `--owner`.
 *
 * @throws {OperatorError} it is missing or invalid
 */
export async function readOwner({ values: { owner = '' } }: Arguments): Promise<string> {
  const { isOwner } = await import('@orders/domain');
  if (isOwner(owner)) return owner;
  throw new OperatorError([OWNER_FAULT]);
}

/**
 * Returns how to prepare work that is done for the owner of `--owner`, or for all owners one after the other.
 *
 * @throws {OperatorError} the owner is invalid, or nothing was ever stored of it
 */
export function ofEachOwner(work: (owners: AsyncIterable<string>, store: Store) => Promise<void>): Command['prepare'] {
  return async (args) => {
    const owner = args.values['owner'] === undefined ? undefined : await readOwner(args);
    return async (store, signal) => {
      const { owners, readEvents } = await import('@orders/domain/events');
      const { postgresCheckpoints } = await import('@orders/persistence');
      if (owner === undefined)
        return await work(counted(owners(postgresCheckpoints(store.database), { signal })), store);
      const latest = await readEvents(store.openFeed(), owner, { start: 'latest' });
      if (latest.isOk() && latest.value.next.position === 0)
        throw new OperatorError([`--owner: nothing was ever stored of ${owner}`]);
      await work(counted([owner]), store);
    };
  };
}

/** Yields the owners, and reports how many are done. */
async function* counted(owners: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  const progress = new Progress('worked through', 'owners');
  try {
    for await (const each of owners) {
      yield each;
      progress.add(1);
    }
  } finally {
    progress.stop();
  }
}
