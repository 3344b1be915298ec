import type { Owner } from '@orders/domain';
import { NUMBERING_BATCH_MAX } from '@orders/domain/events';
import { sql } from 'kysely';
import type { Orm } from '../orm.ts';
import { prepare } from '../shared/statement.ts';

/** The feed of an owner as the driver returns it. */
export interface FeedRow {
  readonly position: string;
  readonly purged: string;
  readonly purged_id: string | null;
}

interface OwnersFeed {
  readonly feed: { readonly owner_id: Owner };
}

interface Positions {
  readonly feed: { readonly owner_id: Owner; readonly position: string };
  readonly limit: { readonly time: string };
}

/**
 * Returns the statements that give positions. A change locks a row of `feeds` first and then rows of `changes`, in the
 * order in which every transaction locks several of them.
 */
export function numberingStatements(orm: Orm) {
  const db = orm.em.getKysely();
  return {
    /** Locks the feed, so that one transaction at a time gives positions. No row before the first one. */
    lock: prepare<OwnersFeed, FeedRow>(
      db,
      (p) => sql<FeedRow>`
        select position, purged, purged_id from feeds where owner_id = ${p('feed', 'owner_id')} for update`,
    ),

    /** Creates an empty feed. */
    create: prepare<OwnersFeed, object>(
      db,
      (p) => sql<object>`
        insert into feeds (owner_id, position, purged) values (${p('feed', 'owner_id')}, 0, 0)
        on conflict (owner_id) do nothing returning owner_id`,
    ),

    /**
     * Gives the positions after `position` to the oldest changes without one, up to a time, and returns the last. A
     * statement of its own after the lock: its snapshot must contain what the transaction before has committed.
     */
    number: prepare<Positions, { position: string }>(db, (p) => {
      const owner = p('feed', 'owner_id');
      const position = sql`${p('feed', 'position')}::bigint`;
      const key = sql`(c.aggregate || ' ' || c.aggregate_id || ' ' || c.version)`;
      // One pass over the changes, whatever the statistics of the table are. A join by the key may read all of them for
      // each, with a plan that was made while the table was small. The time of the last change of the batch comes first,
      // in the order of an index, so that a sort by all columns never gets the whole backlog.
      return sql<{ position: string }>`
        with fresh as (
          select c.occurred_at, ${key} as change,
            row_number() over (order by c.occurred_at, c.aggregate, c.aggregate_id, c.version) as place
          from (
            select aggregate, aggregate_id, version, occurred_at from changes
            where owner_id = ${owner} and position is null and type is not null
              and occurred_at <= coalesce(
                (
                  select u.occurred_at from changes as u
                  where u.owner_id = ${owner} and u.position is null and u.type is not null
                    and u.occurred_at <= ${p('limit', 'time')}::timestamptz
                  order by u.occurred_at offset ${sql.lit(NUMBERING_BATCH_MAX - 1)} limit 1
                ), ${p('limit', 'time')}::timestamptz)
            order by occurred_at, aggregate, aggregate_id, version limit ${sql.lit(NUMBERING_BATCH_MAX)} for update
          ) as c
        ),
        places as materialized (
          select jsonb_object_agg(change, place) as by_change, max(occurred_at) as until from fresh
        ),
        numbered as (
          update changes as c set position = ${position} + ((select p.by_change from places as p) -> ${key})::bigint
          where c.owner_id = ${owner} and c.position is null and c.type is not null
            and c.occurred_at <= (select p.until from places as p) and (select p.by_change from places as p) ? ${key}
          returning 1
        )
        update feeds set position = ${position} + (select count(*) from numbered) where owner_id = ${owner}
        returning position`;
    }),
  };
}

export type NumberingStatements = ReturnType<typeof numberingStatements>;
