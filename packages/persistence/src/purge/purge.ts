import { orderKind, ORDERS, type Timestamp } from '@orders/domain';
import { purgeOperatorJobs } from '../admin/jobs.ts';
import { purgeOperatorTokens } from '../admin/operators.ts';
import type { OrdersDatabase } from '../database/database.ts';
import { KINDS } from '../aggregate-kinds.ts';
import { expiredRows } from './expired-rows.ts';
import { LockedBatch, type PurgeRun } from './locked-batch.ts';
import { leavingDeliveries } from './leaving-deliveries.ts';
import { leavingEvents } from './leaving-events.ts';
import { type FoundRecord, purgeStatements } from './purge-statements.ts';
import { RecordWalk } from './record-walk.ts';
import { type OwnerStepOptions, OwnerWalk } from '../owners/owner-walk.ts';
import type { Connections } from '../postgres/connections.ts';
import { sql } from '../sql/sql.ts';
import { prepare } from '../sql/statement.ts';
import type { Orm } from '../tables/orm.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The age of a deletion from which no write can be under way that has loaded the order before, in milliseconds. Such a
 * write may record its key, which then refers to a version.
 */
const SETTLED_MS = 60 * 60 * 1000;

/** The ages from which rows are purged. */
export interface PurgeAges {
  /** The time by the clock of this server. Idempotency records that have expired by then are deleted. */
  readonly now: Timestamp;
  /**
   * Changes that occurred until this time leave the feed of events, unless an event before them in the feed is younger. At
   * least as old as any idempotency record.
   */
  readonly eventsBefore: Timestamp;
  /**
   * Versions that were no longer current at this time are deleted. `null` keeps them as long as the aggregate exists.
   * Default: `null`.
   */
  readonly historyBefore?: Timestamp | null | undefined;
  /**
   * Erasures by email that were requested until this time and are done, and orders that were last erased by one until then,
   * are no longer kept. Older than any idempotency record. `null` keeps them. Default: `null`.
   */
  readonly erasuresBefore?: Timestamp | null | undefined;
}

/** The numbers of purged rows. */
export interface Purged {
  /** Deleted idempotency records. */
  readonly keys: number;
  /** Deleted deliveries of webhooks. */
  readonly deliveries: number;
  /** Deleted change records. */
  readonly changes: number;
  /** Change records whose snapshot was erased. */
  readonly snapshots: number;
  /** Erasures by email, and orders that were erased by one, that are no longer kept. */
  readonly erasures: number;
}

/** Purges a database. When `signal` is aborted, ends after the current batch. */
export type Purge = (ages: PurgeAges, signal?: AbortSignal) => Promise<Purged>;

/**
 * Returns a function that lets old events leave the feeds of their owners, each after it got a position, and then purges,
 * in batches:
 *
 * - expired idempotency records, expired tokens of operators, and their jobs of the time of those events;
 * - the deliveries of events that have left the feed, and those of deleted webhook endpoints;
 * - all records of an order or customer whose deletion has left the feed and is older than the history;
 * - the records of a deleted webhook endpoint, and of an erasure by email, that are as old, except those in the feed;
 * - what is kept of erasures by email for too long;
 * - the snapshots, and the comments of operators, of a deleted order whose event has left the feed. Those of a deleted customer were erased by its
 *   deletion;
 * - with a history, versions whose successor is older than the history. The newest record of an existing aggregate is
 *   never deleted.
 *
 * A record that an idempotency record refers to stays as it is. Each batch is a transaction of its own that locks only
 * the rows it purges, for milliseconds. One of several servers purges at a time; the others return at once. A row that
 * another transaction has locked for longer stops the purge of its owner alone, which the next run repeats. While a node
 * of Citus is down, the owners of the others are purged.
 *
 * A row is purged only when it is old enough by the database's clock too, so that a server whose clock is ahead purges
 * nothing early.
 *
 * The last two, and that of the comments, are walks over records in the order of their times. The first run visits all of them, and so does one run
 * a day; the runs between visit only what has become old since.
 *
 * @throws {Error} the database query failed; completed batches stay purged
 */
