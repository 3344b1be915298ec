import type { Owner } from '@orders/domain';
import { sql } from 'kysely';
import type { DatabaseParts } from '../database-parts.ts';
import { aboutOwners, type OwnerRange, type Owners } from './living-owners.ts';
import type { Search } from './owner-walk.ts';

/**
 * Prepares searches over the owners with rows in a table, in ranges of so many rows. Each reads a range, and what `find` returns
 * of it.
 */
export function searchRanges({ orm, primary }: Pick<DatabaseParts, 'orm' | 'primary'>, table: string, size: number) {
  const rangeOf = aboutOwners<
    { range: Pick<OwnerRange['range'], 'after'> },
    { readonly until: Owner | null; readonly count: number }
  >(
    orm,
    (p, isAmong) => sql`select max(o.owner_id) as until, count(*)::int as count from (
      select owner_id from ${sql.raw(`our.${table}`)} where owner_id > ${p('range', 'after')} and ${isAmong(sql`owner_id`)}
      order by owner_id limit ${sql.lit(size)}) as o`,
  );
  return <Row>(find: (values: OwnerRange, among: Owners) => Promise<readonly Row[]>): Search<Row> =>
    async (after, among) => {
      const [range] = await rangeOf(primary, { range: { after } }, among);
      const until = range?.until ?? null;
      const rows = until === null ? [] : await find({ range: { after, until } }, among);
      return { rows, next: range?.count === size ? until : null };
    };
}
