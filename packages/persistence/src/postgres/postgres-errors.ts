import { isNativeError } from 'node:util/types';
import type { Unavailable } from '@orders/domain';
import { err, type Result, ResultAsync } from 'neverthrow';
import { TransactionFailed } from './transaction-failed.ts';
import { errorCode } from './error-code.ts';
import { isConnectionLost, isNotSent, isReadTimeout, NO_CONNECTION } from './unreachable-database.ts';

/** A constraint violation by a statement. */
export interface ConstraintFault {
  readonly type: 'unique_violation' | 'foreign_key_violation';
  readonly constraint: string;
}

/** SQLSTATE classes and codes (PostgreSQL appendix A) of failures that are not the statement's fault. */
const UNAVAILABLE = /^(08...|53...|57P0[1-5]|58...|57014|55P03|25006|25P0[34]|40001|40P01|42501|42P01)$/;

/** SQLSTATE codes of the last message of a session. Citus also reports them of a worker's session, as an `ERROR` of its own. */
const SESSION_ENDED = /^(57P0[1-5]|25P0[34])$/;

/** The SQLSTATE code of a write in a read-only transaction, usually on a standby. */
const READ_ONLY = '25006';

/** The SQLSTATE codes that request a retry: serialization failure, deadlock. */
const RETRY_REQUESTED = /^(40001|40P01)$/;

/** The messages of Citus for a node that has failed, or is between two releases, which it reports as an internal error. */
const CITUS_NODE_FAILED =
  /failure on connection marked as essential|unexpected postmaster exit|postmaster was shut down|connection to the remote node|loaded citus library version differs/i;

/** Error: an order has a status that the definition of this server lacks. The order is unavailable. */
export class UnknownStatus extends Error {
  override readonly name = 'UnknownStatus';
  readonly status: string;

  constructor({ id, status }: { readonly id: string; readonly status: string }) {
    super(`order ${id} has the status "${status}", which the definition of this server lacks`);
    this.status = status;
  }
}

/** Classifies a rejection by the database. An unclassified rejection is a bug and is thrown again. */
export function classify(cause: unknown): ConstraintFault | Unavailable {
  if (isUnavailable(cause)) return { type: 'unavailable', cause };
  if (!isNativeError(cause)) throw cause;
  const code = errorCode(cause);
  if (code === '23505') return { type: 'unique_violation', constraint: constraintOf(cause) };
  if (code === '23503') return { type: 'foreign_key_violation', constraint: constraintOf(cause) };
  throw cause;
}

/** The failures of a database that operators count, by SQLSTATE code or the beginning of it. Others are faults of a statement. */
const COUNTED_FAILURES = {
  '55P03': 'lock_timeout',
  '57014': 'statement_timeout',
  '40P01': 'deadlock',
  '53100': 'disk_full',
  '53200': 'out_of_memory',
  '53300': 'too_many_connections',
  '25006': 'read_only',
  '08': 'connection_lost',
  '57P': 'connection_lost',
} as const;

/** Why a database failed. */
export type FailureReason = (typeof COUNTED_FAILURES)[keyof typeof COUNTED_FAILURES];

export const FAILURE_REASONS: readonly FailureReason[] = [...new Set(Object.values(COUNTED_FAILURES))];

/** Returns why the database failed; `null` if it did not. A connection that cannot be made, or breaks off, has no SQLSTATE. */
export function failureReason(cause: unknown): FailureReason | null {
  if (!isNativeError(cause)) return null;
  const code = errorCode(cause);
  if (code === NO_CONNECTION) return failureReason(cause.cause);
  if (isConnectionLost(cause)) return 'connection_lost';
  return Object.entries(COUNTED_FAILURES).find(([begin]) => code.startsWith(begin))?.[1] ?? null;
}

/** Whether the database, the connection or the transaction failed, and not the statement, or an order is not for this server. */
export function isUnavailable(cause: unknown): boolean {
  if (!isNativeError(cause)) return false;
  const code = errorCode(cause);
  return (
    code === NO_CONNECTION ||
    isFatal(cause) ||
    cause instanceof TransactionFailed ||
    cause instanceof UnknownStatus ||
    UNAVAILABLE.test(code) ||
    isConnectionLost(cause) ||
    isCitusNodeFault(cause)
  );
}

/**
 * Whether a rejected statement certainly had no effect and may succeed at once when retried. Never true for a
 * connection lost on the way, because the statement may have been executed.
 */
export function isRetryable(cause: unknown): boolean {
  if (!isNativeError(cause)) return false;
  return RETRY_REQUESTED.test(errorCode(cause)) || isNotSent(cause);
}

/** Whether PostgreSQL rejected the statement and the session continues: then it had no effect. */
export function isRejected(cause: unknown): boolean {
  return isNativeError(cause) && 'severity' in cause && !isFatal(cause);
}

