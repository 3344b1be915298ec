import type { Unavailable } from '@orders/domain';

/** A constraint that a statement violated. */
export interface ConstraintFault {
  readonly type: 'unique_violation' | 'foreign_key_violation';
  readonly constraint: string;
}

/** SQLSTATE classes and codes (PostgreSQL appendix A) that say nothing against the statement. */
const UNAVAILABLE = /^(08...|53...|57P0[123]|57014|55P03|25006|40001|40P01)$/;

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
  /timeout exceeded when trying to connect|connection terminated|connection ended|client has encountered a connection error|not queryable|query read timeout/i;

/** Says what a rejection by the database means. One that means none of the known things is a bug and stays thrown. */
export function classify(cause: unknown): ConstraintFault | Unavailable {
  if (!(cause instanceof Error)) throw cause;
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  if (code === '23505') return { type: 'unique_violation', constraint: constraintOf(cause) };
  if (code === '23503') return { type: 'foreign_key_violation', constraint: constraintOf(cause) };
  if (UNAVAILABLE.test(code) || CONNECTION.has(code) || (code === '' && LOST.test(cause.message))) {
    return { type: 'unavailable', cause };
  }
  throw cause;
}

/** What a rejection means where no constraint can be violated. */
export function unavailable(cause: unknown): Unavailable {
  const fault = classify(cause);
  if (fault.type !== 'unavailable') throw cause;
  return fault;
}

/** The constraint's name, which a Citus worker tells only in the message and with its shard's number behind it. */
function constraintOf(cause: Error): string {
  const named = 'constraint' in cause && typeof cause.constraint === 'string' ? cause.constraint : undefined;
  const name = named ?? /constraint "([^"]+)"/.exec(cause.message)?.[1] ?? '';
  return name.replace(/_\d+$/, '');
}
