import type { Timestamp } from '@orders/domain';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import type { Orm } from './orm.ts';
import type { Connections } from './shared/connections.ts';
import { prepare, type Statement } from './shared/statement.ts';

/** Rows per statement: few enough that it takes milliseconds. */
const BATCH = 1000;

/**
 * An arbitrary number, the same in every server. The server that holds this advisory lock purges; the others skip it.
 */
const LOCK = 7_204_118;

/** The ages from which rows are purged. */
export interface PurgeAges {
  /** The time by the clock of this server. Idempotency records that have expired by then are deleted. */
  readonly now: Timestamp;
  /** Events that occurred before this time are deleted. */
  readonly eventsBefore: Timestamp;
}

/** The numbers of deleted rows. */
export interface Purged {
  readonly keys: number;
  readonly events: number;
}

/** Purges a database. When `signal` is aborted, ends after the current batch. */
export type Purge = (ages: PurgeAges, signal?: AbortSignal) => Promise<Purged>;

/**
 * Returns a function that deletes expired idempotency records and old events, in batches. Each batch is a transaction
 * of its own that locks only the rows it deletes: a request that reuses a key at that moment waits for milliseconds.
 * One of several servers purges at a time; the others return at once.
 *
 * A row is deleted only when it is old enough by the database's clock too, so that a server whose clock is ahead
 * deletes nothing early.
 *
 * @throws {Error} the database query failed; completed batches stay deleted
 */
export function purge(database: Database): Purge {
  const { orm, primary } = database;
  const keys = batchStatements(orm, 'once', 'expires_at');
  const events = batchStatements(orm, 'outbox', 'occurred_at');
  return async ({ now, eventsBefore }, signal) => ({
    keys: await removeAll(primary, keys, { now, until: now }, signal),
    events: await removeAll(primary, events, { now, until: eventsBefore }, signal),
  });
}

/** The range of a purge: rows up to `until`, by a clock that reads `now`. */
interface Age {
  readonly now: Timestamp;
  readonly until: Timestamp;
}

interface Batches {
  readonly lock: Statement<Record<never, never>, { acquired: boolean }>;
  readonly end: Statement<{ age: Age }, { time: string | null }>;
  readonly remove: Statement<{ batch: { readonly end: string } }, { owner_id: string }>;
}

/**
 * Builds the statements of a purge. A batch is limited by age, not by row, so that a distributed table needs only one
 * condition on its own columns.
 */
function batchStatements(orm: Orm, table: string, column: string): Batches {
  const db = orm.em.getKysely();
  const age = sql.ref(column);
  return {
    lock: prepare(db, () => sql<{ acquired: boolean }>`select pg_try_advisory_xact_lock(${sql.lit(LOCK)}) as acquired`),
    end: prepare(
      db,
      (p) => sql<{ time: string | null }>`select max(${age})::text as time from (
        select ${age} from ${sql.table(table)} where ${age} <= least(${p('age', 'until')}::timestamptz,
          now() - (${p('age', 'now')}::timestamptz - ${p('age', 'until')}::timestamptz))
        order by ${age} limit ${sql.lit(BATCH)}) as batch`,
    ),
    remove: prepare(
      db,
      (p) => sql<{ owner_id: string }>`delete from ${sql.table(table)}
        where ${age} <= ${p('batch', 'end')}::timestamptz returning owner_id`,
    ),
  };
}

async function removeAll(primary: Connections, batches: Batches, age: Age, signal?: AbortSignal): Promise<number> {
  let removed = 0;
  while (!signal?.aborted) {
    const batch = await primary.transaction(async (transaction) => {
      const [lock] = await batches.lock(transaction, {});
      if (!lock?.acquired) return 0;
      const [end] = await batches.end(transaction, { age });
      if (typeof end?.time !== 'string') return 0;
      return (await batches.remove(transaction, { batch: { end: end.time } })).length;
    });
    if (batch === 0) return removed;
    removed += batch;
  }
  return removed;
}
