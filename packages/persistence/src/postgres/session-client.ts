import pg, { type Client } from 'pg';

declare module 'pg' {
  interface Client {
    /** Returns the parameters of the startup message: user, database, and settings of the session. */
    getStartupConf(): Readonly<Record<string, string>>;
  }
}

/** Time limits of a session, in milliseconds; 0 for none. */
export interface SessionLimits {
  readonly statement_timeout: number;
  /** Applies to each lock on a row or table, and to the end of a transaction that inserted the same unique key. */
  readonly lock_timeout: number;
  /** Applies between two statements of a transaction. */
  readonly idle_in_transaction_session_timeout: number;
}

/**
 * Settings that the statements depend on: timestamps are parsed as ISO text, and a write that waited for another one
 * continues with its committed rows. With other defaults of a role or database, a write could commit and its result
 * still fail. `pg` itself sends the encoding; any time zone can be parsed.
 */
const REQUIRED = { DateStyle: 'ISO, MDY', default_transaction_isolation: 'read committed' };

/**
 * Returns a class of clients whose sessions start with these settings. They travel in the startup message, so that they
 * cost no round trip, and take precedence over the defaults of server, database and role and over `options` in the URL.
 * A pooler receives each as a parameter of its own, which it can be configured to ignore.
 */
export function sessionClient(limits: SessionLimits): typeof Client {
  const times = Object.entries(limits).map(([name, ms]) => [name, String(ms)] as const);
  const settings = { ...REQUIRED, ...Object.fromEntries(times) };
  const query_timeout = responseTimeout(limits);
  return class SessionClient extends pg.Client {
    override getStartupConf(): Readonly<Record<string, string>> {
      return { ...super.getStartupConf(), ...settings };
    }

    // Not for the whole client: `pg` would make a timer for each prepared statement, and assign a function to its property
    // `callback`. V8 puts such a function into the old heap, where it keeps the request until a full collection.
    override query(...[statement, ...others]: readonly unknown[]): never {
      const given = typeof statement === 'string' ? { text: statement } : statement;
      const isLimited = typeof given === 'object' && given !== null && !('submit' in given);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/unbound-method -- all overloads of `pg` at once
      return Reflect.apply(super.query, this, [isLimited ? { ...given, query_timeout } : given, ...others]) as never;
    }
  };
}

/** The time limits of {@link DatabaseOptions}. */
interface TimeOptions {
  readonly statementTimeoutMs?: number | undefined;
  readonly lockTimeoutMs?: number | undefined;
}

/** The limits of sessions without time limits. */
export const UNLIMITED: SessionLimits = {
  statement_timeout: 0,
  lock_timeout: 0,
  idle_in_transaction_session_timeout: 0,
};

/** Default maximum run time of a statement, in milliseconds. */
export const STATEMENT_TIMEOUT_MS = 10_000;

/**
 * Longer than PostgreSQL's `deadlock_timeout` of a second, so that a deadlock is distinguished from a long wait, and
 * retried.
 */
const LOCK_TIMEOUT_MS = 1500;

/**
 * Maximum wait of a transaction for its next statement, in milliseconds: much longer than a round trip. Without it, a
 * client that disappears would hold its locks for hours.
 */
const IDLE_IN_TRANSACTION_MS = 5000;

/**
 * Default maximum age of a transaction of a host, in milliseconds. Its locks stop others for as long. PostgreSQL itself
 * has such a limit from release 17 on.
 */
export const TRANSACTION_TIMEOUT_MS = 30_000;

/** Returns the time limits of a database's sessions. None exceeds the statement timeout. */
export function sessionLimits(options: TimeOptions): SessionLimits {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS, lockTimeoutMs = LOCK_TIMEOUT_MS } = options;
  return {
    statement_timeout: statementTimeoutMs,
    lock_timeout: Math.min(lockTimeoutMs, statementTimeoutMs),
    idle_in_transaction_session_timeout: Math.min(IDLE_IN_TRANSACTION_MS, statementTimeoutMs),
  };
}

/**
 * Additional wait after PostgreSQL's own time limit, in milliseconds. Then no response is expected, and the connection
 * is closed.
 */
const RESPONSE_GRACE_MS = 1000;

/** Returns the client's maximum wait for a response, in milliseconds; 0 for no limit. */
export function responseTimeout({ statement_timeout: ms }: SessionLimits): number {
  return ms + Math.min(RESPONSE_GRACE_MS, ms);
}