/** The context of an error while a statement waits for a row, or for the writer of the same unique key. */
const WAITS_FOR_ROW = /^while .*\btuple\b.* in relation "/m;

/**
 * Whether a statement ended because it waited too long for something other than a row: a table, or the place behind
 * others that wait for the same row.
 */
export function isTableLockTimeout(cause: unknown): boolean {
  return errorCode(cause) === '55P03' && !WAITS_FOR_ROW.test(contextOf(cause));
}

/**
 * Whether a connection is unusable after this error: the session has ended, or the server did not respond in time. Then a
 * late response would be taken for that of another statement. `pg` itself notices a lost connection.
 */
export function isSessionEnding(cause: unknown): boolean {
  return isNativeError(cause) && (isFatal(cause) || isReadTimeout(cause));
}

/** The context of an error that a worker of Citus has reported to the coordinator. */
const OF_WORKER = /^while executing command on /m;

/** Whether a write failed because the server or the transaction is read-only. A worker of Citus does not count. */
export function isReadOnly(cause: unknown): boolean {
  return errorCode(cause) === READ_ONLY && !OF_WORKER.test(contextOf(cause));
}

/**
 * Whether PostgreSQL ended or refused the session. Its severity says so, whatever the code: an `ERROR` may be about another
 * session. A PostgreSQL that translates its messages may have another word for both, and then the code decides.
 */
function isFatal(cause: Error): boolean {
  if (!('severity' in cause) || cause.severity === 'ERROR') return false;
  return cause.severity === 'FATAL' || cause.severity === 'PANIC' || SESSION_ENDED.test(errorCode(cause));
}

/** Returns where a statement failed, as PostgreSQL describes it. */
function contextOf(cause: unknown): string {
  return isNativeError(cause) && 'where' in cause && typeof cause.where === 'string' ? cause.where : '';
}

/** SQLSTATE classes and codes of failures of one statement: its data, a conflict with another, its time limits. */
const STATEMENT_FAULT = /^(22...|23...|40...|55P03|57014)$/;

/** Whether a failure concerns only the statement, or its owner's wait for a connection, and not the server. */
export function isStatementFault(cause: unknown): boolean {
  if (!isNativeError(cause)) return false;
  const code = errorCode(cause);
  return code === NO_CONNECTION ? cause.cause === undefined : STATEMENT_FAULT.test(code);
}

/** SQLSTATE classes and codes of the failure of another session, when a session reports and survives them. */
const OTHER_SESSION = /^(08...|57P0[1-5])$/;

/** Whether a node of Citus has failed, as the coordinator reports it. */
export function isNodeFault(cause: unknown): boolean {
  if (!isNativeError(cause) || !isRejected(cause)) return false;
  return OTHER_SESSION.test(errorCode(cause)) || isCitusNodeFault(cause);
}

/** Whether Citus reports the failure of a node as an internal error. */
function isCitusNodeFault(cause: Error): boolean {
  return errorCode(cause) === 'XX000' && CITUS_NODE_FAILED.test(cause.message);
}

/** The SQLSTATE class of internal errors, such as that of stored data. */
const INTERNAL = /^XX/;

/** Whether a statement about one owner may succeed for another one. */
export function isOwnersFault(cause: unknown): boolean {
  if (cause instanceof UnknownStatus) return true;
  return isStatementFault(cause) || isNodeFault(cause) || (isRejected(cause) && INTERNAL.test(errorCode(cause)));
}

/**
 * Describes a failure for the log. For a rejected statement only the code is logged, because the message may contain
 * data.
 */
export function describeForLog(cause: unknown): string {
  if (!isNativeError(cause)) return 'unknown';
  const code = errorCode(cause);
  return 'severity' in cause && !isFatal(cause) ? `SQLSTATE ${code}` : cause.message;
}

/** Classifies a rejection where no constraint can be violated. */
export function toUnavailable(cause: unknown): Unavailable {
  const fault = classify(cause);
  if (fault.type !== 'unavailable') throw cause;
  return fault;
}

/** Returns the value of a read, or `unavailable` when the database failed. */
export function orUnavailable<T>(read: Promise<T>): ResultAsync<T, Unavailable> {
  return ResultAsync.fromPromise(read, toUnavailable);
}

/** Returns the result of a read, or `unavailable` when the database failed. */
export function toResultAsync<T, E>(read: Promise<Result<T, E>>): ResultAsync<T, E | Unavailable> {
  return new ResultAsync<T, E | Unavailable>(read.catch((thrown: unknown) => err(toUnavailable(thrown))));
}

/** Returns the constraint's name. A Citus worker reports it only in the message, with its shard's number appended. */
function constraintOf(cause: Error): string {
  const named = 'constraint' in cause && typeof cause.constraint === 'string' ? cause.constraint : undefined;
  const name = named ?? /constraint "([^"]+)"/.exec(cause.message)?.[1] ?? '';
  return name.replace(/_\d+$/, '');
}
