import type { Unavailable } from '@orders/domain';

/** A constraint that a statement violated. */
export interface ConstraintFault {
  readonly type: 'unique_violation' | 'foreign_key_violation';
  readonly constraint: string;
}

/** SQLSTATE classes and codes (PostgreSQL appendix A) that say nothing against the statement. */
const UNAVAILABLE = /^(08...|53...|57P0[1235]|57014|55P03|25006|25P0[34]|40001|40P01)$/;

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

/** Says what a rejection by the database means. One that means none of the known things is a bug and stays thrown. */
export function classify(cause: unknown): ConstraintFault | Unavailable {
  if (!(cause instanceof Error)) throw cause;
  const code = codeOf(cause);
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
  if (!(cause instanceof Error)) return false;
  const code = codeOf(cause);
  return TRY_AGAIN.test(code) || (code === '' && NEVER_SENT.test(cause.message));
}

/**
 * Whether a connection is of no use after this: PostgreSQL says with the error that the session is over, or did not
 * answer in time. What was sent may then be carried out, and its answer would be taken for another's.
 */
export function isOver(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  const isFatal = 'severity' in cause && (cause.severity === 'FATAL' || cause.severity === 'PANIC');
  return isFatal || cause.message === 'Query read timeout';
}

/** What a rejection means where no constraint can be violated. */
export function unavailable(cause: unknown): Unavailable {
  const fault = classify(cause);
  if (fault.type !== 'unavailable') throw cause;
  return fault;
}

function codeOf(cause: Error): string {
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
}

/** The constraint's name, which a Citus worker tells only in the message and with its shard's number behind it. */
function constraintOf(cause: Error): string {
  const named = 'constraint' in cause && typeof cause.constraint === 'string' ? cause.constraint : undefined;
  const name = named ?? /constraint "([^"]+)"/.exec(cause.message)?.[1] ?? '';
  return name.replace(/_\d+$/, '');
}
