import { erasureKind, type Owner } from '@orders/domain';
import { endpointKind } from '@orders/domain/webhooks';
import { type Sql, sql } from '../sql/sql.ts';
import type { Orm } from '../tables/orm.ts';
import { aboutOwners, among } from '../owners/living-owners.ts';
import { type Parameter, type Part, prepare } from '../sql/statement.ts';

/** Rows per statement: few enough that it takes milliseconds. */
export const BATCH = 1000;

/** A range of times, without its beginning. */
export interface TimeRange {
  readonly after: string;
  readonly until: string;
}

/** A row that a purge has found. */
export interface FoundRow {
  readonly owner_id: Owner;
  /** The time by which it was found. */
  readonly time: string;
}

/** A change record that a purge has found. */
export interface FoundRecord extends FoundRow {
  readonly aggregate: string;
  readonly aggregate_id: string;
  readonly version: number;
  /** The position of its event; null for a version that is no event, and before it has one. */
  readonly position: string | null;
}

/**
 * Returns the statement that finds the first rows of a range of times, in their order: a batch, and those with the same time as
 * the last. An index must find the rows of the condition alone.
 */
export function firstInRange<Row extends FoundRow>(orm: Orm, table: Sql, column: Sql, columns: Sql, condition: Sql) {
  return aboutOwners<TimeRange, Row>(orm)`
      select owner_id, ${column} as time${columns} from ${table}
      where ${condition} and ${column} > ${'after'}::timestamptz and ${column} <= ${'until'}::timestamptz and ${among('owner_id')}
      order by ${column} fetch first ${sql.lit(BATCH)} rows with ties`;
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

interface PurgedRecord {
  readonly version: number;
}

const IS_DELETION = sql`type in ('order.deleted', 'customer.deleted')`;

/**
 * Returns the statements that purge change records. They are found over all owners, and changed for one owner at a time, in the
 * order in which every transaction locks several of them.
 */
export function purgeStatements(orm: Orm) {
  const found = (condition: Sql) =>
    firstInRange<FoundRecord>(
      orm,
      sql`our.changes`,
      sql`occurred_at`,
      sql`, aggregate, aggregate_id, version, position`,
      condition,
    );

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

  return {
    deletions: found(IS_DELETION),

    /** Finds the records of deleted webhook endpoints, whose deletion has erased all snapshots, and of erasures, which have none. */
    erased: found(sql`aggregate in (${sql.lit(endpointKind.name)}, ${sql.lit(erasureKind.name)}) and snapshot is null`),

    /**
     * Finds all records except those of events that have no position yet. These are in the feed, and an index has the others
     * alone.
     */
    versions: found(sql`(position is null and type is not null) is not true`),

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
     * Deletes records up to a time that were erased, except those in the feed. Those of an aggregate that a key refers to
     * stay.
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

    /** Deletes the comments of orders whose deletion has left the feed, up to a time. */
    deleteComments: prepare<Target, PurgedRecord>(orm)`
        with old as (
          select m.order_id, m.id from our.order_comments as m
          where m.owner_id = ${'owner_id'} and m.order_id = any(${'ids'}::uuid[]) and 0 < (
            select count(*) from our.changes as c
            where c.owner_id = ${'owner_id'} and c.aggregate = 'order' and c.aggregate_id = m.order_id
              and c.${IS_DELETION} and c.occurred_at <= ${'time'}::timestamptz and ${hasLeft})
          order by m.order_id, m.id limit ${sql.lit(BATCH)}
        )
        delete from our.order_comments as m
        where m.owner_id = ${'owner_id'} and m.order_id = any(${'ids'}::uuid[])
          and ((m.order_id, m.id) in (select old.order_id, old.id from old)) is true
        returning 1 as version`,

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

type PurgeStatements = ReturnType<typeof purgeStatements>;

/** A statement that purges records of one owner's aggregates. */
export type PurgeRecords = PurgeStatements['deleteAggregates'];

/** A statement that finds records in the order of their times. */
export type FoundRecords = PurgeStatements['versions'];
