import { isNativeError } from 'node:util/types';
import { errorCode } from './error-code.ts';

/** The message of `pg` when a pooled connection was lost before the statement was sent. */
const NOT_SENT = /is not queryable/i;

/** The error codes of Node.js for a connection that cannot be made or is lost. */
const CONNECTION_CODES = new Set([
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

/** The messages of `pg` and its pool, which have no code, when a connection cannot be made or is lost. */
const CONNECTION_LOST =
  /timeout exceeded when trying to connect|after calling end on the pool|connection terminated|connection ended|client has encountered a connection error|not queryable|query read timeout/i;

/** Identifies {@link NoConnection} after MikroORM has wrapped it in an error of its own, which keeps the code. */
export const NO_CONNECTION = 'NO_CONNECTION';

/** No connection is available: the server is unreachable or refuses the session, or all connections are in use. */
export class NoConnection extends Error {
  override readonly name = 'NoConnection';
  readonly code = NO_CONNECTION;
}

/** Error: the settings of a session that another library has opened are unsuitable. */
export class UnsuitableSession extends TypeError {}

/** Whether a connection could not be made, or was lost. */
export function isConnectionLost(cause: Error): boolean {
  const code = errorCode(cause);
  return CONNECTION_CODES.has(code) || (code === '' && CONNECTION_LOST.test(cause.message));
}

/** Wraps the failure of a connection attempt, with the reasons of all addresses. */
export function toNoConnection(cause: unknown): NoConnection | UnsuitableSession {
  if (cause instanceof UnsuitableSession) return cause;
  const reasons: readonly unknown[] =
    isNativeError(cause) && 'errors' in cause && Array.isArray(cause.errors) ? cause.errors : [cause];
  const messages = reasons.map((reason) => (isNativeError(reason) ? reason.message : 'the pool has no connection'));
  return new NoConnection(messages.join('; '), { cause });
}

/** Whether the connection was lost before the statement was sent. */
export function isNotSent(cause: unknown): boolean {
  return isNativeError(cause) && errorCode(cause) === '' && NOT_SENT.test(cause.message);
}

/** The message when a statement has no response within the time limit of the client, that of `pg`. */
export const READ_TIMEOUT = 'Query read timeout';

/** Whether the client stopped waiting for the response to a statement, which may still be executed. */
export function isReadTimeout(cause: unknown): boolean {
  return isNativeError(cause) && cause.message === READ_TIMEOUT;
}

/** The message of the pool of `pg` after its end. */
const POOL_ENDED = 'after calling end on the pool';

/** Whether no connection is available because the pool was closed. */
export function isPoolEnded(cause: unknown): boolean {
  return isNativeError(cause) && errorCode(cause) === NO_CONNECTION && cause.message.includes(POOL_ENDED);
}
