import type { Timestamp } from '@orders/domain';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import type { Orm } from './orm.ts';
import type { Connections } from './shared/connections.ts';
import { prepare, type Statement } from './shared/statement.ts';

/** How many rows one statement removes: few enough that it is over in milliseconds. */
const BATCH = 1000;

/** Any number, the same in every server: who holds it purges, the others leave it to them. */
const LOCK = 7_204_118;

/** What a purge removes. */
export interface PurgeAges {
  /** The time by the clock of this server. Idempotency keys that have expired by then are removed. */
  readonly now: Timestamp;
  /** Events that occurred before are removed. */
  readonly eventsBefore: Timestamp;
}

/** How many rows went. */
export interface Purged {
  readonly keys: number;
  readonly events: number;
}

/** Purges a database; once `signal` is aborted it ends with the batch that it is at. */
export type Purge = (ages: PurgeAges, signal?: AbortSignal) => Promise<Purged>;

/**
 * Removes expired idempotency keys and old events, in batches, each a transaction of its own that locks nothing
 * but the rows that go: only a request that uses a key again just then waits, for milliseconds. Of several servers one
 * works at a time; the others return at once.
 *
 * The database's clock has to agree: a row is removed when it is as old by that clock, too. So a server whose clock is
 * ahead removes nothing early.
 *
 * @throws when the database fails; what was removed stays removed
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

/** Rows are removed up to `until`, by a clock that says `now`. */
interface Age {
  readonly now: Timestamp;
  readonly until: Timestamp;
}

interface Batches {
  readonly lock: Statement<Record<never, never>, { mine: boolean }>;
  readonly end: Statement<{ age: Age }, { time: string | null }>;
  readonly remove: Statement<{ batch: { readonly end: string } }, { owner_id: string }>;
}

/**
 * Batches are told apart by age, not by row, so that a distributed table can do with one condition on its own columns.
 */
function batchStatements(orm: Orm, table: string, column: string): Batches {
  const db = orm.em.getKysely();
  const age = sql.ref(column);
  return {
    lock: prepare(db, () => sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${sql.lit(LOCK)}) as mine`),
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
      if (!lock?.mine) return 0;
      const [end] = await batches.end(transaction, { age });
      if (typeof end?.time !== 'string') return 0;
      return (await batches.remove(transaction, { batch: { end: end.time } })).length;
    });
    if (batch === 0) return removed;
    removed += batch;
  }
  return removed;
}
