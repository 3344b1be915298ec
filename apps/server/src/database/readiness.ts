import type { Readiness } from '@orders/http-adapter';
import { failureReason, openDatabase, type OrdersDatabase } from '@orders/persistence';
import type { FastifyBaseLogger } from 'fastify';
import type { DatabaseClock } from './clocks.ts';
import type { Store } from './store.ts';

/** The validity of a check, in milliseconds. The endpoint is public, so that requests share checks. */
const VALID_MS = 1000;

/** Maximum time for the database to respond, in milliseconds. */
const RESPONSE_MS = 2000;

/** Why a server is not ready: a word for programs, and a sentence for people. */
interface NotReady {
  readonly reason:
    | 'stopping'
    | 'no_response'
    | 'too_many_connections'
    | 'read_only'
    | 'schema'
    | 'definition'
    | 'clock';
  readonly detail: string;
}

/** Reports whether load balancers should send requests to the server. */
export interface ServerReadiness {
  readonly whyNotReady: Readiness;
  /** Checks as `whyNotReady` does. */
  readonly check: () => Promise<NotReady | null>;
  /** Reports from now on that they should not. The server still serves requests. */
  readonly beginToStop: () => void;
  readonly close: () => Promise<void>;
}

/** What each check compares, and who receives the difference in milliseconds. */
export interface ComparedByReadiness {
  readonly clock: DatabaseClock;
  readonly onDifference: (ms: number) => void;
}

/**
 * Checks the database of `store` over a connection of its own. In the pool it would wait behind requests, and all busy
 * servers would report that they are not ready at the same time. Each change is logged.
 */
export function readiness(
  { url, database: served }: Pick<Store, 'url' | 'database'>,
  log: FastifyBaseLogger,
  { clock, onDifference }: ComparedByReadiness,
): ServerReadiness {
  const warn = (message: string) => log.warn(message);
  const timeLimits = { connectTimeoutMs: RESPONSE_MS, statementTimeoutMs: RESPONSE_MS };
  const database = openDatabase({ url, schema: served.schema, poolMax: 1, ...timeLimits, warn });
  let stopping = false;
  let latest: { readonly at: number; readonly check: Promise<NotReady | null> } | undefined;
  let logged: NotReady['reason'] | null = null;

  const checkClock = async (): Promise<NotReady | null> => {
    const { differenceMs, fault } = await clock.compare(database);
    onDifference(differenceMs);
    return fault === null ? null : { reason: 'clock', detail: 'The clocks of this server and of the database differ.' };
  };
  const checkDatabase = async (): Promise<NotReady | null> => {
    const unusable = whyItCannotBeUsed(database, served).then(async (reason) => reason ?? (await checkClock()));
    const found = await withTimeout(unusable).catch(silent);
    const reason = found?.reason ?? null;
    if (found && reason !== logged) log.warn(found, 'not ready');
    else if (reason !== logged) log.info({ after: logged }, 'ready again');
    logged = reason;
    return found;
  };
  const check = async (): Promise<NotReady | null> => {
    if (stopping) return { reason: 'stopping', detail: 'The server is stopping.' };
    const at = performance.now();
    if (!latest || at - latest.at > VALID_MS) latest = { at, check: checkDatabase() };
    return await latest.check;
  };
  return {
    check,
    whyNotReady: async () => (await check())?.detail ?? null,
    beginToStop: () => {
      stopping = true;
    },
    close: () => database.close(),
  };
}

/** Returns why a check has failed. */
function silent(cause: unknown): NotReady {
  return failureReason(cause) === 'too_many_connections'
    ? { reason: 'too_many_connections', detail: 'The database accepts no further connection of this server.' }
    : { reason: 'no_response', detail: 'The database does not respond.' };
}

async function whyItCannotBeUsed(database: OrdersDatabase, served: OrdersDatabase): Promise<NotReady | null> {
  // A connection that does not respond, or reaches a standby, is closed. The next check resolves the host name again.
  if (!(await database.isWritable()))
    return { reason: 'read_only', detail: 'The database is read-only; it may be a standby.' };
  const pending = await database.pendingMigrations();
  if (pending.length > 0) return { reason: 'schema', detail: 'The schema of the database is older than this server.' };
  // Only the connections that serve requests have met orders.
  const unknown = await served.unknownOrder();
  if (!unknown) return null;
  const detail = `The definition of this server lacks the status "${unknown.status}", which orders have.`;
  return { reason: 'definition', detail };
}

/** Rejects when `work` takes too long. */
async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('no response in time')), RESPONSE_MS).unref();
  });
  return await Promise.race([work, late]);
}
