import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@orders/persistence';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { migrate, type MigrateOptions } from '../src/migrate.ts';
import { MIGRATION_LOCK } from '../src/migration/migration-lock.ts';
import { MIGRATIONS, parseMigration } from '../src/migration/migrations-list.ts';
import { behindPooler } from './behind-pooler.ts';
import { emptyDatabase } from './empty-database.ts';
import { execute } from './execute.ts';

const TABLE = parseMigration('0001-table', 'create table notes (id int, note text)');
const COLUMN = parseMigration('0002-column', 'alter table notes add column author text null');
const INDEX = parseMigration(
  '0003-index',
  `-- Outside a transaction.
   create index concurrently notes_id on notes (id);
   create index concurrently notes_note on notes (note);
  `,
);
const ALL = [TABLE, COLUMN, INDEX];
const names = (list: typeof ALL) => list.map(({ name }) => name);

/** Migrates as a server whose release has the migrations `list`. */
async function migrateWith(url: string, list: typeof ALL, options?: MigrateOptions): Promise<readonly string[]> {
  const database = openDatabase({ url });
  try {
    return await database.patiently((own) => migrate(own, options, list));
  } finally {
    await database.close();
  }
}

/** A session that ends with the test. */
async function session(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'a long report' });
  client.on('error', () => undefined); // The database may be dropped first.
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Returns options that record the log, and a way to abort their signal. */
function logged(): { lines: string[]; options: MigrateOptions & { signal: AbortSignal }; stop: AbortController } {
  const lines: string[] = [];
  const stop = new AbortController();
  return { lines, stop, options: { log: (line) => lines.push(line), signal: stop.signal } };
}

/** Returns the error of a migration as text; empty when it succeeded. */
function failureOf(migrating: Promise<unknown>): Promise<string> {
  return migrating.then(() => '', String);
}

async function recorded(url: string): Promise<readonly unknown[]> {
  return (await execute(url, 'select name from schema_migrations order by id')).map(({ name }) => name);
}

async function invalidIndexes(url: string): Promise<readonly unknown[]> {
  return await execute(url, 'select indexrelid::regclass::text as name from pg_index where not indisvalid');
}

const UNTIL = { timeout: 20_000, interval: 20 };

describe('a migration behind a long reader', () => {
  it('lets other clients read, logs what it waits for, and is applied once the reader has ended', async () => {
    const url = await emptyDatabase();
    await migrateWith(url, [TABLE]);
    const reader = await session(url);
    await reader.query('begin; select * from notes');
    const { lines, options } = logged();
    const migrating = migrateWith(url, ALL, options);
    const other = await session(url);
    // Until it has given up its place in the queue twice.
    let slowest = 0;
    while (lines.filter((line) => line.includes('; try ')).length < 3) {
      const begun = performance.now();
      await other.query('select * from notes');
      slowest = Math.max(slowest, performance.now() - begun);
      await sleep(5);
    }
    expect(slowest).toBeLessThan(5000);
    const { rows } = await reader.query<{ pid: number }>('select pg_backend_pid() as pid');
    expect(lines.join('\n')).toMatch(
      new RegExp(
        `migration 0002-column waits for a lock on notes held by process ${rows[0]?.pid} of PostgreSQL ` +
          String.raw`\(a long report, in a transaction for \d+ s\); try \d+ in \d+\.\d s`,
      ),
    );
    await reader.query('commit');
    expect(await migrating).toEqual(names([COLUMN, INDEX]));
    expect(await recorded(url)).toEqual(names(ALL));
  });

  it('stops at once on a signal, and leaves nothing running and nothing locked', async () => {
    const url = await emptyDatabase();
    await migrateWith(url, [TABLE]);
    const reader = await session(url);
    await reader.query('begin; select * from notes');
    for (const list of [
      [TABLE, COLUMN],
      [TABLE, INDEX],
    ]) {
      const { options, stop, lines } = logged();
      const migrating = migrateWith(url, list, options);
      const failure = failureOf(migrating);
      if (list.includes(INDEX)) await reader.query('insert into notes values (1)');
      await vi.waitFor(() => expect(lines.at(-1)).toMatch(/begins|try/), UNTIL);
      await waitsForLock(url);
      const begun = performance.now();
      stop.abort(new Error('told to stop'));
      expect(await failure).toContain('told to stop');
      expect(performance.now() - begun).toBeLessThan(5000);
      await vi.waitFor(async () => expect(await othersThan(url, reader)).toEqual([]), UNTIL);
    }
    expect(await recorded(url)).toEqual(names([TABLE]));
    await reader.query('rollback');
    expect(await migrateWith(url, ALL)).toEqual(names([COLUMN, INDEX]));
    expect(await invalidIndexes(url)).toEqual([]);
  });
});

