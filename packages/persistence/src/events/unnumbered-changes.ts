import type { Owner } from '@orders/domain';
import { sql } from 'kysely';
import type { DatabaseParts } from '../database-parts.ts';
import type { Orm } from '../tables/orm.ts';
import { aboutOwners, livingPages, type Owners } from '../owners/living-owners.ts';
import type { OwnerSteps } from '../owners/owner-steps.ts';

/** Changes per statement: few enough that it takes milliseconds. */
export const SCANNED = 5000;

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
  readonly range: { readonly after: Owner };
  readonly limit: { readonly time: string };
}

/**
 * Returns the statement that visits a batch of changes without a position, by owner and time. It includes all owners, by
 * an index that has these changes alone.
 */
export function unnumberedStatement(orm: Orm) {
  return aboutOwners<Range, UnnumberedChanges>(
    orm,
    (p, isAmong) => sql<UnnumberedChanges>`
      select owner_id, count(*)::int as count, min(occurred_at) as oldest_at,
        min(occurred_at) <= ${p('limit', 'time')}::timestamptz as is_old
      from (
        select owner_id, occurred_at from our.changes
        where position is null and type is not null and owner_id > ${p('range', 'after')}
          and ${isAmong(sql`owner_id`)}
        order by owner_id, occurred_at limit ${sql.lit(SCANNED)}
      ) as batch
      group by owner_id order by owner_id`,
  );
}

/** The owners to search for changes without a position. */
interface Searched {
  /** The time for `is_old`. */
  readonly until: string;
  /** Default: all. */
  readonly owners?: Owners;
}

/** Returns the owners that have changes without a position, each once. While a node of Citus is down, those of the others. */
export async function* unnumberedChanges(
  database: Pick<DatabaseParts, 'orm' | 'primary'>,
  steps: OwnerSteps,
  { until, owners = null }: Searched,
): AsyncGenerator<UnnumberedChanges> {
  const statement = unnumberedStatement(database.orm);
  let after = '';
  const search = async function* (some: Owners): AsyncGenerator<UnnumberedChanges> {
    for (;;) {
      const rows = await statement(database.primary, { range: { after }, limit: { time: until } }, some);
      const isLast = rows.reduce((sum, { count }) => sum + count, 0) < SCANNED;
      // The last owner of a full batch may have more changes, unless it fills the batch alone.
      const complete = isLast || rows.length === 1 ? rows : rows.slice(0, -1);
      yield* complete;
      const last = complete.at(-1);
      if (isLast || !last) return;
      after = last.owner_id;
    }
  };
  try {
    yield* search(owners);
  } catch (cause) {
    steps.leaveOutNode(cause);
    for await (const page of livingPages(database, 'changes', after)) yield* search(page);
  }
}
