import { isNodeFault } from './postgres-errors.ts';

/** The share of all owners whose node is down. No owner has this name. */
const NODE_DOWN = '\0';

/** Maximum number of owners of nodes that are down. Beyond it, all are discarded. */
const OWNERS_MAX = 10_000;

/**
 * The owners whose last statement failed because a node of Citus was down. Their statements last until the coordinator
 * gives the node up, so that they use the connections of one owner together until one succeeds.
 */
export class FailingOwners {
  readonly #owners = new Set<string>();

  /** Returns the owner by whose share a statement gets its connection. */
  shareOf(owner: string): string {
    return this.#owners.has(owner) ? NODE_DOWN : owner;
  }

  /** Records the result of a statement: the cause of its failure, or `null`. */
  record(owner: string, cause: unknown): void {
    if (cause === null) this.#owners.delete(owner);
    // A statement without an owner may include all nodes.
    if (owner === '' || !isNodeFault(cause)) return;
    if (this.#owners.size >= OWNERS_MAX) this.#owners.clear();
    this.#owners.add(owner);
  }

  /** Records the result of a transaction, and returns it. */
  async recordOf<T>(owner: string, transaction: Promise<T>): Promise<T> {
    try {
      const result = await transaction;
      this.record(owner, null);
      return result;
    } catch (cause) {
      this.record(owner, cause);
      throw cause;
    }
  }
}
