import { pause } from '../postgres/abortable.ts';
import type { MigrationSession } from './migration-session.ts';

/** An arbitrary number, the same in every server and release. The session that holds this advisory lock migrates. */
export const MIGRATION_LOCK = 7_204_117;

/** The interval between attempts to take the lock, in milliseconds. */
const POLL_MS = 500;

/** The interval between log lines while waiting, in milliseconds. */
const LOG_MS = 10_000;

const HOLDER = `select pid from pg_locks where locktype = 'advisory' and granted and objsubid = 2
  and (classid::int, objid::int) = ($1::int, $2::int)
  and database = (select oid from pg_database where datname = current_database())`;

/**
 * Takes the migration lock, without a time limit. Polls instead of waiting in PostgreSQL: a waiting statement holds a
 * snapshot, and `create index concurrently` of the lock's holder waits for the end of that snapshot.
 */
export async function takeMigrationLock(
  session: MigrationSession,
  keys: readonly [number, number],
  log: (message: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const begun = performance.now();
  let logAfter = 0;
  for (;;) {
    const [row] = await session.run('select pg_try_advisory_lock($1, $2) as taken', keys);
    if (row?.['taken'] === true) return;
    const waited = performance.now() - begun;
    if (waited >= logAfter) {
      logAfter = waited + LOG_MS;
      const [holder] = await session.run(HOLDER, keys);
      const by = holder ? ` (process ${String(holder['pid'])} of PostgreSQL)` : '';
      log(`waiting for another server${by} to end its migration, for ${Math.floor(waited / 1000)} s now`);
    }
    await pause(POLL_MS / 2 + Math.random() * (POLL_MS / 2), signal);
  }
}
