import type { Owner, Timestamp, Unavailable } from '@orders/domain';
import { QUARTER_MS } from '@orders/domain/statistics';
import type { ResultAsync } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import { ownerSearch } from '../events/owner-search.ts';
import { OwnerWalk } from '../owners/owner-walk.ts';
import { isNodeFault, orUnavailable } from '../postgres/postgres-errors.ts';
import { sql } from '../sql/sql.ts';
import { prepareQuery } from '../sql/statement.ts';
import { STATISTICS_CONSUMER, WIDTHS } from '../statistics/figures-sql.ts';
import { readTimestampOrNull } from '../tables/timestamp-type.ts';
import { type OwnerSettings, ownerSettingsStatements, toSettings } from './owner-settings.ts';

/** How many orders of an owner have entered each status; `placed` are all. */
export interface OrderCounts {
  /** The day from which they are counted; `null` if all are. */
  readonly since: Timestamp | null;
  readonly by_status: readonly { readonly status: string; readonly orders: number }[];
}

/** What is known of an owner. */
export interface ListedOwner extends OwnerSettings {
  /** Of the events that are kept; `null` without any. */
  readonly first_event_at: Timestamp | null;
  readonly last_event_at: Timestamp | null;
  /** `null` if they are not counted. */
  readonly orders: OrderCounts | null;
}

/** Some owners. */
export interface ListedOwners {
  readonly owners: readonly ListedOwner[];
  /** The next page begins after this owner; `null` at the end. */
  readonly next: Owner | null;
  /** False if a node did not respond, or the time was up: owners may be missing, or what is known of them. */
  readonly is_complete: boolean;
}

/** The owners of a database, for those who operate it. */
export interface OwnerDirectory {
  /** Returns the next owners with events, in their order. A page may have fewer than `limit` before the end. */
  list(after: Owner | null, limit: number): ResultAsync<ListedOwners, Unavailable>;
  /** Returns the next owners for whom something is set, in their order. */
  listSet(after: Owner | null, limit: number): ResultAsync<ListedOwners, Unavailable>;
  /** Returns what is known of these owners, also if they have no events. */
  describe(owners: readonly Owner[]): ResultAsync<ListedOwners, Unavailable>;
}

/** No consumer has this name: the feed of every owner with events has another end than its position. */
const NO_CONSUMER = '';
/** Maximum number of daily figures that are read of an owner, the newest. */
const FIGURES_MAX = 10_000;
/** The time for the details of a page, in milliseconds. Owners that are left have none. */
const DETAILS_MS = 3000;

interface Row {
  readonly kind: 'event' | 'counted' | 'figure';
  readonly at: string | null;
  readonly status: string | null;
  readonly orders: string | null;
  readonly days: number | null;
  readonly quarter: number | null;
}

/**
 * Returns the statement about one owner. Its value has another name than an owner's usually has: an owner that uses all of its
 * connections is one to look at.
 */
function detailsOf({ orm }: Pick<OrdersDatabase, 'orm'>) {
  const [, , DAY] = WIDTHS;
  return prepareQuery<{ readonly one: Owner }, Row>(orm, (p) => {
    const owner = p('one');
    const event = (condition: string, order: string) => sql`
      (select 'event' as kind, c.occurred_at as at, null::text as status, null::bigint as orders, null::int as days,
          null::int as quarter
        from our.changes as c where c.owner_id = ${owner} and ${sql.raw(condition)} order by ${sql.raw(order)} limit 1)`;
    const numbered = 'c.position is not null';
    const unnumbered = 'c.position is null and c.type is not null';
    return sql<Row>`
      ${event(numbered, 'c.position')} union all ${event(numbered, 'c.position desc')}
      union all ${event(unnumbered, 'c.occurred_at')} union all ${event(unnumbered, 'c.occurred_at desc')}
      union all
      select 'counted', null, null, null, null, null from our.checkpoints as k
      where k.owner_id = ${owner} and k.name = ${sql.lit(STATISTICS_CONSUMER)}
      union all
      select 'figure', null, f.status, sum(f.orders)::bigint, count(*)::int, min(f.quarter)::int from (
        select s.status, s.orders, s.quarter from our.order_statistics as s
        where s.owner_id = ${owner} and s.width = ${sql.lit(DAY)} and s.revision = (
          select k.fence from our.checkpoints as k
          where k.owner_id = ${owner} and k.name = ${sql.lit(STATISTICS_CONSUMER)})
        order by s.quarter desc limit ${sql.lit(FIGURES_MAX)}
      ) as f group by f.status`;
  });
}

