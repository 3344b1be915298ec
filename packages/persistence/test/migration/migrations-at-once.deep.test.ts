import { describe, expect, it, vi } from 'vitest';
import { lockKeys } from '../../src/tables/schema.ts';
import { MIGRATION_LOCK } from '../../src/migration/migration-lock.ts';
import { anotherSession } from '../fixtures/sessions.ts';
import { emptyDatabase } from '../fixtures/test-database.ts';
import { execute } from '../fixtures/execute.ts';
import { ALL, failureOf, invalidIndexes, logged, migrateWith, names, recorded } from './migrating.ts';

describe('servers that migrate at the same time', () => {
  it('build indexes concurrently without a deadlock, each migration once', async () => {
    const url = await emptyDatabase();
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrateWith(url, ALL)));
    expect(applied.filter((list) => list.length > 0)).toEqual([names(ALL)]);
    expect(await recorded(url)).toEqual(names(ALL));
    expect(await invalidIndexes(url)).toEqual([]);
  });

  it('log which process they wait for, and stop waiting at once on a signal', async () => {
    const url = await emptyDatabase();
    const holder = await anotherSession(url);
    const { rows } = await holder.query<{ pid: number }>(
      `select pg_backend_pid() as pid from pg_advisory_lock(${lockKeys('orders', MIGRATION_LOCK).join()})`,
    );
    const { lines, options, stop } = logged();
    const failure = failureOf(migrateWith(url, ALL, options));
    await vi.waitFor(() => {
      const waiting = `waiting for another server (process ${rows[0]?.pid} of PostgreSQL) to end its migration, for`;
      expect(lines.filter((line) => line.startsWith(waiting))).toHaveLength(1);
    });
    // Between two attempts it must not have a transaction open, for which a concurrent build would wait.
    await vi.waitFor(async () => {
      const open = `select 1 from pg_stat_activity where application_name = 'orders' and datname = current_database()
        and (backend_xmin is not null or xact_start is not null)`;
      expect(await execute(url, open)).toEqual([]);
    });
    stop.abort(new Error('shutdown requested'));
    expect(await failure).toContain('shutdown requested');
  });
});
