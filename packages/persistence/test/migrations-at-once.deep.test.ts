import { describe, expect, it, vi } from 'vitest';
import { MIGRATION_LOCK } from '../src/migration/migration-lock.ts';
import { emptyDatabase } from './empty-database.ts';
import { execute } from './execute.ts';
import {
  ALL,
  COLUMN,
  failureOf,
  INDEX,
  invalidIndexes,
  logged,
  migrateWith,
  names,
  recorded,
  session,
  TABLE,
  UNTIL,
  waitsForLock,
} from './migrating.ts';

describe('servers that migrate at the same time', () => {
  it('build indexes concurrently without a deadlock, each migration once', async () => {
    const url = await emptyDatabase();
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrateWith(url, ALL)));
    expect(applied.filter((list) => list.length > 0)).toEqual([names(ALL)]);
    expect(await recorded(url)).toEqual(names(ALL));
    expect(await invalidIndexes(url)).toEqual([]);
  });

  it('build indexes although a server of 0.1.0 waits for the lock in a transaction', async () => {
    const url = await emptyDatabase();
    await migrateWith(url, [TABLE, COLUMN]);
    const holder = await session(url);
    await holder.query('begin; insert into notes values (1)');
    const { options } = logged();
    const migrating = migrateWith(url, ALL, options);
    await waitsForLock(url);
    const old = await session(url);
    const waiting = old.query(`begin; select pg_advisory_xact_lock(${MIGRATION_LOCK})`).then(
      () => 'waited',
      () => 'ended by PostgreSQL',
    );
    await vi.waitFor(async () => {
      const both = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      expect(await execute(url, both)).toHaveLength(2);
    }, UNTIL);
    await holder.query('commit');
    expect(await migrating).toEqual(names([INDEX]));
    expect(['waited', 'ended by PostgreSQL']).toContain(await waiting);
    expect(await invalidIndexes(url)).toEqual([]);
  });

  it('yield to a server of 0.1.0 that waits for the lock in a transaction for longer than the deadlock timeout', async () => {
    const url = await emptyDatabase();
    await migrateWith(url, [TABLE, COLUMN]);
    const holder = await session(url);
    await holder.query('begin; insert into notes values (1)');
    const { options, lines } = logged();
    const migrating = migrateWith(url, ALL, options);
    await waitsForLock(url);
    const old = await session(url);
    const waiting = old.query(`begin; select pg_advisory_xact_lock(${MIGRATION_LOCK}); commit`).then(
      () => 'waited',
      () => 'ended by PostgreSQL',
    );
    await vi.waitFor(async () => {
      const long = `select 1 from pg_stat_activity where wait_event = 'advisory' and datname = current_database()
        and query_start <= clock_timestamp() - interval '1500 milliseconds'`;
      expect(await execute(url, long)).toHaveLength(1);
    }, UNTIL);
    await holder.query('commit');
    expect(await migrating).toEqual(names([INDEX]));
    expect(await waiting).toBe('waited');
    expect(lines.filter((line) => line.startsWith('released the migration lock after a deadlock'))).toHaveLength(1);
    expect(await invalidIndexes(url)).toEqual([]);
  });

  it('log which process they wait for, and stop waiting at once on a signal', async () => {
    const url = await emptyDatabase();
    const holder = await session(url);
    const { rows } = await holder.query<{ pid: number }>(
      `select pg_backend_pid() as pid from pg_advisory_lock(${MIGRATION_LOCK})`,
    );
    const { lines, options, stop } = logged();
    const failure = failureOf(migrateWith(url, ALL, options));
    await vi.waitFor(() => {
      const waiting = `waiting for another server (process ${rows[0]?.pid} of PostgreSQL) to end its migration, for`;
      expect(lines.filter((line) => line.startsWith(waiting))).toHaveLength(1);
    }, UNTIL);
    // Between two attempts it must not have a transaction open, for which a concurrent build would wait.
    await vi.waitFor(async () => {
      const open = `select 1 from pg_stat_activity where application_name = 'orders/2' and datname = current_database()
        and (backend_xmin is not null or xact_start is not null)`;
      expect(await execute(url, open)).toEqual([]);
    }, UNTIL);
    stop.abort(new Error('shutdown requested'));
    expect(await failure).toContain('shutdown requested');
  });
});
