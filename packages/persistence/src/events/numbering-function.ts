import { NUMBERING_BATCH_MAX } from '@orders/domain/events';
import { BY_INDEX, databaseFunction } from '../shared/database-function.ts';

/** The result of a call. */
export interface Numbered {
  /** The number of changes that have got a position. */
  readonly numbered: number;
  /** The last position that has left the feed. */
  readonly purged: number;
}

/** The time after all changes. */
export const ALL_TIMES = 'infinity';

/** The identity of the change `c` as one text. */
const KEY = `(c.aggregate || ' ' || c.aggregate_id || ' ' || c.version)`;

/**
 * Gives positions to the oldest changes of an owner without one: to one batch, and to none after a time. Locks the feed until
 * the transaction ends, and creates it at first, so that one transaction at a time gives positions.
 *
 * The statements after the lock have snapshots of their own, which contain what the transaction before has committed. The
 * last position is that of a change, because a row that each call updates would be read through all of its versions
 * while another session has an old snapshot.
 *
 * The batch is found in one pass over the changes, whatever the statistics of the table are. A join by the key could read
 * all of them for each, with a plan that was made while the table was small. The time of the last change of the batch comes
 * first, in the order of an index, so that a sort by all columns never gets the whole backlog. Every transaction
 * that locks several changes locks them in the order of this sort.
 */
export const numberEvents = databaseFunction(
  'events_number',
  [
    { name: 'owner_id', type: 'text' },
    { name: 'until', type: 'timestamptz' },
  ],
  {
    returns: 'json',
    settings: BY_INDEX,
    body: `declare
    feed record;
    last bigint;
    numbered bigint;
  begin
    select f.purged into feed from feeds as f where f.owner_id = p_owner_id for update;
    if not found then
      insert into feeds (owner_id, purged) values (p_owner_id, 0) on conflict (owner_id) do nothing;
      select f.purged into feed from feeds as f where f.owner_id = p_owner_id for update;
    end if;
    select coalesce((
      select c.position from changes as c where c.owner_id = p_owner_id and c.position >= feed.purged
      order by c.position desc limit 1
    ), feed.purged) into last;
    with fresh as (
      select c.occurred_at, ${KEY} as change,
        row_number() over (order by c.occurred_at, c.aggregate, c.aggregate_id, c.version) as place
      from (
        select aggregate, aggregate_id, version, occurred_at from changes
        where owner_id = p_owner_id and position is null and type is not null
          and occurred_at <= coalesce(
            (
              select u.occurred_at from changes as u
              where u.owner_id = p_owner_id and u.position is null and u.type is not null and u.occurred_at <= p_until
              order by u.occurred_at offset ${NUMBERING_BATCH_MAX - 1} limit 1
            ), p_until)
        order by occurred_at, aggregate, aggregate_id, version limit ${NUMBERING_BATCH_MAX} for update
      ) as c
    ),
    places as materialized (
      select jsonb_object_agg(change, place) as by_change, max(occurred_at) as until from fresh
    )
    update changes as c set position = last + ((select p.by_change from places as p) -> ${KEY})::bigint
    where c.owner_id = p_owner_id and c.position is null and c.type is not null
      and c.occurred_at <= (select p.until from places as p) and (select p.by_change from places as p) ? ${KEY};
    get diagnostics numbered = row_count;
    return json_build_object('numbered', numbered, 'purged', feed.purged);
  end`,
  },
);
