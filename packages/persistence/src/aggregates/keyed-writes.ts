import type { KeyReused, Once, Owner, Unavailable } from '@orders/domain';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { Executor } from '../shared/connections.ts';
import { type ConstraintFault, classify, unavailable } from '../shared/postgres-errors.ts';
import type { OnceStatements } from '../once/once-statements.ts';
import { type Recorded, recalled } from '../once/once-record.ts';

/** How often a write starts over when what stood in its way was gone on a second look. */
const ATTEMPTS = 3;

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

/** What writes with idempotency keys have in common. */
export function keyedWrites(primary: Executor, keys: OnceStatements) {
  /** What the key's record says, if it still counts. */
  const recall = async (owner: Owner, once: Once | undefined): Promise<Result<Recorded | null, KeyReused>> => {
    if (!once) return ok(null);
    const [row] = await keys.recall(primary, { once: { owner_id: owner, key: once.key } });
    return recalled(once, row);
  };

  /**
   * Runs a write until it is answered. Whatever a constraint says, a recorded key is looked for first: it wins over
   * every other reason, since the write it belongs to has happened.
   */
  const run = async <T, E, R, F>(write: Write<T, E, R, F>): Promise<Result<T, E | R | F | KeyReused | Unavailable>> => {
    let cause: unknown;
    for (let count = 0; count < ATTEMPTS; count += 1) {
      let fault: ConstraintFault;
      try {
        const answer = await write.attempt();
        if (answer !== 'again') return answer;
        continue;
      } catch (thrown) {
        const classified = classify(thrown);
        if (classified.type === 'unavailable') return err(classified);
        cause = thrown;
        fault = classified;
      }
      const earlier = await recall(write.owner, write.once);
      if (earlier.isErr()) return err(earlier.error);
      if (earlier.value) return write.replay(earlier.value);
      const refused = await write.refusal(fault);
      if (refused !== 'again') return err(refused);
    }
    return err({ type: 'unavailable', cause: cause ?? new Error('the write met another one at every attempt') });
  };

  return {
    recall,
    write: <T, E, R, F>(write: Write<T, E, R, F>): ResultAsync<T, E | R | F | KeyReused | Unavailable> =>
      new ResultAsync(run(write).catch((thrown: unknown) => err(unavailable(thrown)))),
  };
}
