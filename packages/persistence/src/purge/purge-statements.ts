import type { Owner, Timestamp } from '@orders/domain';
import { endpointKind } from '@orders/domain/webhooks';
import { type Sql, sql } from '../sql/sql.ts';
import type { Orm } from '../tables/orm.ts';
import { aboutOwners, among, type OwnerRange } from '../owners/living-owners.ts';
import { lockKeys } from '../tables/schema.ts';
import { type Parameter, type Part, prepare } from '../sql/statement.ts';

/** Rows per statement: few enough that it takes milliseconds. */
export const BATCH = 1000;

/**
 * An arbitrary number, the same in every server. The server that holds this advisory lock purges; the others skip it.
 */
export const PURGE_LOCK = 7_204_118;

/** The wait of a purge for each lock. Then it goes on with the next owner. */
const LOCK_WAIT = '250ms';

/** A change record that a purge has found. */
export interface FoundRecord {
  readonly owner_id: Owner;
  readonly aggregate: string;
  readonly aggregate_id: string;
  readonly version: number;
  /** The position of its event; null for a version that is no event, and before it has one. */
  readonly position: string | null;
}

/** A limit of age: `until`, by a clock that reads `now`. */
export interface Age {
  readonly now: Timestamp;
  readonly until: Timestamp;
}

/** A range of times, without its beginning. */
export interface TimeRange {
  readonly after: string;
  readonly until: string;
}

/** Aggregates of one owner and kind, with a version for each. */
interface Target {
  readonly owner_id: Owner;
  readonly aggregate: string;
  readonly ids: readonly string[];
  readonly versions: readonly number[];
  /** The positions of the events of these versions; 0 for a version without one. */
  readonly positions: readonly string[];
  /** The time at which a record leaves the feed. */
  readonly time: string;
}

/** A feed whose first events leave it. */
interface Leaving {
  readonly owner_id: Owner;
  readonly purged: number;
  readonly time: string;
}

interface PurgedRecord {
  readonly version: number;
}

const IS_DELETION = sql`type in ('order.deleted', 'customer.deleted')`;

/**
 * Returns the statements of a purge. Records are found over all owners, and changed for one owner at a time, in the order
 * in which every transaction locks several of them.
 */