describe('a migration outside a transaction that meets locks', () => {
  it('waits for open transactions without starting over, whatever time limits the database has', async () => {
    const url = await emptyDatabase();
    await migrateWith(url, [TABLE, COLUMN]);
    const holder = await session(url);
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
    expect(lines.filter((line) => line.includes('; try '))).toEqual([]);
    expect(await invalidIndexes(url)).toEqual([]);
  });

  it('gives up its place in the queue when other statements would wait behind it', async () => {
    const url = await emptyDatabase();
    const checked = parseMigration('0002-checked', 'alter table notes add constraint one check (id > 0) not valid');
    const valid = parseMigration(
      '0003-valid',
      '-- Outside a transaction.\nalter table notes validate constraint one;\n',
    );
    await migrateWith(url, [TABLE, checked]);
    const holder = await session(url);
    await holder.query('begin; lock table notes in share update exclusive mode');
    // The session is idle in the pauses between its tries.
    await execute(url, `alter database "${new URL(url).pathname.slice(1)}" set idle_session_timeout = '200ms'`);
    const { lines, options } = logged();
    const migrating = migrateWith(url, [TABLE, checked, valid], options);
    await vi.waitFor(() => expect(lines.filter((line) => line.includes('; try '))).toHaveLength(2), UNTIL);
    await holder.query('commit');
    expect(await migrating).toEqual(names([valid]));
  });
});

async function waitsForLock(url: string, atLeast = '0 seconds'): Promise<void> {
  const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
    and query_start <= clock_timestamp() - interval '${atLeast}'`;
  await vi.waitFor(async () => expect(await execute(url, waiting)).not.toEqual([]), UNTIL);
}

/** Returns the queries of all sessions in the database but this one and `known`. */
async function othersThan(url: string, known: Client): Promise<readonly unknown[]> {
  const { rows } = await known.query<{ pid: number }>('select pg_backend_pid() as pid');
  return await execute(
    url,
    `select query from pg_stat_activity where backend_type = 'client backend' and datname = current_database()
     and pid not in (pg_backend_pid(), ${rows[0]?.pid})`,
  );
}

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

  it('let a server of 0.1.0 go first that waits for the lock in a transaction for longer than the deadlock timeout', async () => {
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
    expect(lines.filter((line) => line.startsWith('the migration lock is released after a deadlock'))).toHaveLength(1);
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
    // Between two tries it has no transaction open, whose end a concurrent build would wait for.
    await vi.waitFor(async () => {
      const open = `select 1 from pg_stat_activity where application_name = 'orders' and datname = current_database()
        and (backend_xmin is not null or xact_start is not null)`;
      expect(await execute(url, open)).toEqual([]);
    }, UNTIL);
    stop.abort(new Error('told to stop'));
    expect(await failure).toContain('told to stop');
  });
});

describe('a migration outside a transaction', () => {
  it('builds an index again that an interrupted build left invalid, and skips one that is complete', async () => {
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

  it('is made of statements that may run again', () => {
    const again =
      /^(create (unique )?index concurrently|drop index concurrently if exists|alter table \S+ validate|analyze) /i;
    const steps = MIGRATIONS.filter(({ isTransactional }) => !isTransactional).flatMap(({ steps: own }) => own);
    expect(steps.filter((step) => !again.test(step))).toEqual([]);
    expect(INDEX.steps).toEqual([
      'create index concurrently notes_id on notes (id)',
      'create index concurrently notes_note on notes (note)',
    ]);
  });
});

describe('a migration that fails', () => {
  it('is rolled back and named in the error, earlier ones stay, and the lock is released', async () => {
    const url = await emptyDatabase();
    const broken = parseMigration('0002-broken', 'create table kept (id int); alter table nowhere add column x int');
    await expect(migrateWith(url, [TABLE, broken])).rejects.toThrow(
      'migration 0002-broken: error: relation "nowhere" does not exist',
    );
    expect(await recorded(url)).toEqual(names([TABLE]));
    expect(await execute(url, `select to_regclass('kept') as kept`)).toEqual([{ kept: null }]);
    expect(await migrateWith(url, ALL)).toEqual(names([COLUMN, INDEX]));
  });

  it('ends with its connection, and does not go on without the lock', async () => {
    const url = await emptyDatabase();
    await migrateWith(url, [TABLE]);
    const reader = await session(url);
    await reader.query('begin; select * from notes');
    const { lines, options } = logged();
    const failure = failureOf(migrateWith(url, ALL, options));
    await vi.waitFor(() => expect(lines.at(-1)).toContain('; try '), UNTIL);
    await execute(
      url,
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = ${MIGRATION_LOCK}
       and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(await failure).toMatch(/terminat|connection|queryable/i);
    expect(await recorded(url)).toEqual(names([TABLE]));
  });

  it('is refused over a connection whose process id is that of a pooler, unless nothing is pending', async () => {
    const url = await emptyDatabase();
    const pooled = await behindPooler(url);
    await expect(migrateWith(pooled, ALL)).rejects.toThrow('this connection goes through a pooler');
    await migrateWith(url, ALL);
    expect(await migrateWith(pooled, ALL)).toEqual([]);
  });
});

describe('the status of the schema', () => {
  it('lists what is pending and what is unknown, and creates nothing', async () => {
    const url = await emptyDatabase();
    const database = openDatabase({ url });
    onTestFinished(() => database.close());
    const all = MIGRATIONS.map(({ name }) => name);
    expect(await database.schemaStatus()).toEqual({ applied: [], pending: all, unknown: [] });
    expect(await execute(url, `select to_regclass('schema_migrations') as made`)).toEqual([{ made: null }]);
    await database.migrate();
    await execute(url, `insert into schema_migrations (name) values ('9999-later')`);
    expect(await database.schemaStatus()).toEqual({ applied: all, pending: [], unknown: ['9999-later'] });
  });
});
