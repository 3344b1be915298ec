import type { Owner } from '@orders/domain';
import { sql } from '../sql/sql.ts';
import type { OpenedPools } from '../database/opened-pools.ts';
import { aboutOwners, among, type OwnerRange, type Owners } from './living-owners.ts';
import type { Search } from './owner-walk.ts';

/**
 * Prepares searches over the owners with rows in a table, in ranges of so many rows. Each reads a range, and what `find` returns
 * of it.
 */
export function searchRanges({ orm, primary }: Pick<OpenedPools, 'orm' | 'primary'>, table: string, size: number) {
  type Found = { readonly until: Owner | null; readonly count: number };
  const rangeOf = aboutOwners<Pick<OwnerRange, 'after'>, Found>(orm)`
      select max(o.owner_id) as until, count(*)::int as count from (
      select owner_id from ${sql.raw(`our.${table}`)} where owner_id > ${'after'} and ${among('owner_id')}
      order by owner_id limit ${sql.lit(size)}) as o`;
  return <Row>(find: (values: OwnerRange, owners: Owners) => Promise<readonly Row[]>): Search<Row> =>
    async (after, owners) => {
      const [range] = await rangeOf(primary, { after }, owners);
      const until = range?.until ?? null;
      const rows = until === null ? [] : await find({ after, until }, owners);
      return { rows, next: range?.count === size ? until : null };
    };
}
