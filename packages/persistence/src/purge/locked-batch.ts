import type { Owner } from '@orders/domain';
import type { Connections } from '../postgres/connections.ts';
import type { Executor } from '../postgres/executor.ts';
import type { Owners } from '../owners/living-owners.ts';
import type { OwnerWalk } from '../owners/owner-walk.ts';
import { retry } from '../postgres/retry.ts';
import { sql } from '../sql/sql.ts';
import { prepare } from '../sql/statement.ts';
import type { Orm } from '../tables/orm.ts';
import { lockKeys } from '../tables/schema.ts';
import { BATCH } from './purge-statements.ts';

/**
 * An arbitrary number, the same in every server. The server that holds this advisory lock purges; the others skip it.
 */
export const PURGE_LOCK = 7_204_118;

/** The wait of a purge for each lock. Then it goes on with the next owner. */
const LOCK_WAIT = '250ms';

/** Returns the statement that begins the transaction of a batch. */
function lockStatement(orm: Orm) {
  return prepare<object, { acquired: boolean }>(orm)`
      select pg_try_advisory_xact_lock(${sql.raw(lockKeys(orm.schema, PURGE_LOCK).join())}) as acquired,
      set_config('lock_timeout', ${sql.lit(LOCK_WAIT)}, true)`;
}

/** One run of a purge. */
export interface PurgeRun {
  readonly walk: OwnerWalk;
  /** The owners of the run. */
  readonly owners: Owners;
  /** Ends the run after the current batch. */
  readonly signal: AbortSignal | undefined;
}

/** What became of repeated batches. */
interface Repeated {
  /** The number of purged rows. */
  readonly count: number;
  /** Whether this server still purges. */
  readonly isComplete: boolean;
}

/** Runs batches in short transactions, of which one server at a time has one. */
export class LockedBatch {
  readonly primary: Connections;
  readonly #lock: ReturnType<typeof lockStatement>;

  constructor(orm: Orm, primary: Connections) {
    this.primary = primary;
    this.#lock = lockStatement(orm);
  }

  /** Runs one batch and returns its result; `null` when another server purges. */
  async run<T>(batch: (transaction: Executor) => Promise<T>): Promise<T | null> {
    return await retry(() =>
      this.primary.transaction(async (transaction) => {
        const [lock] = await this.#lock(transaction, {});
        return lock?.acquired === true ? await batch(transaction) : null;
      }),
    );
  }

  /**
   * Repeats a batch of an owner, which returns the number of its rows, until it is not full. Ends early when another server
   * purges or the signal is aborted. Returns `undefined` if the owner is passed over; completed batches stay purged.
   */
  async repeat(
    owner: Owner,
    batch: (transaction: Executor) => Promise<number>,
    { walk, signal }: PurgeRun,
    size = BATCH,
  ): Promise<Repeated | undefined> {
    return await walk.attempt(owner, async () => {
      for (let count = 0; ;) {
        const rows = signal?.aborted ? null : await this.run(batch);
        if (rows === null) return { count, isComplete: false };
        count += rows;
        if (rows < size) return { count, isComplete: true };
      }
    });
  }
}
