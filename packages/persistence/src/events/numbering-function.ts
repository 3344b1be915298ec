import { NUMBERING_BATCH_MAX } from '@orders/domain/events';
import { BY_INDEX, databaseFunction } from '../sql/database-function.ts';

/** The result of a call. */
export interface Numbered {
  /** The number of changes that have got a position. */
  readonly numbered: number;
  /** The last position that has left the feed. */
  readonly purged: number;
  /** Whether nothing is left but what is written or locked by other transactions. */
  readonly is_last: boolean;
  /** Whether other transactions have locked changes, which have got no position for this reason. */
  readonly is_held: boolean;
}

/** The time after all changes. */
export const ALL_TIMES = 'infinity';

/** The identity of the change `c`, and that of its aggregate, as one text. */
const KEY = `(c.aggregate || ' ' || c.aggregate_id || ' ' || c.version)`;
const AGGREGATE = `(c.aggregate || ' ' || c.aggregate_id)`;

/** The order of positions, of changes of the same owner. */
const ORDER = 'c.occurred_at, c.aggregate, c.aggregate_id, c.version';

/** The time up to which a batch reaches. */
const endOf = (batch: string) =>
  `case count(*) when ${NUMBERING_BATCH_MAX} then max(${batch}.occurred_at) else p_until end`;

/** The changes `c` of the owner without a position. */
const UNNUMBERED = 'our.changes as c where c.owner_id = p_owner_id and c.position is null and c.type is not null';

/**
 * Gives positions to the oldest changes of an owner without one: to one batch, and to none after a time. Locks the feed until
 * the transaction ends, and creates it at first, so that one transaction at a time gives positions.
 *
 * The statements after the lock have snapshots of their own, which contain what the transaction before has committed. The
 * last position is that of a change, because a row that each call updates would be read through all of its versions
 * while another session has an old snapshot.
 *
 * A change that another transaction has locked is left to a later call, and so are later versions of its aggregate: the open
 * transaction stops nothing else of the feed.
 *
 * The batch is found in one pass over the changes, whatever the statistics of the table are. A join by the key could read
 * all of them for each, with a plan that was made while the table was small. The time of the last change of the batch comes
 * first, in the order of an index, so that a sort by all columns never gets the whole backlog. No lock of a change is
 * waited for, so that the order of locks does not matter here.
 */
export const numberEvents = databaseFunction('events_number', {
  parameters: { owner_id: 'text', until: 'timestamptz' },
  returns: 'json',
  settings: BY_INDEX,
  body: `declare
    feed record;
    last bigint;
    last_at timestamptz;
    places jsonb;
    size bigint;
    present bigint;
    numbered bigint;
  begin
    select f.purged into feed from our.feeds as f where f.owner_id = p_owner_id for update;
    if not found then
      insert into our.feeds (owner_id, purged) values (p_owner_id, 0) on conflict (owner_id) do nothing;
      select f.purged into feed from our.feeds as f where f.owner_id = p_owner_id for update;
    end if;
    select coalesce((
      select c.position from our.changes as c where c.owner_id = p_owner_id and c.position >= feed.purged
      order by c.position desc limit 1
    ), feed.purged) into last;
    -- In one statement, so that a change which is committed meanwhile does not count as locked by another transaction.
    with first as materialized (
      select c.occurred_at from ${UNNUMBERED} and c.occurred_at <= p_until
      order by c.occurred_at limit ${NUMBERING_BATCH_MAX} for update skip locked
    ),
    batch as materialized (
      select c.aggregate, c.aggregate_id, c.version, c.occurred_at from ${UNNUMBERED}
        and c.occurred_at <= (select ${endOf('f')} from first as f)
      order by ${ORDER} limit ${NUMBERING_BATCH_MAX} for update skip locked
    ),
    batch_end as materialized (
      select count(*) as size, ${endOf('b')} as at from batch as b
    )
    select e.size, e.at, (select count(*) from ${UNNUMBERED} and c.occurred_at <= e.at), (
        select jsonb_object_agg(f.change, f.place)
        from (select ${KEY} as change, row_number() over (order by ${ORDER}) as place from batch as c) as f
      )
    into size, last_at, present, places from batch_end as e;
    if size > 0 and size < present then
      with batch as materialized (
        select c.aggregate, c.aggregate_id, c.version, c.occurred_at, ${KEY} as change, ${AGGREGATE} as its
        from ${UNNUMBERED} and c.occurred_at <= last_at
      ),
      others as materialized (
        select jsonb_object_agg(o.its, o.version) as versions
        from (select b.its, min(b.version) as version from batch as b where not places ? b.change group by b.its) as o
      )
      select jsonb_object_agg(f.change, f.place) into places
      from (
        select c.change, row_number() over (order by ${ORDER}) as place from batch as c
        where places ? c.change and (c.version < ((select o.versions from others as o) ->> c.its)::int) is not false
      ) as f;
    end if;
    update our.changes as c set position = last + (places -> ${KEY})::bigint
    where c.owner_id = p_owner_id and c.position is null and c.type is not null
      and c.occurred_at <= last_at and places ? ${KEY};
    get diagnostics numbered = row_count;
    return json_build_object('numbered', numbered, 'purged', feed.purged, 'is_last', size < ${NUMBERING_BATCH_MAX} or numbered = 0,
      'is_held', size < least(present, ${NUMBERING_BATCH_MAX}));
  end`,
});
