import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { parseMigration } from '../../src/migration/migrations-list.ts';
import { anotherSession } from '../fixtures/sessions.ts';
import { emptyDatabase } from '../fixtures/test-database.ts';
import { execute } from '../fixtures/execute.ts';
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
  TABLE,
  waitsForLock,
} from './migrating.ts';

describe('a migration behind a long reader', () => {
  it('lets other clients read, logs what it waits for, and is applied when the reader has ended', async () => {
    const url = await emptyDatabase();
    await migrateWith(url, [TABLE]);
    const reader = await anotherSession(url);
    await reader.query(`set application_name = 'a long report'; begin; select * from notes`);
    const { lines, options } = logged();
    const migrating = migrateWith(url, ALL, options);
    const other = await anotherSession(url);
    // Waits until the migration has left the lock queue twice. The reader has not ended, so nothing else lets others read.
    while (lines.filter((line) => line.includes('; attempt ')).length < 3) {
      await other.query('select * from notes');
      await sleep(5);
    }
    const { rows } = await reader.query<{ pid: number }>('select pg_backend_pid() as pid');
    expect(lines.join('\n')).toMatch(
      new RegExp(
        `migration 0002-column waits for a lock on orders.notes held by process ${rows[0]?.pid} of PostgreSQL ` +
          String.raw`\(a long report, in a transaction for \d+ s\); attempt \d+ in \d+\.\d s`,
      ),
    );
    await reader.query('commit');
    expect(await migrating).toEqual(names([COLUMN, INDEX]));
    expect(await recorded(url)).toEqual(names(ALL));
  });

  it('stops at once on a signal, without leaving statements or locks', async () => {
    const url = await emptyDatabase();
    await migrateWith(url, [TABLE]);
    const reader = await anotherSession(url);
    await reader.query('begin; select * from notes');
    for (const list of [
      [TABLE, COLUMN],
      [TABLE, INDEX],
    ]) {
      const { options, stop, lines } = logged();
      const migrating = migrateWith(url, list, options);
      const failure = failureOf(migrating);
      if (list.includes(INDEX)) await reader.query('insert into notes values (1)');
      await vi.waitFor(() => expect(lines.at(-1)).toMatch(/applying|try/));
      await waitsForLock(url);
      stop.abort(new Error('shutdown requested'));
      // The reader still holds its lock.
      expect(await failure).toContain('shutdown requested');
      await vi.waitFor(async () => expect(await otherQueries(url, reader)).toEqual([]));
    }
    expect(await recorded(url)).toEqual(names([TABLE]));
    await reader.query('rollback');
    expect(await migrateWith(url, ALL)).toEqual(names([COLUMN, INDEX]));
    expect(await invalidIndexes(url)).toEqual([]);
  });
});

describe('a migration outside a transaction that waits for locks', () => {
  it('waits for open transactions without a retry, whatever time limits the database has', async () => {
    const url = await emptyDatabase();
    await migrateWith(url, [TABLE, COLUMN]);
    const holder = await anotherSession(url);
    await holder.query('begin; insert into notes values (1)');
    const { pathname } = new URL(url);
    for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout']) {
      await execute(url, `alter database "${pathname.slice(1)}" set ${limit} = '300ms'`);
    }
    const { lines, options } = logged();
    const migrating = migrateWith(url, ALL, options);
    await waitsForLock(url, '1 second');
    await holder.query('commit');
    expect(await migrating).toEqual(names([INDEX]));
    expect(lines.filter((line) => line.includes('; attempt '))).toEqual([]);
    expect(await invalidIndexes(url)).toEqual([]);
  });

  it('is tried again when PostgreSQL ends it because of a deadlock', async () => {
    const url = await emptyDatabase();
    await migrateWith(url, [TABLE, COLUMN]);
    const holder = await anotherSession(url);
    await holder.query('begin; insert into notes values (1)');
    const { lines, options } = logged();
    const migrating = migrateWith(url, ALL, options);
    await waitsForLock(url);
    // The first of both to wait is the first to search for a deadlock, and finds it if the other waits by then.
    const ended = await holder.query('lock table notes in share update exclusive mode').then(
      () => 'the build',
      () => 'the holder',
    );
    await holder.query('commit');
    expect(await migrating).toEqual(names([INDEX]));
    expect(ended).toBe('the build');
    expect(lines.filter((line) => line.includes('; attempt '))).not.toEqual([]);
    expect(await invalidIndexes(url)).toEqual([]);
  });

  it('leaves the lock queue when other statements would wait behind it', async () => {
    const url = await emptyDatabase();
    const checked = parseMigration('0002-checked', 'alter table our.notes add constraint one check (id > 0) not valid');
    const valid = parseMigration(
      '0003-valid',
      '-- Outside a transaction.\nalter table our.notes validate constraint one;\n',
    );
    await migrateWith(url, [TABLE, checked]);
    const holder = await anotherSession(url);
    await holder.query('begin; lock table notes in share update exclusive mode');
    // The session is idle in the pauses between its attempts.
    await execute(url, `alter database "${new URL(url).pathname.slice(1)}" set idle_session_timeout = '200ms'`);
    const { lines, options } = logged();
    const migrating = migrateWith(url, [TABLE, checked, valid], options);
    await vi.waitFor(() => expect(lines.filter((line) => line.includes('; attempt '))).toHaveLength(2));
    await holder.query('commit');
    expect(await migrating).toEqual(names([valid]));
  });
});

/** Returns the queries of all sessions in the database except this one and `known`. */
async function otherQueries(url: string, known: Client): Promise<readonly unknown[]> {
  const { rows } = await known.query<{ pid: number }>('select pg_backend_pid() as pid');
  return await execute(
    url,
    `select query from pg_stat_activity where backend_type = 'client backend' and datname = current_database()
     and pid not in (pg_backend_pid(), ${rows[0]?.pid})`,
  );
}
