import type { Owner } from '@orders/domain';
import { isNodeFault, isOwnersFault } from '../postgres/postgres-errors.ts';

/** Options of a step over all owners. */
export interface OwnerStepOptions {
  /**
   * Called for each owner that the step passes over, with the failure of the statement about it. Usually another transaction
   * has locked a row of the owner. A later run of the step returns to it. Default: no-op.
   */
  readonly onPassedOver?: ((owner: Owner, cause: unknown) => void) | undefined;
  /**
   * Called when a node of Citus does not respond. The step leaves out the owners of that node, and a later run returns to
   * them. Default: no-op.
   */
  readonly onNodeDown?: ((cause: unknown) => void) | undefined;
}

/**
 * One run of a step over all owners. It goes on past a failure that may be about one owner alone. Any other, such as a lost
 * connection, ends the run.
 */
export class OwnerSteps {
  readonly #passedOver = new Set<Owner>();
  readonly #options: OwnerStepOptions;

  constructor(options: OwnerStepOptions) {
    this.#options = options;
  }

  /**
   * Goes on after a failed query about all owners, which is repeated for those on nodes that respond. Throws the failure
   * unless a node has caused it.
   */
  leaveOutNode(cause: unknown): void {
    if (!isNodeFault(cause)) throw cause;
    this.#options.onNodeDown?.(cause);
  }

  /**
   * Runs the work of one owner and returns its result; `undefined` if the owner is passed over. One that was passed over
   * before is not tried again in the same run, so that it delays the others once.
   */
  async attempt<T>(owner: Owner, work: () => Promise<T>): Promise<T | undefined> {
    if (this.#passedOver.has(owner)) return undefined;
    try {
      return await work();
    } catch (cause) {
      if (!isOwnersFault(cause)) throw cause;
      this.#passedOver.add(owner);
      this.#options.onPassedOver?.(owner, cause);
      return undefined;
    }
  }
}
