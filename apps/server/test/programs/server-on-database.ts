import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newApiKey, SCOPES } from '@orders/http-adapter';
import { type ApiKeyRepository, openDatabase, postgresApiKeys } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { onTestFinished } from 'vitest';
import { aDataDir, startServer } from './running-server.ts';

const LOCK_TIMEOUT_MS = 60_000;

/** The environment of a server that waits for locks as long as they may be held. */
export const WAITS_FOR_LOCKS = {
  STATEMENT_TIMEOUT_MS: `${LOCK_TIMEOUT_MS}`,
  LOCK_TIMEOUT_MS: `${LOCK_TIMEOUT_MS}`,
};

/** Locks the table of orders, for which every request about orders waits then. */
export const LOCK_ORDERS = 'lock table orders.orders in access exclusive mode';

/** As when the disk is full: PostgreSQL rejects what needs room. */
export const FULL_DISK = `create function full_disk() returns trigger language plpgsql
    as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
  create trigger full_disk before insert on orders.orders for each row execute function full_disk()`;

/** What `pg_hba.conf` needs for {@link superuserOf}. */
export const LET_SUPERUSER_IN = 'host all postgres 127.0.0.1/32 trust\n';

/** Connects to the cluster of a URL as its superuser. */
export function superuserOf(url: string) {
  return openDatabase({ url: Object.assign(new URL(url), { username: 'postgres', pathname: '/postgres' }).href });
}

/** A PostgreSQL, for servers of the running test. */
export type TestDatabase = Awaited<ReturnType<typeof aDatabase>>;

/** Starts a PostgreSQL with the tables of this release, until the test ends. `given` is a data folder to start it on. */
export async function aDatabase(given?: string) {
  const dataDir = given ?? (await aDataDir());
  const postgres = await startEmbeddedPostgres({ dataDir });
  const { url } = postgres;
  // A lock may be held for long, because a busy machine takes time to reach it.
  const database = openDatabase({ url, statementTimeoutMs: LOCK_TIMEOUT_MS, lockTimeoutMs: LOCK_TIMEOUT_MS });
  onTestFinished(async () => {
    await database.close();
    await postgres.stop();
  });
  const execute = async (statements: string) =>
    await (await database.orm.load()).mikroOrm.em.fork().execute<Readonly<Record<string, unknown>>[]>(statements);
  return {
    url,
    /** The key of the owner `shop`. */
    apiKey: await issueKey(postgresApiKeys(database), 'shop'),
    /** Returns the log of PostgreSQL. */
    log: async () => await readFile(join(dataDir, 'postgresql.log'), 'utf8'),
    /** Runs statements on a connection outside the servers. */
    execute,
    /** Returns the number of statements that wait for locks. */
    waitingForLocks: async () => {
      const waiting = `datname = current_database() and wait_event_type = 'Lock'`;
      return (await execute(`select 1 from pg_stat_activity where ${waiting}`)).length;
    },
    /** Runs a statement, whose locks are held until the returned function is called. */
    lock: async (statement: string) => {
      const em = (await database.orm.load()).mikroOrm.em.fork();
      await em.begin();
      await em.execute('set local idle_in_transaction_session_timeout = 0');
      await em.execute(statement);
      return async () => await em.rollback();
    },
  };
}

/** Creates an API key of `owner` with all scopes. */
export async function issueKey(keys: ApiKeyRepository, owner: string): Promise<string> {
  const { key, prefix, hash } = newApiKey();
  const created_at = new Date().toISOString();
  (await keys.insert({ keyHash: hash, prefix, owner, scopes: SCOPES, created_at, expires_at: null }))._unsafeUnwrap();
  return key;
}

/** Starts a server on a database, whose requests have its key. */
export function startServerOn({ url, apiKey }: TestDatabase, env: Readonly<Record<string, string>> = {}) {
  return startServer({ DATABASE_URL: url, ...env }, apiKey);
}
