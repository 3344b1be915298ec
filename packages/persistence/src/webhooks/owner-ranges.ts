import type { Owner } from '@orders/domain';
import type { OpenedPools } from '../database/opened-pools.ts';
import type { OwnerPage } from '../owners/living-owners.ts';
import type { Found, OwnerWalk } from '../owners/owner-walk.ts';
import { isNodeFault, isOwnersFault } from '../postgres/postgres-errors.ts';
import type { OfOwners } from './of-owners.ts';
import type { QueueStatements } from './queue-statements.ts';

/**
 * Returns a function that queries the next owners. After a failure, it halves their number, until the owner that it is
 * about is alone and is passed over. While a node of Citus is down, it queries those of the others one by one.
 */
export function ownerRanges(
  { primary }: Pick<OpenedPools, 'primary'>,
  { owners, planAgain }: Pick<QueueStatements, 'owners' | 'planAgain'>,
) {
  return <Row>({ after, limit }: OwnerPage, walk: OwnerWalk, query: OfOwners<Row>): Promise<Found<Row>> => {
    const read = (size: number): Promise<Found<Row>> =>
      primary.transaction(async (transaction) => {
        await planAgain(transaction, {});
        const [range] = await owners(transaction, { after, limit: size });
        if (typeof range?.until !== 'string') return { rows: [], next: null };
        const { until, count } = range;
        const rows = await query.ofRange(transaction, { after, until });
        return { rows, next: count < size ? null : until };
      });
    const readAll = async (): Promise<Found<Row>> => {
      for (let size = limit; size > 1; size = Math.ceil(size / 2)) {
        try {
          return await read(size);
        } catch (cause) {
          if (isNodeFault(cause) || !isOwnersFault(cause)) throw cause;
        }
      }
      const [first] = await owners(primary, { after, limit: 1 });
      if (typeof first?.until !== 'string') return { rows: [], next: null };
      return (await walk.attempt(first.until, () => read(1))) ?? { rows: [], next: first.until };
    };
    const readEach = async (living: readonly Owner[]): Promise<Found<Row>> => {
      const rows: Row[] = [];
      for (const owner_id of living.slice(0, limit))
        rows.push(...((await walk.attempt(owner_id, () => query.ofOwner(primary, { owner_id }))) ?? []));
      return { rows, next: living.length < limit ? null : (living[limit - 1] ?? null) };
    };
    return walk.page((_, among) => (among === null ? readAll() : readEach(among)), after);
  };
}
