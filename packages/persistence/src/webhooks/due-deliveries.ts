import { systemTimer } from '@orders/domain/events';
import type { Owner } from '@orders/domain';
import { type Sql, sql } from '../sql/sql.ts';
import type { OrdersDatabase } from '../database/database.ts';
import type { Orm } from '../tables/orm.ts';
import { type OwnerStepOptions, OwnerWalk } from '../owners/owner-walk.ts';
import { ofOwners } from './of-owners.ts';
import { ownerRanges } from './owner-ranges.ts';
import { freshDueSince, joinNewestQueue, retriesDueSince } from './queue-conditions.ts';
import { isWanted } from './queue-sql.ts';
import { queueStatements } from './queue-statements.ts';

/** Endpoints per statement: few enough that it takes milliseconds. */
const ENDPOINTS_PER_QUERY = 100;

/** Maximum number of rows of an index that are counted of an endpoint. Four of them have what waits. */
const COUNTED_MAX = 500;

/** Pause after a statement that is continued, as a multiple of its duration: the search takes a twentieth of the time. */
const PAUSE_PER_QUERY = 19;

/** Deliveries that wait for the same. */
export interface WaitingDeliveries {
  /** A lower bound of their number: at most 2,000 of an endpoint are counted. */
  readonly count: number;
  /** The time for which the oldest of them has been due, in milliseconds by the clock of the database; 0 without any. */
  readonly oldestAgeMs: number;
}

/** The deliveries that are due, by what they wait for. */
export interface DueDeliveries {
  /**
   * Those that any worker could attempt at once, and wanted events without a delivery. Such an event counts as due since
   * it occurred.
   */
  readonly worker: WaitingDeliveries;
  /** Those of endpoints that have as many attempts as they may have, and the first attempts of failing endpoints. */
  readonly endpoint: WaitingDeliveries;
}

/** What waits for an endpoint: numbers, and ages of the oldest in milliseconds, `null` without any. */
interface EndpointRow {
  readonly is_full: boolean;
  readonly is_failing: boolean;
  readonly retries: number;
  readonly retries_age: number | null;
  readonly fresh: number;
  readonly fresh_age: number | null;
  readonly events: number;
  readonly events_age: number | null;
}

/**
 * Returns the statement that selects what waits for the enabled endpoints of a range of owners. Each count begins where an
 * index has the first that waits, and ends after {@link COUNTED_MAX}.
 */
function waitingStatement(orm: Orm) {
  const limit = sql.lit(COUNTED_MAX);
  const counted = (name: string, rows: Sql) => sql`
        cross join lateral (
          select count(*)::int as ${sql.id(name)},
            (extract(epoch from now() - min(r.since)) * 1000)::float8 as ${sql.id(`${name}_age`)}
          from (${rows}) as r
        ) as ${sql.id(`of_${name}`)}`;
  const eventsOf = (owner: Sql) => sql`
            select c.occurred_at as since from (
              (select n.occurred_at, n.type from our.changes as n
                where n.owner_id = ${owner} and n.position > greatest(coalesce(q.position, e.start), coalesce(f.purged, 0))
                order by n.position limit ${limit})
              union all
              (select u.occurred_at, u.type from our.changes as u
                where u.owner_id = ${owner} and u.position is null and u.type is not null
                order by u.occurred_at limit ${limit})
            ) as c
            where ${sql.raw(isWanted('e.types', 'c.type'))}`;
  return ofOwners<EndpointRow>(
    orm,
    (owner, isIncluded) => sql<EndpointRow>`
        select coalesce(q.full_until > now(), false) as is_full,
          coalesce(q.failing > 0 and q.fresh_after > now(), false) as is_failing,
          retries, retries_age, fresh, fresh_age, events, events_age
        from our.webhook_endpoints as e
        ${joinNewestQueue(owner)}
        left join our.feeds as f on f.owner_id = ${owner}
        ${counted('retries', retriesDueSince(owner, COUNTED_MAX))}
        ${counted('fresh', freshDueSince(owner, COUNTED_MAX))}
        ${counted('events', eventsOf(owner))}
        where e.status = 'enabled' and ${isIncluded} and retries + fresh + events > 0`,
  );
}

/** Sums up deliveries that wait for the same. */
class Waiting implements WaitingDeliveries {
  count = 0;
  oldestAgeMs = 0;

  add(count: number, oldestAgeMs: number | null): void {
    this.count += count;
    this.oldestAgeMs = Math.max(this.oldestAgeMs, oldestAgeMs ?? 0);
  }
}

/**
 * Counts the deliveries of all owners that are due, and finds the oldest. It reads at most 2,000 rows for an endpoint and
 * takes at most a twentieth of the time of a connection, however many wait. Several servers may do it. When `signal` is
 * aborted, it ends after the current statement, with what it has counted.
 *
 * @throws {Error} the database query failed
 */
export async function dueDeliveries(
  database: OrdersDatabase,
  signal?: AbortSignal,
  options: OwnerStepOptions = {},
): Promise<DueDeliveries> {
  const { orm } = database;
  const waiting = waitingStatement(orm);
  const next = ownerRanges(database, queueStatements(orm));
  const walk = new OwnerWalk(database, 'webhook_endpoints', options);
  const due = { worker: new Waiting(), endpoint: new Waiting() };
  const countAfter = async (after: Owner): Promise<Owner | null> => {
    const page = { after, limit: ENDPOINTS_PER_QUERY };
    const found = await next(page, walk, waiting);
    for (const row of found.rows) {
      due[row.is_full ? 'endpoint' : 'worker'].add(row.retries, row.retries_age);
      due[row.is_full || row.is_failing ? 'endpoint' : 'worker'].add(row.fresh, row.fresh_age);
      due.worker.add(row.events, row.events_age);
    }
    return found.next;
  };
  for (let after: Owner | null = ''; after !== null && !signal?.aborted;) {
    const began = performance.now();
    after = await countAfter(after);
    if (after !== null) await systemTimer.pause((performance.now() - began) * PAUSE_PER_QUERY, signal);
  }
  return due;
}