export function purge(database: OrdersDatabase, options: OwnerStepOptions = {}): Purge {
  const { orm, primary } = database;
  const batch = new LockedBatch(orm, primary);
  const statements = purgeStatements(orm);
  const { deletions } = statements;
  const deleted = new RecordWalk(batch, deletions, statements.deleteAggregates, hasPosition);
  const withoutSnapshots = new RecordWalk(batch, statements.erased, statements.deleteErased);
  const erasures = new RecordWalk(batch, deletions, statements.eraseSnapshots, hasSnapshots);
  const comments = new RecordWalk(batch, deletions, statements.deleteComments, isOrder);
  const outdated = new RecordWalk(batch, statements.versions, statements.deleteEarlierVersions, hasEarlier);
  const deleteExpiredKeys = expiredRows(orm, batch, sql`our.idempotency`, sql`expires_at`);
  const deleteTokens = purgeOperatorTokens(orm);
  const deleteJobs = purgeOperatorJobs(orm);
  const deleteErasures = [
    expiredRows(orm, batch, sql`our.erasures`, sql`created_at`, sql`email_key is null`),
    expiredRows(orm, batch, sql`our.erased_orders`, sql`erased_at`),
  ];
  const leaveFeeds = leavingEvents(orm, batch);
  const leaveQueues = leavingDeliveries(orm, batch);
  const limit = limitOf(orm, primary);
  let restartedAt = -Infinity;

  const purgeRows = async (
    { now, eventsBefore, historyBefore = null, erasuresBefore = null }: PurgeAges,
    run: PurgeRun,
    purged: Record<keyof Purged, number>,
  ): Promise<void> => {
    const time = Date.parse(now);
    if (time - restartedAt >= DAY_MS) {
      erasures.restart();
      comments.restart();
      outdated.restart();
      restartedAt = time;
    }
    // Deletions that are purged are gone, so that there are few from the beginning on.
    deleted.restart();
    withoutSnapshots.restart();
    const feed = await limit(now, eventsBefore);
    const history = historyBefore === null ? null : await limit(now, min(historyBefore, eventsBefore));
    const settled = await limit(now, new Date(time - SETTLED_MS).toISOString());
    const expired = await limit(now, now);
    purged.keys += await deleteExpiredKeys(expired, run);
    await batch.run((transaction) => deleteTokens(transaction, { until: expired }));
    await batch.run((transaction) => deleteJobs(transaction, { until: feed }));
    await leaveFeeds(feed, run);
    if (erasuresBefore !== null)
      for (const remove of deleteErasures) purged.erasures += await remove(await limit(now, erasuresBefore), run);
    purged.deliveries += await leaveQueues(run);
    // As long as the records of the deletions are there, by which they are found.
    await comments.walk({ until: settled, feed }, run);
    purged.changes += await deleted.walk({ until: history ?? feed, feed }, run);
    purged.changes += await withoutSnapshots.walk({ until: history ?? feed, feed: history ?? feed }, run);
    purged.snapshots += await erasures.walk({ until: settled, feed }, run);
    if (history !== null) purged.changes += await outdated.walk({ until: history, feed }, run);
  };

  return async (ages, signal) => {
    const walk = new OwnerWalk(database, 'changes', options);
    const purged = { keys: 0, deliveries: 0, changes: 0, snapshots: 0, erasures: 0 };
    await walk.inReach(async (owners) => {
      if (!signal?.aborted) await purgeRows(ages, { walk, owners, signal }, purged);
    });
    return purged;
  };
}

/** Returns a function that returns the earlier of a time and the time of the same age by the database's clock. */
function limitOf(orm: Orm, primary: Connections): (now: Timestamp, until: Timestamp) => Promise<string> {
  const statement = prepare<{ readonly now: Timestamp; readonly until: Timestamp }, { time: string }>(orm)`
      select least(${'until'}::timestamptz, now() - (${'now'}::timestamptz - ${'until'}::timestamptz))::text as time`;
  return async (now, until) => {
    const [row] = await statement(primary, { now, until });
    if (!row) throw new Error('a query without a table returned no row');
    return row.time;
  };
}

/** Returns the earlier of two times, whose texts have the same order. */
function min(one: Timestamp, other: Timestamp): Timestamp {
  return one < other ? one : other;
}

/** Whether the event of a record may have left the feed. */
function hasPosition({ position }: FoundRecord): boolean {
  return position !== null;
}

function isOrder({ aggregate }: FoundRecord): boolean {
  return aggregate === orderKind(ORDERS).name;
}

/** The kinds whose deletions erase no snapshots. */
const WITH_SNAPSHOTS: readonly string[] = KINDS.flatMap(({ tables: [{ of, erases }] }) => (erases ? [] : of.name));

function hasSnapshots({ aggregate }: FoundRecord): boolean {
  return WITH_SNAPSHOTS.includes(aggregate);
}

function hasEarlier({ version }: FoundRecord): boolean {
  return version > 1;
}