export function purgeStatements(orm: Orm) {
  /**
   * Returns the statements that find records in the order of their times, in batches: where a batch ends, and its records.
   * An index must find the records of the condition alone.
   */
  const found = (condition: Sql) => {
    const inRange = (p: Parameter<TimeRange>) => sql`from our.changes
      where ${condition} and occurred_at > ${p('after')}::timestamptz and occurred_at <= ${p('until')}::timestamptz`;
    return {
      end: aboutOwners<TimeRange, { time: string | null }>(orm)`select max(occurred_at)::text as time from (
          select occurred_at ${inRange} and ${among('owner_id')} order by occurred_at limit ${sql.lit(BATCH)}) as batch`,
      records: aboutOwners<TimeRange, FoundRecord>(orm)`
          select owner_id, aggregate, aggregate_id, version, position ${inRange} and ${among('owner_id')}`,
    };
  };

  /** The keys that have expired in a range of times. */
  const expired = (p: Parameter<TimeRange>) => sql`from our.idempotency
    where expires_at > ${p('after')}::timestamptz and expires_at <= ${p('until')}::timestamptz`;

  const lastPurged = (p: Parameter<Target>) =>
    sql`(select f.purged from our.feeds as f where f.owner_id = ${p('owner_id')})`;

  /** Whether the event of the record `c` has left the feed, if it is one. */
  const hasLeft = (p: Parameter<Target>) => sql`(c.type is null or c.position <= ${lastPurged(p)})`;

  /** Returns the value of an array of the target that belongs to the aggregate of the record `c`. */
  const ofAggregate = (p: Parameter<Target>, values: Sql) =>
    sql`(${values})[array_position(${p('ids')}::uuid[], c.aggregate_id)]`;

  /**
   * Selects and locks records of one owner that no key refers to, and then changes or deletes them. `referred` compares a
   * record `c` with an idempotency record `k` of its aggregate.
   *
   * Every table is read by the ids, whatever the statistics of the tables say: `is true` and `count` keep the planner from
   * joining tables in another way. `bound` is a condition for the index by which records are read. With it, a batch reads
   * few of an aggregate with many versions; the others read all.
   */
  const purgeRecords = (action: Sql, condition: Part<Target>, referred: Sql, bound: Part<Target> = () => sql`true`) =>
    prepare<Target, PurgedRecord>(orm)`
        with old as (
          select c.aggregate_id, c.version from our.changes as c
          where c.owner_id = ${'owner_id'} and c.aggregate = ${'aggregate'}
            and c.aggregate_id = any(${'ids'}::uuid[]) and ${bound} and ${condition}
            and 0 = (
              select count(*) from our.idempotency as k
              where k.owner_id = ${'owner_id'} and k.aggregate_id = c.aggregate_id
                and k.aggregate = c.aggregate and ${referred})
          order by c.occurred_at, c.aggregate_id, c.version limit ${sql.lit(BATCH)} for update of c
        )
        ${action}
        where c.owner_id = ${'owner_id'} and c.aggregate = ${'aggregate'}
          and c.aggregate_id = any(${'ids'}::uuid[]) and ${bound}
          and ((c.aggregate_id, c.version) in (select old.aggregate_id, old.version from old)) is true
        returning c.version`;

  const keys = lockKeys(orm.schema, PURGE_LOCK);

  return {
    /** Begins the transaction of a batch. */
    lock: prepare<object, { acquired: boolean }>(orm)`
        select pg_try_advisory_xact_lock(${sql.raw(keys.join())}) as acquired,
        set_config('lock_timeout', ${sql.lit(LOCK_WAIT)}, true)`,

    /** Returns the earlier of a time and the time of the same age by the database's clock. */
    limit: prepare<Age, { time: string }>(orm)`select least(${'until'}::timestamptz,
        now() - (${'now'}::timestamptz - ${'until'}::timestamptz))::text as time`,

    /** Returns the time up to which a batch of expired keys reaches: a condition that every shard has for itself. */
    endOfExpiredKeys: aboutOwners<TimeRange, { time: string | null }>(orm)`
        select max(expires_at)::text as time from (
        select expires_at ${expired} and ${among('owner_id')} order by expires_at limit ${sql.lit(BATCH)}) as batch`,

    deleteExpiredKeys: aboutOwners<TimeRange, { owner_id: Owner }>(orm)`
        delete ${expired} and ${among('owner_id')} returning owner_id`,

    ownersOfExpiredKeys: aboutOwners<TimeRange, { owner_id: Owner }>(orm)`
        select distinct owner_id ${expired} and ${among('owner_id')}
        order by owner_id`,

    deletions: found(IS_DELETION),

    /** Finds the records of deleted webhook endpoints, whose deletion has erased all snapshots. */
    erasedEndpoints: found(sql`aggregate = ${sql.lit(endpointKind.name)} and snapshot is null`),

    /**
     * Finds all records except those of events that have no position yet. These are in the feed, and an index has the others
     * alone.
     */
    versions: found(sql`(position is null and type is not null) is not true`),

    /** Finds the feeds of a range of owners whose first event is old enough to leave: one entry of an index for each. */
    oldFeeds: aboutOwners<OwnerRange & { readonly time: string }, { owner_id: Owner }>(orm)`
        select f.owner_id from our.feeds as f
        where f.owner_id > ${'after'} and f.owner_id <= ${'until'} and ${among('f.owner_id')}
          and (
            select c.occurred_at from our.changes as c
            where c.owner_id = f.owner_id and c.position > f.purged and ${among('c.owner_id')}
            order by c.position limit 1) <= ${'time'}::timestamptz`,

    /**
     * Lets a batch of events leave a locked feed, and returns the position of the last. It ends before the first event that
     * is too young, because the events of a feed have no holes.
     */
    leaveFeed: prepare<Leaving, { purged: string }>(orm)`
        with first as (
          select c.position, c.event_id, c.occurred_at <= ${'time'}::timestamptz as is_old
          from our.changes as c
          where c.owner_id = ${'owner_id'} and c.position > ${'purged'}::bigint
          order by c.position limit ${sql.lit(BATCH)}
        ),
        last as (
          select o.position, o.event_id from first as o
          where o.position < coalesce((select min(y.position) from first as y where not y.is_old), o.position + 1)
          order by o.position desc limit 1
        )
        update our.feeds as f set purged = l.position, purged_id = l.event_id from last as l
        where f.owner_id = ${'owner_id'}
        returning f.purged`,

    /**
     * Deletes records of aggregates whose deletion has left the feed. Those of an aggregate that a key refers to stay, so
     * that it is found again.
     */
    deleteAggregates: purgeRecords(
      sql`delete from our.changes as c`,
      (p) => sql`${hasLeft(p)}
        and ${ofAggregate(p, sql`${p('positions')}::bigint[]`)} <= ${lastPurged(p)}`,
      sql`true`,
    ),

    /**
     * Deletes records up to a time of webhook endpoints whose deletion has erased them, except those in the feed. Those of
     * an endpoint that a key refers to stay.
     */
    deleteErased: purgeRecords(
      sql`delete from our.changes as c`,
      (p) => sql`c.snapshot is null and c.occurred_at <= ${p('time')}::timestamptz and ${hasLeft(p)}`,
      sql`true`,
    ),

    /**
     * Erases the snapshots of records that have left the feed. The items, adjustments and fulfillments of a deleted order
     * are a part of all of its snapshots.
     */
    eraseSnapshots: purgeRecords(
      sql`update our.changes as c set snapshot = null, items = null, adjustments = null, fulfillments = null`,
      (p) => sql`c.occurred_at <= ${p('time')}::timestamptz and ${hasLeft(p)}
        and (c.snapshot is not null or c.items is not null)`,
      sql`(k.version = c.version or c.items is not null)`,
    ),

    /** Deletes the records of earlier versions than the given ones, unless a deletion of the aggregate is in the feed. */
    deleteEarlierVersions: purgeRecords(
      sql`delete from our.changes as c`,
      (p) => sql`c.version < ${ofAggregate(p, sql`${p('versions')}::int[]`)} and ${hasLeft(p)}
        and 0 = (
          select count(*) from our.changes as d
          where d.owner_id = ${p('owner_id')} and d.aggregate = ${p('aggregate')}
            and d.aggregate_id = c.aggregate_id and d.${IS_DELETION}
            and (d.position <= ${lastPurged(p)}) is not true)`,
      sql`k.version = c.version`,
      // The highest of all aggregates, which is no condition of one of them.
      (p) => sql`c.version < (select max(v) from unnest(${p('versions')}::int[]) as v)`,
    ),
  };
}

export type PurgeStatements = ReturnType<typeof purgeStatements>;

/** A statement that purges records of one owner's aggregates. */
export type PurgeRecords = PurgeStatements['deleteAggregates'];

/** A statement that finds records in the order of their times. */
export type FoundRecords = PurgeStatements['versions'];
