import { createHash } from 'node:crypto';
import { newApiKey, SCOPES } from '@orders/http-adapter';
import { type ApiKeyRepository, openDatabase, postgresApiKeys } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { onTestFinished } from 'vitest';
import { aDataDir, type RunningServer, startServer } from './running-server.ts';

const LOCK_TIMEOUT_MS = 60_000;

/** The environment of a server that waits for locks as long as they may be held. */
export const WAITS_FOR_LOCKS = {
  STATEMENT_TIMEOUT_MS: `${LOCK_TIMEOUT_MS}`,
  LOCK_TIMEOUT_MS: `${LOCK_TIMEOUT_MS}`,
};

/** A PostgreSQL, for servers of the running test. */
export interface TestDatabase {
  readonly url: string;
  /** The key of the owner `shop`. */
  readonly apiKey: string;
  /** Runs statements on a connection outside the servers. */
  readonly execute: (statements: string) => Promise<unknown>;
  /** Returns the number of statements that wait for locks. */
  readonly waitingForLocks: () => Promise<number>;
  /** Holds the lock of a migration until the test ends. */
  readonly lockMigrations: () => Promise<void>;
  /** Locks the table of orders until the returned function is called. */
  readonly lockOrders: () => Promise<() => Promise<void>>;
}

/** A server on a database, and a function to send it requests with an API key. */
export interface ServerOnDatabase extends RunningServer {
  readonly send: (path: string, init?: RequestInit) => Promise<Response>;
}

export async function aDatabase(): Promise<TestDatabase> {
  const postgres = await startEmbeddedPostgres({ dataDir: await aDataDir() });
  // The lock may be held for long, because a busy machine takes time to reach it.
  const database = openDatabase({
    url: postgres.url,
    statementTimeoutMs: LOCK_TIMEOUT_MS,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
  });
  onTestFinished(async () => {
    await database.close();
    await postgres.stop();
  });
  const execute = async (statements: string) => await database.orm.em.fork().execute(statements);
  return {
    url: postgres.url,
    apiKey: await issueKey(postgresApiKeys(database), 'shop'),
    execute,
    waitingForLocks: async () => {
      const waiting = await execute(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length;
    },
    lockMigrations: async () => {
      const em = database.orm.em.fork();
      await em.begin();
      await em.execute('set local idle_in_transaction_session_timeout = 0');
      // The keys of the lock in the schema `orders`.
      await em.execute(
        `select pg_advisory_xact_lock(7204117, ${createHash('sha256').update('orders').digest().readInt32BE()})`,
      );
    },
    lockOrders: async () => {
      const em = database.orm.em.fork();
      await em.begin();
      await em.execute('set local idle_in_transaction_session_timeout = 0');
      await em.execute('lock table orders.orders in access exclusive mode');
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

export async function startServerOn(
  { url, apiKey }: TestDatabase,
  env: Readonly<Record<string, string>>,
): Promise<ServerOnDatabase> {
  const server = await startServer({ DATABASE_URL: url, ...env });
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  return {
    ...server,
    send: async (path, init = {}) =>
      await fetch(server.url + path, {
        ...init,
        headers: { ...headers, ...Object.fromEntries(new Headers(init.headers)) },
      }),
  };
}
