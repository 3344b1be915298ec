import type { Author, OrderDefinition, Owner } from '@orders/domain';
import { PAGE_LIMIT_MAX } from '@orders/domain';
import { type EventType, FILTERED_POSITIONS_MAX } from '@orders/domain/events';
import { sql } from '../sql/sql.ts';
import type { StoredSnapshot } from '../writes/change-record.ts';
import type { StoredParts } from '../tables/order-entity.ts';
import type { Orm } from '../tables/orm.ts';
import { callOf } from '../sql/database-function.ts';
import { type Parameter, type Part, prepare } from '../sql/statement.ts';
import { eventFunctions } from './event-functions.ts';
import { hasEventAfter, isUnnumbered, LAST, lastEvent } from './feed-conditions.ts';

/** A feed as the driver returns it. */
interface FeedRow {
  readonly purged: string;
  readonly purged_id: string | null;
  /** Whether a change has no position; `false` also for a statement that does not look. */
  readonly unnumbered: boolean;
}

/** The state of a feed as the driver returns it. */
export interface FeedState extends FeedRow {
  /** The last position that was given. */
  readonly last: string;
}

/** The end of a feed as the driver returns it. */
export interface FeedEndRow extends FeedRow {
  /** The last position and the id of its event, with a space between them; null when all events were deleted. */
  readonly last_event: string | null;
}

/** A change with a position. */
export interface NumberedChange extends Author {
  readonly position: string;
  readonly event_id: string;
  readonly type: EventType<OrderDefinition>;
  readonly aggregate: string;
  readonly aggregate_id: string;
  readonly version: number;
  readonly changed: readonly string[];
  readonly occurred_at: string;
}

/** The state of a feed with one of its changes; a page without changes is one row with nulls. */
export type FeedPageRow = FeedState & { readonly [Name in keyof NumberedChange]: NumberedChange[Name] | null };

/** The resource of a change. */
export interface ResourceRow extends StoredSnapshot {
  readonly position: string;
  /** Whether the page has room for it, and for those before it. */
  readonly fits: boolean;
  /** Those of an order; null for any other resource. */
  readonly parts: StoredParts | null;
}

interface FeedValues {
  readonly owner_id: Owner;
  /** Whether to look for changes without a position. */
  readonly probes: boolean;
}

interface PageValues extends FeedValues {
  readonly start: number;
  readonly limit: number;
  readonly types: readonly string[] | null;
}

/** A reader who waits. */
interface WaitValues extends FeedValues {
  readonly position: number;
}

interface AllWaiters {
  readonly owners: readonly Owner[];
  readonly positions: readonly number[];
  readonly probes: readonly boolean[];
}

/** The columns of a change `c` that make its event. */
const EVENT_COLUMNS = sql`c.position, c.event_id, c.type, c.aggregate, c.aggregate_id, c.version, c.changed,
  c.occurred_at, c.actor, c.external_user_id`;

/** The owner of a reader `w`. */
const OWNER = sql`w.owner_id collate "C"`;

/** Returns the statements that read feeds. Every subquery filters by owner, except those about several readers. */
export function feedStatements(orm: Orm) {
  const unnumbered = (p: Parameter<FeedValues>) =>
    sql<boolean>`${p('probes')}::boolean and ${isUnnumbered(p('owner_id'))}`;

  const start = (p: Parameter<PageValues>) => sql`greatest(${p('start')}::bigint, f.purged)`;
  const end = (p: Parameter<FeedValues>) => lastEvent(p('owner_id'));

  /**
   * Selects the state of a feed, and its changes from the position `start` on, which itself is the first: at most `limit` and
   * some further ones within a number of positions, if they are accepted. One snapshot has both, so that a purge in between
   * leaves no gap. No row before the feed exists.
   *
   * A constant upper limit lets PostgreSQL reuse its plan.
   */
  const page = (positions: number, further: number, accepted: Part<PageValues> = () => sql``) =>
    prepare<PageValues, FeedPageRow>(orm)`
        select ${LAST} as last, f.purged, f.purged_id, ${unnumbered} as unnumbered, ${EVENT_COLUMNS}
        from our.feeds as f
        left join lateral (select e.position ${end}) as e on true
        left join lateral (
          select ${EVENT_COLUMNS} from (
            select ${EVENT_COLUMNS} from our.changes as c
            where c.owner_id = ${'owner_id'} and c.position >= ${start} and c.position <= ${start} + ${sql.lit(positions)}
              ${accepted}
            order by c.position limit ${sql.lit(PAGE_LIMIT_MAX + further)}
          ) as c
          order by c.position limit ${'limit'}::int + ${sql.lit(further)}
        ) as c on true
        where f.owner_id = ${'owner_id'}
        order by c.position`;

  return {
    /** Selects the event at `start` and at most `limit` after it. Positions have no holes, so that these are a range. */
    page: page(PAGE_LIMIT_MAX, 1),

    /**
     * Selects the event at `start`, and at most `limit` of the types and one more after it, within 1,000 positions. Without
     * one more of these types, the last event is that at the end of these positions.
     */
    filtered: page(
      FILTERED_POSITIONS_MAX,
      2,
      (p) => sql`and (c.type = any(${p('types')}::text[])
              or c.position in (${start(p)}, least(${start(p)} + ${sql.lit(FILTERED_POSITIONS_MAX)}, ${LAST})))`,
    ),

    /**
     * Selects the state of a feed with its last event: all that a poll without events needs, in two thirds of the time of a
     * page. One value of all columns spares it a join.
     */
    end: prepare<FeedValues, FeedEndRow>(orm)`
        select f.purged, f.purged_id, ${unnumbered} as unnumbered,
          (select e.position || ' ' || e.event_id ${end}) as last_event
        from our.feeds as f where f.owner_id = ${'owner_id'}`,

    /** Selects whether an owner has changes without a position. */
    unnumbered: prepare<{ readonly owner_id: Owner }, { unnumbered: boolean }>(orm)`
        select ${(p) => isUnnumbered(p('owner_id'))} as unnumbered`,

    resources: callOf<readonly ResourceRow[]>(orm, eventFunctions().resources),

    /** Selects whether a reader at a position may have further events. */
    waits: prepare<WaitValues, { has_events: boolean }>(orm)`
        select ${(p) => hasEventAfter(p('owner_id'), sql`${p('position')}::bigint`)} or (${unnumbered}) as has_events`,

    /**
     * Selects the readers who may have further events, by their places in the arrays. Subqueries that return a value are
     * looked up for each reader; others could be joined to whole tables.
     */
    waiting: prepare<AllWaiters, { place: number }>(orm)`
        select w.place::int as place
        from unnest(${'owners'}::text[], ${'positions'}::bigint[], ${'probes'}::boolean[])
          with ordinality as w (owner_id, position, probes, place)
        where ${hasEventAfter(OWNER, sql`w.position`)} or (w.probes and ${isUnnumbered(OWNER)})`,
  };
}

export type FeedStatements = ReturnType<typeof feedStatements>;
