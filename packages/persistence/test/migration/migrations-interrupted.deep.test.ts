import { startPostgresProxy } from '@orders/postgres-proxy';
import { describe, expect, it, vi } from 'vitest';
import { MIGRATION_LOCK } from '../../src/migration/migration-lock.ts';
import { parseMigration } from '../../src/migration/migrations-list.ts';
import { anotherSession, untilFinished } from '../fixtures/sessions.ts';
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
} from './migrating.ts';

describe('a migration outside a transaction', () => {
  it('rebuilds the invalid index of an interrupted build, and skips a valid one', async () => {
    const url = await emptyDatabase();
    await migrateWith(url, [TABLE, COLUMN]);
    await execute(url, `insert into notes values (1, 'twice'), (1, 'twice')`);
    await expect(execute(url, 'create unique index concurrently notes_note on notes (note)')).rejects.toThrow(
      'could not create',
    );
    await execute(url, 'create index notes_id on notes (id)');
    const [before] = await execute(url, `select 'notes_id'::regclass::oid as oid`);
    expect(await invalidIndexes(url)).toEqual([{ name: 'notes_note' }]);
    expect(await migrateWith(url, ALL)).toEqual(names([INDEX]));
    expect(await invalidIndexes(url)).toEqual([]);
    expect(await execute(url, `select 'notes_id'::regclass::oid as oid`)).toEqual([before]);
    expect(await execute(url, `select indisunique from pg_index where indexrelid = 'notes_note'::regclass`)).toEqual([
      { indisunique: false },
    ]);
  });
});

describe('a failing migration', () => {
  it('is rolled back and mentioned in the error, keeps earlier ones, and releases the lock', async () => {
    const url = await emptyDatabase();
    const broken = parseMigration(
      '0002-broken',
      'create table our.kept (id int); alter table our.nowhere add column x int',
    );
    await expect(migrateWith(url, [TABLE, broken])).rejects.toThrow(
      'migration 0002-broken: error: relation "orders.nowhere" does not exist',
    );
    expect(await recorded(url)).toEqual(names([TABLE]));
    expect(await execute(url, `select to_regclass('kept') as kept`)).toEqual([{ kept: null }]);
    expect(await migrateWith(url, ALL)).toEqual(names([COLUMN, INDEX]));
  });

  it('ends with its connection, and does not continue without the lock', async () => {
    const url = await emptyDatabase();
    await migrateWith(url, [TABLE]);
    const reader = await anotherSession(url);
    await reader.query('begin; select * from notes');
    const { lines, options } = logged();
    const failure = failureOf(migrateWith(url, ALL, options));
    await vi.waitFor(() => expect(lines.at(-1)).toContain('; attempt '));
    await execute(
      url,
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = ${MIGRATION_LOCK}
       and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(await failure).toMatch(/terminat|connection|queryable/i);
    expect(await recorded(url)).toEqual(names([TABLE]));
  });

  it('rejects a connection through a pooler, unless nothing is pending', async () => {
    const url = await emptyDatabase();
    const { url: pooled } = untilFinished(await startPostgresProxy(url, { announcedPid: 0x7fff_0000 }));
    await expect(migrateWith(pooled, ALL)).rejects.toThrow('this connection goes through a pooler');
    await migrateWith(url, ALL);
    expect(await migrateWith(pooled, ALL)).toEqual([]);
  });
});
