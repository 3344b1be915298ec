import type { Owner } from '@orders/domain';
import { sql } from '../sql/sql.ts';
import type { OpenedPools } from '../database/opened-pools.ts';
import type { Orm } from '../tables/orm.ts';
import { aboutOwners, among } from '../owners/living-owners.ts';
import type { Search } from '../owners/owner-walk.ts';

/** Changes per statement: few enough that it takes milliseconds. */
const SCANNED_MAX = 5000;

/** The changes of an owner without a position, as the driver returns them. */
export interface UnnumberedChanges {
  readonly owner_id: Owner;
  /** Their number, or that of the oldest of them. */
  readonly count: number;
  /** The time of the oldest. */
  readonly oldest_at: string;
  /** Whether the oldest occurred until the given time. */
  readonly is_old: boolean;
}

interface Range {
  readonly after: Owner;
  readonly time: string;
}

/**
 * Returns the statement that visits a batch of changes without a position, by owner and time. It includes all owners, by
 * an index that has these changes alone.
 */
function unnumberedStatement(orm: Orm, size: number) {
  return aboutOwners<Range, UnnumberedChanges>(orm)`
      select owner_id, count(*)::int as count, min(occurred_at) as oldest_at,
        min(occurred_at) <= ${'time'}::timestamptz as is_old
      from (
        select owner_id, occurred_at from our.changes
        where position is null and type is not null and owner_id > ${'after'}
          and ${among('owner_id')}
        order by owner_id, occurred_at limit ${sql.lit(size)}
      ) as batch
      group by owner_id order by owner_id`;
}

/** Returns the search for owners that have changes without a position, each once. A statement reads `size` changes at most. */
export function unnumberedSearch(
  { orm, primary }: Pick<OpenedPools, 'orm' | 'primary'>,
  until = '-infinity',
  size = SCANNED_MAX,
): Search<UnnumberedChanges> {
  const statement = unnumberedStatement(orm, size);
  return async (after, owners) => {
    const rows = await statement(primary, { after, time: until }, owners);
    const isLast = rows.reduce((sum, { count }) => sum + count, 0) < size;
    // The last owner of a full batch may have more changes, unless it fills the batch alone.
    const complete = isLast || rows.length === 1 ? rows : rows.slice(0, -1);
    return { rows: complete, next: isLast ? null : (complete.at(-1)?.owner_id ?? null) };
  };
}
