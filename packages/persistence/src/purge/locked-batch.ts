import type { Owner } from '@orders/domain';
import type { Connections } from '../postgres/connections.ts';
import type { Executor } from '../postgres/executor.ts';
import type { Owners } from '../owners/living-owners.ts';
import type { OwnerWalk } from '../owners/owner-walk.ts';
import { retry } from '../postgres/retry.ts';
import { BATCH, type PurgeStatements } from './purge-statements.ts';

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
  readonly #lock: PurgeStatements['lock'];

  constructor(primary: Connections, { lock }: Pick<PurgeStatements, 'lock'>) {
    this.primary = primary;
    this.#lock = lock;
  }

  /** Runs one batch and returns its result; `null` when another server purges. */
  async run<T>(batch: (transaction: Executor) => Promise<T>): Promise<T | null> {
    const work = () =>
      this.primary.transaction(async (transaction) => {
        const [lock] = await this.#lock(transaction, {});
        return lock?.acquired === true ? await batch(transaction) : null;
      });
    return await work().catch((cause: unknown) => retry(work, cause));
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
