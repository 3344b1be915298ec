import type { Owner } from '@orders/domain';
import { OWNERS_PAGE_MAX, type OwnersPage } from '@orders/domain/events';
import { sql } from 'kysely';
import type { DatabaseParts } from '../database-parts.ts';
import { aboutOwners, type Owners, pageOfLiving } from '../owners/living-owners.ts';
import type { OwnerStepOptions } from '../owners/owner-steps.ts';
import type { Orm } from '../tables/orm.ts';
import { lastEvent } from './feed-conditions.ts';
import { SCANNED, unnumberedStatement } from './unnumbered-changes.ts';

interface Page {
  readonly page: { readonly after: Owner };
}

interface Range {
  readonly range: { readonly after: Owner; readonly until: Owner };
  readonly consumer: { readonly name: string };
}

/** Returns the statement that selects the range of the next owners with a feed. */
function rangeStatement(orm: Orm) {
  return aboutOwners<Page, { readonly until: Owner | null; readonly count: number }>(
    orm,
    (p, isAmong) => sql`
      select max(f.owner_id) as until, count(*)::int as count from (
        select f.owner_id from our.feeds as f where f.owner_id > ${p('page', 'after')} and ${isAmong(sql`f.owner_id`)}
        order by f.owner_id limit ${sql.lit(OWNERS_PAGE_MAX)}) as f`,
  );
}

/**
 * Returns the statement that selects the owners of a range whose feed has another end than the position of a consumer. Both
 * are looked up for each owner; Citus accepts that in a condition.
 */
function behindStatement(orm: Orm) {
  return aboutOwners<Range, { readonly owner_id: Owner }>(
    orm,
    (p, isAmong) => sql`
      select f.owner_id from our.feeds as f
      where f.owner_id > ${p('range', 'after')} and f.owner_id <= ${p('range', 'until')} and ${isAmong(sql`f.owner_id`)}
        and coalesce((select k.position from our.checkpoints as k
            where k.owner_id = f.owner_id and k.name = ${p('consumer', 'name')}), 0)
          <> coalesce((select e.position ${lastEvent(sql`f.owner_id`)}), f.purged)`,
  );
}

/**
 * Returns a function that finds the next owners whose feed has another end than the position of a consumer: with a name that
 * none has, all that have events. It reads a thousand feeds and five thousand changes without a position, each by the first
 * entries of an index. While a node of Citus is down, it leaves out the owners of that node.
 */
export function ownerSearch(database: Pick<DatabaseParts, 'orm' | 'primary'>, options: OwnerStepOptions) {
  const { orm, primary } = database;
  const range = rangeStatement(orm);
  const behind = behindStatement(orm);
  const unnumbered = unnumberedStatement(orm);

  const search = async (name: string, after: Owner, among: Owners): Promise<OwnersPage> => {
    // First: a change that gets its position meanwhile is before the end of its feed for the statements that follow.
    const fresh = await unnumbered(primary, { range: { after }, limit: { time: '-infinity' } }, among);
    const [feeds] = await range(primary, { page: { after } }, among);
    const until = feeds?.until ?? null;
    const found = until === null ? [] : await behind(primary, { range: { after, until }, consumer: { name } }, among);
    const isLast = fresh.reduce((sum, { count }) => sum + count, 0) < SCANNED;
    const ends = [
      feeds?.count === OWNERS_PAGE_MAX ? until : null,
      isLast ? null : (fresh.at(-1)?.owner_id ?? null),
    ].filter((end) => end !== null);
    const next = ends.length === 0 ? null : ends.reduce((first, end) => (end < first ? end : first));
    const owners = new Set([...found, ...fresh].map(({ owner_id }) => owner_id));
    const inRange = [...owners].filter((owner) => next === null || owner <= next);
    return { owners: inRange.toSorted(byCharacters), next };
  };

  return (name: string, after: Owner | null): Promise<OwnersPage> =>
    pageOfLiving(database, 'changes', after ?? '', options, (among) => search(name, after ?? '', among));
}

/** Compares owners, which are ASCII, as the collation "C" does. */
function byCharacters(left: Owner, right: Owner): number {
  return left < right ? -1 : 1;
}
