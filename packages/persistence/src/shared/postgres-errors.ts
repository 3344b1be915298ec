import { isNativeError } from 'node:util/types';
import type { Unavailable } from '@orders/domain';
import { err, type Result, ResultAsync } from 'neverthrow';
import { errorCode } from './error-code.ts';

/** A constraint that a statement violated. */
export interface ConstraintFault {
  readonly type: 'unique_violation' | 'foreign_key_violation';
  readonly constraint: string;
}

/** SQLSTATE classes and codes (PostgreSQL appendix A) that say nothing against the statement. */
const UNAVAILABLE = /^(08...|53...|57P0[1-5]|58...|57014|55P03|25006|25P0[34]|40001|40P01)$/;

/**
 * Those after which a session is of no use: the connection failed, the server ends the session, cannot reach its files,
 * or accepts no writes. A new connection may reach another server, because a name is resolved anew.
 */
const SESSION_OVER = /^(08...|57P0[1-5]|58...|25006|25P0[34])$/;

/** What is said of a write in a read-only transaction: mostly by a standby. */
const READ_ONLY = '25006';

/** Those by which PostgreSQL asks for another try: serialization failure, deadlock. */
const TRY_AGAIN = /^(40001|40P01)$/;

/** What `pg` says when a connection that the pool handed out was lost before the statement went out. */
const NEVER_SENT = /is not queryable/i;

/** Node.js's own codes for a connection that cannot be made or is lost. */
const CONNECTION = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

/** What `pg` and its pool say without a code when a connection cannot be had or is lost. */
const LOST =
  /timeout exceeded when trying to connect|after calling end on the pool|connection terminated|connection ended|client has encountered a connection error|not queryable|query read timeout/i;

/** Marks {@link NoConnection} where MikroORM has made an error of its own of it, which keeps the code. */
const NO_CONNECTION = 'NO_CONNECTION';

/** No connection could be had: the server cannot be reached, does not accept the session, or all are in use. */
export class NoConnection extends Error {
  override readonly name = 'NoConnection';
  readonly code = NO_CONNECTION;
}

/** Wraps the failure of a connection attempt; of several addresses all reasons are kept. */
export function noConnection(cause: unknown): NoConnection {
  const reasons: readonly unknown[] =
    isNativeError(cause) && 'errors' in cause && Array.isArray(cause.errors) ? cause.errors : [cause];
  const messages = reasons.map((reason) => (isNativeError(reason) ? reason.message : 'the pool has none'));
  return new NoConnection(messages.join('; '), { cause });
}

/** Says what a rejection by the database means. One that means none of the known things is a bug and stays thrown. */
export function classify(cause: unknown): ConstraintFault | Unavailable {
  if (!isNativeError(cause)) throw cause;
  const code = errorCode(cause);
  if (code === NO_CONNECTION || isFatal(cause)) return { type: 'unavailable', cause };
  if (code === '23505') return { type: 'unique_violation', constraint: constraintOf(cause) };
  if (code === '23503') return { type: 'foreign_key_violation', constraint: constraintOf(cause) };
  if (UNAVAILABLE.test(code) || CONNECTION.has(code) || (code === '' && LOST.test(cause.message))) {
    return { type: 'unavailable', cause };
  }
  throw cause;
}

/**
 * Whether a rejected statement certainly did nothing and may do better at once. A connection lost on the way is
 * neither: the statement may have been carried out.
 */
export function mayBeRetried(cause: unknown): boolean {
  if (!isNativeError(cause)) return false;
  const code = errorCode(cause);
  return TRY_AGAIN.test(code) || (code === '' && NEVER_SENT.test(cause.message));
}

/**
 * Whether a connection is of no use after this: PostgreSQL says with the error that the session is over or reaches the
 * wrong server, or did not answer in time. What was sent may then be carried out, and its answer would be taken for
 * another's.
 */
export function isOver(cause: unknown): boolean {
  if (!isNativeError(cause)) return false;
  return isFatal(cause) || SESSION_OVER.test(errorCode(cause)) || cause.message === 'Query read timeout';
}

/** Whether a write failed because the server or the transaction is read-only. */
export function isReadOnly(cause: unknown): boolean {
  return errorCode(cause) === READ_ONLY;
}

/** Whether PostgreSQL ended or refused the session, whatever its reason. */
function isFatal(cause: Error): boolean {
  return 'severity' in cause && (cause.severity === 'FATAL' || cause.severity === 'PANIC');
}

/** SQLSTATE classes and codes of failures of one statement: its data, a conflict with another, its time limits. */
const OF_STATEMENT = /^(22...|23...|40...|55P03|57014)$/;

/** Whether a failure says nothing about the server: it is the statement's, or its owner waits for a connection. */
export function isOfStatement(cause: unknown): boolean {
  if (!isNativeError(cause)) return false;
  const code = errorCode(cause);
  return code === NO_CONNECTION ? cause.cause === undefined : OF_STATEMENT.test(code);
}

/** Describes a failure for the log. Of a rejected statement only the code: its message may quote data. */
export function loggable(cause: unknown): string {
  if (!isNativeError(cause)) return 'unknown';
  const code = errorCode(cause);
  return 'severity' in cause && !isFatal(cause) ? `SQLSTATE ${code}` : cause.message;
}

/** What a rejection means where no constraint can be violated. */
export function unavailable(cause: unknown): Unavailable {
  const fault = classify(cause);
  if (fault.type !== 'unavailable') throw cause;
  return fault;
}

/** The result of a read, which violates no constraint; a failure of the database is `unavailable`. */
export function orUnavailable<T, E>(read: Promise<Result<T, E>>): ResultAsync<T, E | Unavailable> {
  return new ResultAsync<T, E | Unavailable>(read.catch((thrown: unknown) => err(unavailable(thrown))));
}

/** The constraint's name, which a Citus worker tells only in the message and with its shard's number behind it. */
function constraintOf(cause: Error): string {
  const named = 'constraint' in cause && typeof cause.constraint === 'string' ? cause.constraint : undefined;
  const name = named ?? /constraint "([^"]+)"/.exec(cause.message)?.[1] ?? '';
  return name.replace(/_\d+$/, '');
}