/** Returns the owners of this database. */
export function postgresOwners(database: OrdersDatabase): OwnerDirectory {
  const { orm, primary } = database;
  const statement = detailsOf(database);
  const settings = ownerSettingsStatements(orm);

  const describe = async (owners: readonly Owner[], next: Owner | null, isReached: boolean): Promise<ListedOwners> => {
    const walk = new OwnerWalk(database, 'changes', {});
    const set = new Map((await settings.among(primary, { owners })).map((row) => [row.owner, toSettings(row)]));
    const until = performance.now() + DETAILS_MS;
    let isComplete = isReached;
    let isNodeDown = false;
    const rowsOf = async (one: Owner) => {
      // Each owner of a node that is down would wait for it.
      if (isNodeDown || performance.now() > until) return undefined;
      return await walk.attempt(one, async () => {
        try {
          return await statement(primary, { one });
        } catch (cause) {
          isNodeDown = isNodeFault(cause);
          throw cause;
        }
      });
    };
    const listed: ListedOwner[] = [];
    for (const owner of owners) {
      const rows = await rowsOf(owner);
      isComplete &&= rows !== undefined;
      listed.push({
        ...(set.get(owner) ?? { owner, suspended_at: null, rate_limits: null }),
        ...toDetails(rows ?? []),
      });
    }
    return { owners: listed, next, is_complete: isComplete };
  };

  const list = async (after: Owner | null, limit: number) => {
    let isReached = true;
    const find = ownerSearch(database, { onNodeDown: () => (isReached = false) });
    const found = await find(NO_CONSUMER, after);
    const owners = found.owners.slice(0, limit);
    const next = found.owners.length > limit ? (owners.at(-1) ?? null) : found.next;
    return await describe(owners, next, isReached);
  };
  const listSet = async (after: Owner | null, limit: number) => {
    const rows = await settings.list(primary, { after: after ?? '', limit });
    const owners = rows.map(({ owner }) => owner);
    return await describe(owners, owners.length < limit ? null : (owners.at(-1) ?? null), true);
  };
  return {
    list: (after, limit) => orUnavailable(list(after, limit)),
    listSet: (after, limit) => orUnavailable(listSet(after, limit)),
    describe: (owners) => orUnavailable(describe(owners, null, true)),
  };
}

function toDetails(rows: readonly Row[]): Pick<ListedOwner, 'first_event_at' | 'last_event_at' | 'orders'> {
  const times = rows.flatMap(({ at }) => readTimestampOrNull(at) ?? []).toSorted();
  const figures = rows.filter(({ kind }) => kind === 'figure');
  const read = figures.reduce((sum, { days }) => sum + (days ?? 0), 0);
  const oldest = Math.min(...figures.map(({ quarter }) => quarter ?? 0));
  const orders = {
    since: read < FIGURES_MAX ? null : new Date(oldest * QUARTER_MS).toISOString(),
    by_status: figures
      .map(({ status, orders: count }) => ({ status: status ?? '', orders: Number(count) }))
      .toSorted((left, right) => right.orders - left.orders || (left.status < right.status ? -1 : 1)),
  };
  return {
    first_event_at: times[0] ?? null,
    last_event_at: times.at(-1) ?? null,
    orders: rows.some(({ kind }) => kind === 'counted') ? orders : null,
  };
}
