import { newApiKey, SCOPES } from '@orders/http-adapter';
import { openDatabase, postgresApiKeys } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { onTestFinished } from 'vitest';
import { aDataDir, type RunningServer, startServer } from './running-server.ts';

/** A PostgreSQL, for servers of the running test. */
export interface TestDatabase {
  readonly url: string;
  readonly apiKey: string;
  /** Runs statements on a connection that the servers do not have. */
  readonly execute: (statements: string) => Promise<unknown>;
  /** Keeps everybody else from the orders until what it gives is called. */
  readonly lockOrders: () => Promise<() => Promise<void>>;
}

/** A server on a database, and a way to ask it with an API key. */
export interface ServerOnDatabase extends RunningServer {
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
}

export async function aDatabase(): Promise<TestDatabase> {
  const postgres = await startEmbeddedPostgres({ dataDir: await aDataDir() });
  const database = openDatabase({ url: postgres.url });
  onTestFinished(async () => {
    await database.close();
    await postgres.stop();
  });
  const { key, prefix, hash } = newApiKey();
  const known = { keyHash: hash, prefix, owner: 'shop', scopes: SCOPES, expires_at: null };
  const created_at = new Date().toISOString();
  (await postgresApiKeys(database).insert({ ...known, created_at }))._unsafeUnwrap();
  return {
    url: postgres.url,
    apiKey: key,
    execute: async (statements) => await database.orm.em.fork().execute(statements),
    lockOrders: async () => {
      const em = database.orm.em.fork();
      await em.begin();
      await em.execute('lock table orders in access exclusive mode');
      return async () => await em.rollback();
    },
  };
}

export async function startServerOn(
  { url, apiKey }: TestDatabase,
  env: Readonly<Record<string, string>>,
): Promise<ServerOnDatabase> {
  const server = await startServer({ DATABASE_URL: url, ...env });
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  return {
    ...server,
    ask: async (path, init = {}) =>
      await fetch(server.url + path, {
        ...init,
        headers: { ...headers, ...Object.fromEntries(new Headers(init.headers)) },
      }),
  };
}
