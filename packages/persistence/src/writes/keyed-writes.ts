import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyReused, Idempotency, Owner, Unavailable } from '@orders/domain';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { type OnceRow, type Recorded, recalled, seemsExpired } from '../once/once-record.ts';
import type { OnceStatements } from '../once/once-statements.ts';
import type { Executor } from '../shared/executor.ts';
import { type ConstraintFault, classify, unavailable } from '../shared/postgres-errors.ts';
import { jitter } from '../shared/retried.ts';

/** One write, in parts. */
interface Write<T, E, C, G> {
  readonly owner: Owner;
  readonly once: Idempotency | undefined;
  /** Sends the statements of the write; `again` when another write came in between. */
  readonly perform: () => Promise<Result<T, E> | 'again'>;
  /** The result for a retry, made of what the first write with the key recorded. */
  readonly replay: (recorded: Recorded) => Result<T, G>;
  /** Why the constraint rejects the write; `again` when the reason is gone on a second look. */
  readonly conflict: (fault: ConstraintFault) => Promise<C | 'again'>;
}

/** What a key's record says: what the first write recorded, `null` when there is no record, or a rejection. */
type Earlier = Result<Recorded | null, KeyReused>;

/**
 * What writes with idempotency keys have in common.
 *
 * @param timeoutMs how long a write starts over while its conflicts are gone on a second look. The last attempt begins
 *   before, and may take a statement timeout more.
 */
export function keyedWrites(primary: Executor, statements: OnceStatements, timeoutMs: number) {
  /** Interprets the key's record. An expired one is removed; one that this server's clock alone calls expired counts. */
  const earlierOf = async (
    executor: Executor,
    owner: Owner,
    once: Idempotency,
    row: OnceRow | undefined,
  ): Promise<Earlier> => {
    if (!row) return ok(null);
    if (!seemsExpired(once, row)) return recalled(once, row);
    const key = { owner_id: owner, key: once.key };
    const removed = await statements.forget(executor, { once: { ...key, now: once.now } });
    if (removed.length > 0) return ok(null);
    const [current] = await statements.recall(executor, { once: key });
    return current ? recalled(once, current) : ok(null);
  };

  /** Reads the key's record and interprets it. */
  const lookUp = async (owner: Owner, once: Idempotency): Promise<Earlier> => {
    const [row] = await statements.recall(primary, { once: { owner_id: owner, key: once.key } });
    return await earlierOf(primary, owner, once, row);
  };

  /** Performs a write once; `again` when its conflict was gone on a second look, or has no meaning. */
  const performed = async <T, E, C, G>(
    { owner, once, perform, replay, conflict }: Write<T, E, C, G>,
    violated: (cause: unknown) => void,
  ): Promise<Result<T, E | C | G | KeyReused | Unavailable> | 'again'> => {
    let fault: ConstraintFault;
    let cause: unknown;
    try {
      return await perform();
    } catch (thrown) {
      cause = thrown;
      const classified = classify(thrown);
      if (classified.type === 'unavailable') return err(classified);
      violated(thrown);
      fault = classified;
    }
    // A recorded key wins over every other reason, since the write it belongs to has happened.
    const replayed = once && replayOf(await lookUp(owner, once), replay);
    if (replayed) return replayed;
    if (isExistingId(fault)) throw cause;
    const reason = await conflict(fault);
    return reason === 'again' ? 'again' : err(reason);
  };

  /**
   * Performs a write until it has a result. Other clients may take and release a reference, an email or an expired key
   * faster than this write reads which row holds it. It then starts over, at first at once, then after a random wait,
   * for a limited time: a count of attempts would fail by chance.
   */
  const untilSettled = async <T, E, C, G>(
    write: Write<T, E, C, G>,
  ): Promise<Result<T, E | C | G | KeyReused | Unavailable>> => {
    let cause: unknown = new Error('the write met another one at every attempt');
    const end = performance.now() + timeoutMs;
    for (let count = 1; ; count += 1) {
      const result = await performed(write, (thrown) => (cause = thrown));
      if (result !== 'again') return result;
      const wait = count === 1 ? 0 : jitter(count - 1);
      if (performance.now() + wait >= end) return err({ type: 'unavailable', cause });
      await sleep(wait);
    }
  };

  return {
    recent: new RecentKeys(),
    earlierOf,
    lookUp,
    run: <T, E, C, G>(write: Write<T, E, C, G>): ResultAsync<T, E | C | G | KeyReused | Unavailable> =>
      new ResultAsync(
        untilSettled(write).catch((thrown: unknown) => {
          if (thrown instanceof CallerException) throw thrown.cause;
          return err(unavailable(thrown));
        }),
      ),
  };
}

/** The result for a retry, or the rejection of its key; `null` when no earlier write had the key. */
export function replayOf<T, G>(
  earlier: Earlier,
  replay: (recorded: Recorded) => Result<T, G>,
): Result<T, G | KeyReused> | null {
  if (earlier.isErr()) return err(earlier.error);
  return earlier.value && replay(earlier.value);
}

/** Calls a function of the caller, whose exception is a bug of the caller and never an error of the database. */
export function callersDecision<T>(decide: () => T): T {
  try {
    return decide();
  } catch (cause) {
    throw new CallerException(cause);
  }
}

class CallerException extends Error {
  constructor(cause: unknown) {
    super('the decision about an aggregate threw', { cause });
  }
}

/**
 * Whether a write met an id that exists. The source of ids never returns one twice, so that this is a bug, unlike a key
 * that another write took at the same time.
 */
function isExistingId({ type, constraint }: ConstraintFault): boolean {
  return type === 'unique_violation' && constraint.endsWith('_pkey') && constraint !== 'once_pkey';
}

/** The most keys that are kept. Beyond it the older half is evicted. */
const RECENT_KEYS_MAX = 20_000;

/**
 * The keys that this process met lately. A retry mostly comes soon after, to the same process; then its record is
 * looked up before anything is written. Only a hint, whichever owner's key it was: a false positive costs one lookup.
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
