import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, type BackoffPolicy } from '@orders/domain/events';
import type { Executor } from './executor.ts';
import { isRetryable, isTableLockTimeout } from './postgres-errors.ts';

/** Maximum number of attempts of a statement or transaction, including the first. */
const ATTEMPTS = 3;

/** The waits between attempts. They are random up to their maximum, so that conflicting writes do not conflict again. */
const WAITS: BackoffPolicy = { firstMs: 20, maxMs: 320, jitter: 1 };

/** Returns the wait after failed attempt number `attempt`, counted from 1, in milliseconds. */
export function jitter(attempt: number): number {
  return backoffMs(attempt, WAITS, Math.random());
}

/** Which failures of some work are followed by another attempt. */
interface Repetition {
  readonly attempts: number;
  readonly isRepeatable: (cause: unknown) => boolean;
}

/** That of failures which certainly had no effect, for instance those of a deadlock's victim. */
const WITHOUT_EFFECT: Repetition = { attempts: ATTEMPTS, isRepeatable: isRetryable };

/** Runs `work`, and runs it again after such failures. */
export async function retry<T>(work: () => Promise<T>, repetition?: Repetition): Promise<T> {
  return await work().catch((cause: unknown) => repeat(work, cause, repetition));
}

/** Runs `work` again after it failed with `cause`. */
async function repeat<T>(
  work: () => Promise<T>,
  cause: unknown,
  { attempts, isRepeatable } = WITHOUT_EFFECT,
): Promise<T> {
  let failure = cause;
  for (let attempt = 1; attempt < attempts && isRepeatable(failure); attempt += 1) {
    await sleep(jitter(attempt));
    try {
      return await work();
    } catch (next) {
      failure = next;
    }
  }
  throw failure;
}

/** Maximum time for which work waits for tables in all, in milliseconds. */
const TABLE_LOCK_MS = 10_000;

/** Selects a lock that keeps all statements from a table of this database. */
const TABLE_LOCK = {
  text: `select from pg_locks where locktype = 'relation' and mode = 'AccessExclusiveLock' and granted
    and database = (select oid from pg_database where datname = current_database()) limit 1`,
};

/**
 * Runs `work` again as {@link retry} does. Work that waited in vain for a table waits again while it is locked. Unlike
 * the lock of a row, that is no conflict of requests, but a change of the schema, or its distribution. `began` is when the
 * first attempt did.
 */
export async function retryAfterTableLock<T>(
  executor: Executor,
  work: () => Promise<T>,
  cause: unknown,
  began: number,
): Promise<T> {
  const end = began + TABLE_LOCK_MS;
  let attemptedAt = began;
  let longestMs = 0;
  let failure = cause;
  let wasFree = false;
  for (;;) {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - attemptedAt);
    // Another attempt may wait as long, for a connection too.
    if (!isTableLockTimeout(failure) || now + longestMs >= end) break;
    const isLocked = (await executor.execute(TABLE_LOCK, [])).length > 0;
    // The lock may have ended since the failure, but not twice.
    if (!isLocked && wasFree) break;
    wasFree = !isLocked;
    attemptedAt = performance.now();
    try {
      return await work();
    } catch (next) {
      failure = next;
    }
  }
  return await repeat(work, failure);
}
