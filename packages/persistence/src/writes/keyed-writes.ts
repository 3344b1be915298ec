import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyReused, Idempotency, Owner, Unavailable } from '@orders/domain';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import {
  type IdempotencyRow,
  type RecordedResult,
  verifyRecord,
  isExpiredLocally,
} from '../idempotency/idempotency-record.ts';
import type { IdempotencyStatements } from '../idempotency/idempotency-statements.ts';
import type { Executor } from '../shared/executor.ts';
import { type ConstraintFault, classify, toUnavailable } from '../shared/postgres-errors.ts';
import { jitter } from '../shared/retry.ts';

/** One write: its key, its statements, and the interpretation of their results. */
interface Write<T, E, C, G> {
  readonly owner: Owner;
  readonly idempotency: Idempotency | undefined;
  /** Sends the statements of the write. */
  readonly perform: () => Promise<Result<T, E> | 'retry'>;
  /** Returns the result of a retry from the recorded result of the first write. */
  readonly replay: (recorded: RecordedResult) => Result<T, G>;
  /** Returns the error for the violated constraint, or `retry` when the conflict no longer exists. */
  readonly conflict: (fault: ConstraintFault) => Promise<C | 'retry'>;
}

/** The outcome of a key lookup: the recorded result, `null` without a record, or a rejection of the key. */
type KeyLookup = Result<RecordedResult | null, KeyReused>;

/**
 * Returns the idempotency protocol that all writes share.
 *
 * @param timeoutMs the time for which a write is retried while its conflicts keep disappearing. The last attempt starts
 *   within it, and may take a statement timeout more.
 */
export function keyedWrites(primary: Executor, statements: IdempotencyStatements, timeoutMs: number) {
  /**
   * Interprets a key's record. Deletes an expired one; a record that is expired by this server's clock alone is still
   * valid.
   */
  const interpret = async (
    executor: Executor,
    owner: Owner,
    idempotency: Idempotency,
    row: IdempotencyRow | undefined,
  ): Promise<KeyLookup> => {
    if (!row) return ok(null);
    if (!isExpiredLocally(idempotency, row)) return verifyRecord(idempotency, row);
    const key = { owner_id: owner, key: idempotency.key };
    const removed = await statements.deleteExpired(executor, { idempotency: { ...key, now: idempotency.now } });
    if (removed.length > 0) return ok(null);
    const [current] = await statements.find(executor, { idempotency: key });
    return current ? verifyRecord(idempotency, current) : ok(null);
  };

  /** Looks up and interprets a key's record. */
  const lookUp = async (owner: Owner, idempotency: Idempotency): Promise<KeyLookup> => {
    const [row] = await statements.find(primary, { idempotency: { owner_id: owner, key: idempotency.key } });
    return await interpret(primary, owner, idempotency, row);
  };

  /** Returns the result of one attempt of a write, which is under way. */
  const settleAttempt = async <T, E, C, G>(
    attempt: Promise<Result<T, E> | 'retry'>,
    { owner, idempotency, replay, conflict }: Write<T, E, C, G>,
    onViolation: (cause: unknown) => void,
  ): Promise<Result<T, E | C | G | KeyReused | Unavailable> | 'retry'> => {
    let fault: ConstraintFault;
    let cause: unknown;
    try {
      return await attempt;
    } catch (thrown) {
      cause = thrown;
      const classified = classify(thrown);
      if (classified.type === 'unavailable') return err(classified);
      onViolation(thrown);
      fault = classified;
    }
    // A recorded key takes precedence over every other error, because its write has happened.
    const replayed = idempotency && replayIfRecorded(await lookUp(owner, idempotency), replay);
    if (replayed) return replayed;
    if (isExistingId(fault)) throw cause;
    const reason = await conflict(fault);
    return reason === 'retry' ? 'retry' : err(reason);
  };

  /**
   * Performs attempts of a write until one has a result. Other clients may take and release a reference, an email or an
   * expired key faster than this write can look up its holder. The write is then retried, first at once, then after a
   * random wait, for a limited time: a fixed number of attempts would fail by chance.
   */
  const performUntilSettled = async <T, E, C, G>(
    first: Promise<Result<T, E> | 'retry'>,
    write: Write<T, E, C, G>,
  ): Promise<Result<T, E | C | G | KeyReused | Unavailable>> => {
    let cause: unknown;
    const end = performance.now() + timeoutMs;
    let attempt = first;
    for (let count = 1; ; count += 1) {
      const result = await settleAttempt(attempt, write, (thrown) => (cause = thrown));
      if (result !== 'retry') return result;
      const wait = count === 1 ? 0 : jitter(count - 1);
      if (performance.now() + wait >= end) {
        // Made only here, because the stack of an error takes longer than anything else in a write.
        return err({
          type: 'unavailable',
          cause: cause ?? new Error('every attempt of the write met a concurrent one'),
        });
      }
      await sleep(wait);
      attempt = write.perform();
    }
  };

  return {
    recent: new RecentKeys(),
    interpret,
    lookUp,
    /** Returns the result of a write whose first attempt is under way. */
    settle: <T, E, C, G>(
      first: Promise<Result<T, E> | 'retry'>,
      write: Write<T, E, C, G>,
    ): ResultAsync<T, E | C | G | KeyReused | Unavailable> =>
      new ResultAsync(
        performUntilSettled(first, write).catch((thrown: unknown) => {
          if (thrown instanceof CallerException) throw thrown.cause;
          return err(toUnavailable(thrown));
        }),
      ),
  };
}

/** Returns the result for a retry, or the rejection of its key; `null` when the key is unused. */
export function replayIfRecorded<T, G>(
  earlier: KeyLookup,
  replay: (recorded: RecordedResult) => Result<T, G>,
): Result<T, G | KeyReused> | null {
  if (earlier.isErr()) return err(earlier.error);
  return earlier.value && replay(earlier.value);
}

/** An exception of the caller's function: a bug of the caller, never an error of the database. */
export class CallerException extends Error {
  constructor(cause: unknown) {
    super('the decision about an aggregate threw', { cause });
  }
}

/**
 * Whether a write violated a primary key with its id. The source of ids never returns one twice, so that this is a bug,
 * unlike a concurrently taken idempotency key.
 */
function isExistingId({ type, constraint }: ConstraintFault): boolean {
  return type === 'unique_violation' && constraint.endsWith('_pkey') && constraint !== 'once_pkey';
}

/** Maximum number of keys kept. Beyond it the older half is evicted. */
const RECENT_KEYS_MAX = 20_000;

/**
 * The keys that this process used recently. Most retries follow soon, in the same process; their record is looked up
 * before anything is written. A hint without owners: a false positive costs one lookup.
 */
class RecentKeys {
  #young = new Set<string>();
  #old = new Set<string>();

  has(key: string): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  add(key: string): void {
    if (this.#young.size >= RECENT_KEYS_MAX / 2) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(key);
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
