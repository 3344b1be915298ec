import type { DatabaseParts } from './database-parts.ts';
import { takeMigrationLock } from './migration/migration-lock.ts';
import { type MigrationSession, openMigrationSession } from './migration/migration-session.ts';
import { MIGRATIONS_TABLE, schemaStatus } from './migration/schema-status.ts';
import { watchWaits } from './migration/watch-waits.ts';
import { migrationsOf } from './migration/functions-migration.ts';
import type { Migration } from './migration/migrations-list.ts';
import { abortable, pause } from './shared/abortable.ts';
import { errorCode } from './shared/error-code.ts';

/** Options of a migration: progress reports and cancellation. */
export interface MigrateOptions {
  /** Receives a line for each migration, for each retry, and every ten seconds while waiting. Default: no-op. */
  readonly log?: ((message: string) => void) | undefined;
  /**
   * Stops the migration: cancels the running statement and rejects with the signal's reason within a second. Committed
   * steps stay, and the next migration continues there. Default: never aborted.
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Maximum wait of a statement for a lock, in milliseconds. Other statements on the same table queue behind it for that
 * long, so it is shorter than the lock timeout of requests.
 */
const LOCK_TIMEOUT_MS = 500;

/** The pause after the first lock timeout or deadlock, in milliseconds. It doubles with each further one, up to the maximum. */
const PAUSE_MS = 500;
const PAUSE_MAX_MS = 30_000;

const CREATE_TABLE = `create table if not exists ${MIGRATIONS_TABLE} (
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
  { orm, primary }: DatabaseParts,
  { log = () => undefined, signal = new AbortController().signal }: MigrateOptions = {},
  migrations: readonly Migration[] = migrationsOf(orm),
): Promise<readonly string[]> {
  const status = () => abortable(signal, () => schemaStatus(primary, migrations));
  const { pending: missing, unknown } = await status();
  if (missing.length === 0) return [];
  const [baseline] = migrations;
  if (baseline && missing.includes(baseline.name) && unknown.length > 0) throw new Error(EARLIER_BUILD);
  const session = await openMigrationSession(primary, signal);
  try {
    await takeMigrationLock(session, log, signal);
    await session.run(CREATE_TABLE);
    const { pending } = await status();
    for (const migration of migrations.filter(({ name }) => pending.includes(name))) {
      await apply({ primary, session, migration, log, signal });
    }
    return pending;
  } finally {
    session.close();
  }
}

interface MigrationRun extends Pick<DatabaseParts, 'primary'> {
  readonly session: MigrationSession;
  readonly migration: Migration;
  readonly log: (message: string) => void;
  readonly signal: AbortSignal;
}

async function apply(run: MigrationRun): Promise<void> {
  const begun = performance.now();
  run.log(`migration ${run.migration.name} begins`);
  await applySteps(run);
  run.log(`migration ${run.migration.name} is applied, after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

async function applySteps(run: MigrationRun): Promise<void> {
  const { session, migration } = run;
  const record = () => session.run(`insert into ${MIGRATIONS_TABLE} (name) values ($1)`, [migration.name]);
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
      if (!isRetryable(cause)) throw new Error(`migration ${migration.name}: ${String(cause)}`, { cause });
      const waitMs = pauseAfter(attempt);
      const lock = watch.lastWait() ?? 'a lock that another transaction holds';
      log(`migration ${migration.name} waits for ${lock}; attempt ${attempt + 1} in ${(waitMs / 1000).toFixed(1)} s`);
      await pause(waitMs, signal);
    } finally {
      watch.stop();
    }
  }
}

/** Returns the pause after attempt number `attempt`, in milliseconds. */
function pauseAfter(attempt: number): number {
  const longest = Math.min(PAUSE_MS * 2 ** (attempt - 1), PAUSE_MAX_MS);
  return longest / 2 + Math.random() * (longest / 2);
}

/** The codes of a lock timeout and of a deadlock. */
const RETRYABLE: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

function isRetryable(cause: unknown): boolean {
  return RETRYABLE.has(errorCode(cause));
}

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
    const valid = 'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)';
    const [existing] = await session.run(valid, [index]);
    if (existing?.['valid'] === true) return;
    // An interrupted build leaves an invalid index, which every write maintains and no query uses.
    if (existing) await session.run(`drop index concurrently ${index}`);
  }
  await session.run(step);
}
