import { setTimeout as sleep } from 'node:timers/promises';
import type { Unavailable } from '@orders/domain';
import { err, type Result, ResultAsync } from 'neverthrow';
import type { Conflicts } from '../database-parts.ts';
import { type ConstraintFault, classify, toUnavailable } from '../shared/postgres-errors.ts';
import { jitter } from '../shared/retry.ts';

/** The result of one attempt of a write; `retry` when a concurrent write came in between. */
export type Attempt<T, E> = Promise<Result<T, E> | 'retry'>;

/** A write, as attempts that may conflict with concurrent ones. */
interface ConflictingWrite<T, E, C> {
  readonly attempt: () => Attempt<T, E>;
  /** Returns the recorded result of the key, which takes precedence over an error, because its write has happened. */
  readonly replay: () => Promise<Result<T, E> | null>;
  /** Returns the error for the violated constraint, or `retry` when the conflict no longer exists. */
  readonly conflict: (fault: ConstraintFault) => Promise<C | 'retry'>;
  /** How long conflicts are retried. The last attempt starts within this time, and may take a statement timeout more. */
  readonly conflicts: Conflicts;
}

/**
 * Attempts a write until an attempt has a result; `first` is under way. Other clients may take and release a reference, an email or an expired
 * key faster than this write can look up its holder. The write is then retried, first at once, then after a random wait,
 * for a limited time: a fixed number of attempts would fail by chance.
 */
export function settleWrite<T, E, C>(
  first: Attempt<T, E>,
  write: ConflictingWrite<T, E, C>,
): ResultAsync<T, E | C | Unavailable> {
  return new ResultAsync(
    attemptUntilSettled(first, write).catch((thrown: unknown) => {
      if (thrown instanceof CallerException) throw thrown.cause;
      return err(toUnavailable(thrown));
    }),
  );
}

async function attemptUntilSettled<T, E, C>(
  first: Attempt<T, E>,
  write: ConflictingWrite<T, E, C>,
): Promise<Result<T, E | C | Unavailable>> {
  let cause: unknown;
  const end = performance.now() + write.conflicts.retriedForMs;
  let attempt = first;
  for (let count = 1; ; count += 1) {
    const result = await attempt.catch((thrown: unknown) => {
      cause = thrown;
      return explainFailure(thrown, write);
    });
    if (result !== 'retry') return result;
    const wait = count === 1 ? 0 : jitter(count - 1);
    if (performance.now() + wait >= end) {
      // Made only here, because the stack of an error takes longer than anything else in a write.
      const last = cause ?? new Error('every attempt of the write met a concurrent one');
      return err({ type: 'unavailable', cause: await write.conflicts.unresolved(last) });
    }
    await sleep(wait);
    attempt = write.attempt();
  }
}

/** Returns the result of an attempt that the database rejected. */
async function explainFailure<T, E, C>(
  thrown: unknown,
  { replay, conflict }: ConflictingWrite<T, E, C>,
): Attempt<T, E | C | Unavailable> {
  const fault = classify(thrown);
  if (fault.type === 'unavailable') return err(fault);
  const replayed = await replay();
  if (replayed) return replayed;
  if (isExistingId(fault) || !CONFLICTS.has(fault.constraint)) throw thrown;
  const reason = await conflict(fault);
  return reason === 'retry' ? 'retry' : err(reason);
}

/**
 * The constraints that concurrent writes violate. Any other is one that the host has added, such as a foreign key to
 * orders, and stays violated when the write is retried.
 */
const CONFLICTS = new Set([
  'idempotency_pkey',
  'orders_reference_unique',
  'orders_customer_foreign',
  'customers_email_unique',
  'webhook_endpoints_slot_unique',
]);

/**
 * Whether a write violated the primary key of its row or change record: an id or version that exists. The domain never
 * passes one, so that this is a bug, unlike a concurrently taken idempotency key.
 */
function isExistingId({ type, constraint }: ConstraintFault): boolean {
  return type === 'unique_violation' && constraint.endsWith('_pkey') && constraint !== 'idempotency_pkey';
}

/** An exception of the caller's function: a bug of the caller, never an error of the database. */
export class CallerException extends Error {
  constructor(cause: unknown) {
    super('the decision about an aggregate threw', { cause });
  }
}
