import { backoffMs, RETRY_PAUSES } from '@orders/domain/events';
import type { MigrateOptions } from '../database/database.ts';
import type { OpenedPools } from '../database/opened-pools.ts';
import { MIGRATION_LOCK, takeMigrationLock } from './migration-lock.ts';
import { type MigrationSession, openMigrationSession } from './migration-session.ts';
import { schemaStatus } from './schema-status.ts';
import { watchWaits } from './watch-waits.ts';
import { migrationsOf } from './functions-migration.ts';
import type { Migration } from './migrations-list.ts';
import { abortable, pause } from '../postgres/abortable.ts';
import { errorCode } from '../postgres/error-code.ts';
import { lockKeys, MIGRATIONS_TABLE } from '../tables/schema.ts';

/**
 * Maximum wait of a statement for a lock, in milliseconds. Other statements on the same table queue behind it for that
 * long, so it is shorter than the lock timeout of requests.
 */
const LOCK_TIMEOUT_MS = 500;

/** The pauses after lock timeouts and deadlocks. */
const PAUSES = { ...RETRY_PAUSES, firstMs: 500 };

const CREATE_TABLE = `create table if not exists our.${MIGRATIONS_TABLE} (
  id serial primary key, name varchar(255), executed_at timestamptz default current_timestamp)`;

const EARLIER_BUILD =
  'the database has the tables of a build before the first release, which no migration changes: use an empty database';

/**
 * Applies the pending migrations and returns their names, in order. Only reads when none is pending. One server at a
 * time migrates; the others wait for it, without limit, until their signal is aborted.
 *
 * @internal
 * @throws {Error} a statement failed for another reason than a lock, the connection was lost, or the database belongs to a
 *   build before the first release
 */
export async function migrate(
  database: OpenedPools,
  { log = () => undefined, signal = new AbortController().signal }: MigrateOptions = {},
  migrations: readonly Migration[] = migrationsOf(database.orm),
): Promise<readonly string[]> {
  const { orm, primary } = database;
  const status = () => abortable(signal, () => schemaStatus(database, migrations));
  const { pending: missing, unknown } = await status();
  if (missing.length === 0) return [];
  const [baseline] = migrations;
  const session = await openMigrationSession(database, signal);
  try {
    if (baseline && missing.includes(baseline.name) && (unknown.length > 0 || (await hasEarlierBuild(session))))
      throw new Error(EARLIER_BUILD);
    await takeMigrationLock(session, lockKeys(orm.schema, MIGRATION_LOCK), log, signal);
    await createSchema(session, orm.schema);
    const { pending } = await status();
    if (pending.length > 0) log(`applying the migrations ${pending.join(', ')}`);
    for (const migration of migrations.filter(({ name }) => pending.includes(name))) {
      await apply({ primary, session, migration, log, signal });
    }
    return pending;
  } finally {
    session.close();
  }
}

/**
 * Builds before the first release have these in `public`. It reads the catalog alone: a table of one of these names may belong
 * to a host, which may hold a lock on it.
 */
const EARLIER_TABLES = `select from pg_attribute
  where to_regclass('public.${MIGRATIONS_TABLE}') is not null and to_regclass('public.api_keys') is not null
    and attrelid = to_regclass('public.orders') and attname in ('owner_id', 'total_amount') having count(*) = 2`;

/** Whether `public` has the tables of a build before the first release. */
async function hasEarlierBuild(session: MigrationSession): Promise<boolean> {
  return (await session.run(EARLIER_TABLES)).length > 0;
}

/** The SQLSTATE code of a missing privilege. */
const NOT_PERMITTED = '42501';

/**
 * Creates the schema and the table of applied migrations, unless they exist. PostgreSQL requires the right to create schemas
 * even for `create schema if not exists`.
 */
async function createSchema(session: MigrationSession, schema: string): Promise<void> {
  try {
    const [found] = await session.run('select to_regnamespace($1) is not null as exists', [`"${schema}"`]);
    if (found?.['exists'] !== true) await session.run(`create schema "${schema}"`);
    await session.run(CREATE_TABLE);
  } catch (cause) {
    if (errorCode(cause) !== NOT_PERMITTED) throw cause;
    throw new Error(
      `the role of the connection may not create the tables in the schema "${schema}": let it own the schema, ` +
        'or grant it CREATE on the database if there is no such schema',
      { cause },
    );
  }
}

interface MigrationRun extends Pick<OpenedPools, 'primary'> {
  readonly session: MigrationSession;
  readonly migration: Migration;
  readonly log: (message: string) => void;
  readonly signal: AbortSignal;
}

async function apply(run: MigrationRun): Promise<void> {
  const { session, migration } = run;
  const record = () => session.run(`insert into our.${MIGRATIONS_TABLE} (name) values ($1)`, [migration.name]);
  if (migration.isTransactional) {
    await retryLocks(run, () =>
      inTransaction(session, async () => {
        for (const step of migration.steps) await session.run(step);
        await record();
      }),
    );
    return;
  }
  for (const step of migration.steps) await retryLocks(run, () => runAlone(session, step));
  await record();
}

/** Runs `work`, and retries it as long as it fails with lock timeouts or deadlocks. */
async function retryLocks({ primary, session, migration, log, signal }: MigrationRun, work: () => Promise<void>) {
  for (let attempt = 1; ; attempt += 1) {
    const watch = watchWaits(primary, session.pid, (clause) => log(`migration ${migration.name} ${clause}`));
    try {
      await work();
      return;
    } catch (cause) {
      if (signal.aborted) throw cause;
      if (!RETRYABLE.test(errorCode(cause)))
        throw new Error(`migration ${migration.name}: ${String(cause)}`, { cause });
      const waitMs = backoffMs(attempt, PAUSES, Math.random());
      const lock = watch.lastWait() ?? 'a lock that another transaction holds';
      log(`migration ${migration.name} waits for ${lock}; attempt ${attempt + 1} in ${(waitMs / 1000).toFixed(1)} s`);
      await pause(waitMs, signal);
    } finally {
      watch.stop();
    }
  }
}

/** The codes of a lock timeout and of a deadlock. */
const RETRYABLE = /^(55P03|40P01)$/;

async function inTransaction(session: MigrationSession, work: () => Promise<void>): Promise<void> {
  await session.run(`begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    await work();
    await session.run('commit');
  } catch (cause) {
    // Without a connection, or after an abort, there is nothing to roll back: closing the session does it.
    await session.run('rollback').catch(() => undefined);
    throw cause;
  }
}

const INDEX_BUILD = /^create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?(\S+)/i;

/**
 * Runs a statement that cannot run in a transaction. A concurrent statement may wait as long as transactions last,
 * because no reader or writer queues behind it.
 */
async function runAlone(session: MigrationSession, step: string): Promise<void> {
  const isConcurrent = /^(create|drop)\b[^;]*?\bconcurrently\b/i.test(step);
  await session.run(`set lock_timeout = ${isConcurrent ? 0 : LOCK_TIMEOUT_MS}`);
  const [, index] = INDEX_BUILD.exec(step) ?? [];
  if (index !== undefined) {
    const valid = `select indisvalid as valid from pg_index where indexrelid = to_regclass('our.${index}')`;
    const [existing] = await session.run(valid);
    if (existing?.['valid'] === true) return;
    // An interrupted build leaves an invalid index, which every write maintains and no query uses.
    if (existing) await session.run(`drop index concurrently our.${index}`);
  }
  await session.run(step);
}
