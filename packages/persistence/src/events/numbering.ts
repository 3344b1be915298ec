import type { Owner } from '@orders/domain';
import { NUMBERING_BATCH_MAX, NUMBERING_BATCHES_MAX } from '@orders/domain/events';
import type { Connected } from '../connected.ts';
import type { Executor } from '../shared/executor.ts';
import { retryAfterTableLock } from '../shared/retry.ts';
import { type FeedRow, type NumberingStatements, numberingStatements } from './numbering-statements.ts';

/** Whether every change that was committed before the numbering began has a position. */
type IsComplete = boolean;

/** The time after all changes. */
const ALL_TIMES = 'infinity';

interface Run {
  readonly done: Promise<IsComplete>;
  /** The run after this one, which all requests during this one share. */
  next?: Promise<IsComplete>;
}

/**
 * Gives positions to the changes of an owner. At most two runs of an owner exist in this process, one under way and one
 * that waits. A request during a run needs another run, because a change that was committed since may be missing in it.
 */
export class Numbering {
  readonly #primary: Connected['primary'];
  readonly #statements: NumberingStatements;
  readonly #runs = new Map<Owner, Run>();

  constructor({ orm, primary }: Pick<Connected, 'orm' | 'primary'>) {
    this.#primary = primary;
    this.#statements = numberingStatements(orm);
  }

  /**
   * Gives positions to at most five batches of a thousand changes, the oldest ones.
   *
   * @throws {Error} the database query failed; completed batches keep their positions
   */
  number(owner: Owner): Promise<IsComplete> {
    const run = this.#runs.get(owner);
    if (!run) return this.#begin(owner);
    const begin = () => this.number(owner);
    return (run.next ??= run.done.then(begin, begin));
  }

  #begin(owner: Owner): Promise<IsComplete> {
    const done = this.#numberBatches(owner).finally(() => this.#runs.delete(owner));
    this.#runs.set(owner, { done });
    return done;
  }

  async #numberBatches(owner: Owner): Promise<IsComplete> {
    for (let batch = 0; batch < NUMBERING_BATCHES_MAX; batch += 1) {
      const work = () =>
        this.#primary.transaction(async (transaction) => {
          const feed = await lockFeed(this.#statements, transaction, owner);
          return await numberBatch(this.#statements, transaction, owner, feed);
        }, owner);
      const count = await work().catch((cause: unknown) => retryAfterTableLock(this.#primary, work, cause));
      if (count < NUMBERING_BATCH_MAX) return true;
    }
    return false;
  }
}

/** Locks the feed of an owner until the transaction ends. Creates it at first. */
export async function lockFeed(statements: NumberingStatements, transaction: Executor, owner: Owner): Promise<FeedRow> {
  const feed = { owner_id: owner };
  const [row] = await statements.lock(transaction, { feed });
  if (row) return row;
  await statements.create(transaction, { feed });
  const [created] = await statements.lock(transaction, { feed });
  if (!created) throw new Error('a feed is missing after it was created');
  return created;
}

/** Gives positions to one batch of changes up to a time in a locked feed, and returns their number. */
export async function numberBatch(
  statements: NumberingStatements,
  transaction: Executor,
  owner: Owner,
  { position }: FeedRow,
  until = ALL_TIMES,
): Promise<number> {
  const [numbered] = await statements.number(transaction, {
    feed: { owner_id: owner, position },
    limit: { time: until },
  });
  if (!numbered) throw new Error('a locked feed is missing');
  return Number(numbered.position) - Number(position);
}
