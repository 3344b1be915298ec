import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyReused, Once, Owner, Unavailable } from '@orders/domain';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { CallerException } from './caller-exception.ts';
import type { Executor } from '../shared/executor.ts';
import { type ConstraintFault, classify, unavailable } from '../shared/postgres-errors.ts';
import { jitter } from '../shared/retried.ts';
import type { OnceStatements } from '../once/once-statements.ts';
import { type OnceRow, type Recorded, recalled, seemsExpired } from '../once/once-record.ts';

/** One write, in parts. */
interface Write<T, E, R, F> {
  readonly owner: Owner;
  readonly once: Once | undefined;
  /** Tries the write; `again` when what it met is no answer. */
  readonly attempt: () => Promise<Result<T, E> | 'again'>;
  /** Makes an answer of what an earlier write with the same key left. */
  readonly replay: (recorded: Recorded) => Result<T, F>;
  /** Says what a violated constraint means; `again` when a second look may find it gone. */
  readonly refusal: (fault: ConstraintFault) => Promise<R | 'again'>;
}

/**
 * What writes with idempotency keys have in common.
 *
 * @param timeoutMs how long a write starts over when what it met was gone on a second look. The last attempt begins
 *   before, and may take a statement timeout more.
 */
export function keyedWrites(primary: Executor, keys: OnceStatements, timeoutMs: number) {
  /**
   * What the key's record, read as `row`, means: `null` when there is none. An expired one is removed. One that this
   * server's clock alone calls expired still counts.
   */
  const meaning = async (
    executor: Executor,
    owner: Owner,
    once: Once,
    row: OnceRow | undefined,
  ): Promise<Result<Recorded | null, KeyReused>> => {
    if (!row) return ok(null);
    if (!seemsExpired(once, row)) return recalled(once, row);
    const key = { owner_id: owner, key: once.key };
    const removed = await keys.forget(executor, { once: { ...key, now: once.now } });
    if (removed.length > 0) return ok(null);
    const [current] = await keys.recall(executor, { once: key });
    return current ? recalled(once, current) : ok(null);
  };

  /** Reads the key's record, and returns what it means. */
  const recall = async (owner: Owner, once: Once | undefined): Promise<Result<Recorded | null, KeyReused>> => {
    if (!once) return ok(null);
    const [row] = await keys.recall(primary, { once: { owner_id: owner, key: once.key } });
    return await meaning(primary, owner, once, row);
  };

  /**
   * Runs a write until it has a result. Whatever a constraint says, a recorded key is looked up first: it wins over
   * every other reason, since the write it belongs to has happened.
   *
   * Other clients may take and release a reference, an email or an expired key faster than this write reads who holds
   * it. It then starts over, at first at once, then after a random wait, for a limited time: a count of attempts would
   * fail by chance.
   */
  const run = async <T, E, R, F>(write: Write<T, E, R, F>): Promise<Result<T, E | R | F | KeyReused | Unavailable>> => {
    let cause: unknown = new Error('the write met another one at every attempt');
    const end = performance.now() + timeoutMs;
    for (let count = 1; ; count += 1) {
      const result = await attempted(write, (thrown) => (cause = thrown));
      if (result !== 'again') return result;
      const wait = count === 1 ? 0 : jitter(count - 1);
      if (performance.now() + wait >= end) return err({ type: 'unavailable', cause });
      await sleep(wait);
    }
  };

  /** Tries a write once; `again` when what it met was gone on a second look, or has no meaning. */
  const attempted = async <T, E, R, F>(
    write: Write<T, E, R, F>,
    violated: (cause: unknown) => void,
  ): Promise<Result<T, E | R | F | KeyReused | Unavailable> | 'again'> => {
    let fault: ConstraintFault;
    let cause: unknown;
    try {
      return await write.attempt();
    } catch (thrown) {
      cause = thrown;
      const classified = classify(thrown);
      if (classified.type === 'unavailable') return err(classified);
      violated(thrown);
      fault = classified;
    }
    const earlier = await recall(write.owner, write.once);
    if (earlier.isErr()) return err(earlier.error);
    if (earlier.value) return write.replay(earlier.value);
    if (isExistingId(fault)) throw cause;
    const refused = await write.refusal(fault);
    if (refused !== 'again') return err(refused);
    return 'again';
  };

  return {
    meaning,
    recall,
    write: <T, E, R, F>(write: Write<T, E, R, F>): ResultAsync<T, E | R | F | KeyReused | Unavailable> =>
      new ResultAsync(
        run(write).catch((thrown: unknown) => {
          if (thrown instanceof CallerException) throw thrown.cause;
          return err(unavailable(thrown));
        }),
      ),
  };
}

/**
 * Whether a write met an id that exists. The source of ids never returns one twice, so that this is a bug, unlike a key
 * that another write took at the same time.
 */
function isExistingId({ type, constraint }: ConstraintFault): boolean {
  return type === 'unique_violation' && constraint.endsWith('_pkey') && constraint !== 'once_pkey';
}
