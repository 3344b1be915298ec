import type { Readiness } from '@orders/http-adapter';
import { openDatabase, type OrdersDatabase } from '@orders/persistence';
import type { Store } from './store.ts';

/** The validity of a check, in milliseconds. The endpoint is public, so that requests share checks. */
const VALID_MS = 1000;

/** Maximum time for the database to respond, in milliseconds. */
const RESPONSE_MS = 2000;

/** Reports whether load balancers should send requests to the server. */
export interface ServerReadiness {
  readonly whyNotReady: Readiness;
  /** Reports from now on that they should not. The server still serves requests. */
  readonly beginToStop: () => void;
  readonly close: () => Promise<void>;
}

/**
 * Checks the database of `store` over a connection of its own. In the pool it would wait behind requests, and all busy
 * servers would report that they are not ready at the same time.
 */
export function readiness(
  { url, database: served }: Pick<Store, 'url' | 'database'>,
  warn: (message: string) => void,
): ServerReadiness {
  const timeLimits = { connectTimeoutMs: RESPONSE_MS, statementTimeoutMs: RESPONSE_MS };
  const database = openDatabase({ url, schema: served.schema, poolMax: 1, ...timeLimits, warn });
  let stopping = false;
  let latest: { readonly at: number; readonly check: Promise<string | null> } | undefined;

  const whyDatabaseIsNotReady = async (): Promise<string | null> => {
    try {
      return await withTimeout(whyItCannotBeUsed(database, served));
    } catch {
      return 'The database does not respond.';
    }
  };
  return {
    whyNotReady: async () => {
      if (stopping) return 'The server is stopping.';
      const at = performance.now();
      if (!latest || at - latest.at > VALID_MS) latest = { at, check: whyDatabaseIsNotReady() };
      return await latest.check;
    },
    beginToStop: () => {
      stopping = true;
    },
    close: () => database.close(),
  };
}

async function whyItCannotBeUsed(database: OrdersDatabase, served: OrdersDatabase): Promise<string | null> {
  // A connection that does not respond, or reaches a standby, is closed. The next check resolves the host name again.
  if (!(await database.isWritable())) return 'The database is read-only; it may be a standby.';
  const pending = await database.pendingMigrations();
  if (pending.length > 0) return 'The schema of the database is older than this server.';
  // Only the connections that serve requests have met orders.
  const unknown = await served.unknownOrder();
  return unknown && `The definition of this server lacks the status "${unknown.status}", which orders have.`;
}

/** Rejects when `work` takes too long. */
async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('no response in time')), RESPONSE_MS).unref();
  });
  return await Promise.race([work, late]);
}
