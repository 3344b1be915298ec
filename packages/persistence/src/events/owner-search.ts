import type { Owner } from '@orders/domain';
import { OWNERS_PAGE_MAX, type OwnersPage } from '@orders/domain/events';
import { sql } from '../sql/sql.ts';
import type { OpenedPools } from '../database/opened-pools.ts';
import { aboutOwners, among, type OwnerRange } from '../owners/living-owners.ts';
import { type OwnerStepOptions, OwnerWalk, type Search } from '../owners/owner-walk.ts';
import { searchRanges } from '../owners/search-ranges.ts';
import type { Orm } from '../tables/orm.ts';
import { lastEvent } from './feed-conditions.ts';
import { unnumberedSearch } from './unnumbered-changes.ts';

interface Range extends OwnerRange {
  readonly name: string;
}

/**
 * Returns the statement that selects the owners of a range whose feed has another end than the position of a consumer. Both
 * are looked up for each owner; Citus accepts that in a condition.
 */
function behindStatement(orm: Orm) {
  return aboutOwners<Range, { readonly owner_id: Owner }>(orm)`
      select f.owner_id from our.feeds as f
      where f.owner_id > ${'after'} and f.owner_id <= ${'until'} and ${among('f.owner_id')}
        and coalesce((select k.position from our.checkpoints as k
            where k.owner_id = f.owner_id and k.name = ${'name'} and ${among('k.owner_id')}), 0)
          <> coalesce((select e.position ${(...of) => lastEvent(sql`f.owner_id`, among('e.owner_id')(...of))}), f.purged)`;
}

/**
 * Returns a function that finds the next owners whose feed has another end than the position of a consumer: with a name that
 * none has, all that have events. It reads a thousand feeds and as many changes without a position, each by the first
 * entries of an index. While a node of Citus is down, it leaves out the owners of that node.
 */
export function ownerSearch(database: Pick<OpenedPools, 'orm' | 'primary'>, options: OwnerStepOptions) {
  const behind = behindStatement(database.orm);
  const unnumbered = unnumberedSearch(database, undefined, OWNERS_PAGE_MAX);
  const searchFeeds = searchRanges(database, 'feeds', OWNERS_PAGE_MAX);

  const searchOf = (name: string): Search<Owner> => {
    const feeds = searchFeeds((range, owners) => behind(database.primary, { ...range, name }, owners));
    return async (after, reached) => {
      // First: a change that gets its position meanwhile is before the end of its feed for the statements that follow.
      const fresh = await unnumbered(after, reached);
      const found = await feeds(after, reached);
      const [next = null] = [fresh.next, found.next].filter((end) => end !== null).toSorted(byCharacters);
      const owners = new Set([...found.rows, ...fresh.rows].map(({ owner_id }) => owner_id));
      return { rows: [...owners].filter((owner) => next === null || owner <= next).toSorted(byCharacters), next };
    };
  };

  return async (name: string, after: Owner | null): Promise<OwnersPage> => {
    const { rows, next } = await new OwnerWalk(database, 'changes', options).page(searchOf(name), after ?? '');
    return { owners: rows, next };
  };
}

/** Compares owners, which are ASCII, as the collation "C" does. */
function byCharacters(left: Owner, right: Owner): number {
  return left < right ? -1 : 1;
}
