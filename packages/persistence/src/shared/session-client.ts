import { Client } from 'pg';

declare module 'pg' {
  interface Client {
    /** The parameters of the startup message: user, database, and settings of the session. */
    getStartupConf(): Readonly<Record<string, string>>;
  }
}

/** Limits of a session, in milliseconds; 0 for none. */
export interface SessionLimits {
  readonly statement_timeout: number;
  /** For each lock, of a row or a table, and for the end of a transaction that inserted the same unique key. */
  readonly lock_timeout: number;
  /** Between two statements of a transaction. */
  readonly idle_in_transaction_session_timeout: number;
}

/**
 * What statements depend on: timestamps are parsed as ISO text, and a write that waited for another one continues on
 * what that one committed. A role or database with other defaults would otherwise let a write commit and its result
 * fail. Encoding is sent by `pg` itself; any time zone can be parsed.
 */
const REQUIRED = { DateStyle: 'ISO, MDY', default_transaction_isolation: 'read committed' };

/**
 * Returns the class of clients whose sessions begin with these settings. They travel in the startup message, so that
 * they cost no round trip, and take precedence over the defaults of server, database and role and over `options` in the
 * URL. Poolers see each as a parameter of its own, which they can be configured to ignore.
 */
export function sessionClient(limits: SessionLimits): typeof Client {
  const times = Object.entries(limits).map(([name, ms]) => [name, String(ms)] as const);
  const settings = { ...REQUIRED, ...Object.fromEntries(times) };
  return class SessionClient extends Client {
    override getStartupConf(): Readonly<Record<string, string>> {
      return { ...super.getStartupConf(), ...settings };
    }
  };
}

/** The time limits of {@link DatabaseOptions}. */
interface TimeOptions {
  readonly statementTimeoutMs?: number | undefined;
  readonly lockTimeoutMs?: number | undefined;
}

/** Limits of sessions that may take any time. */
export const UNLIMITED: SessionLimits = {
  statement_timeout: 0,
  lock_timeout: 0,
  idle_in_transaction_session_timeout: 0,
};

/** How long a statement may run by default, in milliseconds. */
export const STATEMENT_TIMEOUT_MS = 10_000;

/** Above PostgreSQL's `deadlock_timeout` of a second, so that a deadlock is told from a long wait, and retried. */
const LOCK_TIMEOUT_MS = 1500;

/**
 * How long a transaction may wait for its next statement, in milliseconds: much longer than a round trip. A client that
 * is gone without a word would hold its locks for hours otherwise.
 */
const IDLE_IN_TRANSACTION_MS = 5000;

/** Returns the limits of a database's sessions; none is above that of a statement. */
export function sessionLimits(options: TimeOptions): SessionLimits {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS, lockTimeoutMs = LOCK_TIMEOUT_MS } = options;
  return {
    statement_timeout: statementTimeoutMs,
    lock_timeout: Math.min(lockTimeoutMs, statementTimeoutMs),
    idle_in_transaction_session_timeout: Math.min(IDLE_IN_TRANSACTION_MS, statementTimeoutMs),
  };
}

/**
 * Beyond PostgreSQL's own time limit, in milliseconds: then no answer will come over the connection, and it is given
 * up.
 */
const ANSWER_GRACE_MS = 1000;

/** How long the client waits for a response, in milliseconds; 0 for any time. */
export function queryTimeout({ statement_timeout: ms }: SessionLimits): number {
  return ms + Math.min(ANSWER_GRACE_MS, ms);
}
