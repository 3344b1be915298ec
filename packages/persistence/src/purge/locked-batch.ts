import type { Connections } from '../shared/connections.ts';
import type { Executor } from '../shared/executor.ts';
import { retry } from '../shared/retry.ts';
import { BATCH, type PurgeStatements } from './purge-statements.ts';

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

  /** Repeats a batch until it is not full; ends early when another server purges or the signal is aborted. */
  async repeat(
    batch: (transaction: Executor) => Promise<readonly unknown[]>,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly count: number; readonly isComplete: boolean }> {
    for (let count = 0; ;) {
      const rows = signal?.aborted ? null : await this.run(batch);
      if (rows === null) return { count, isComplete: false };
      count += rows.length;
      if (rows.length < BATCH) return { count, isComplete: true };
    }
  }
}
