import type { Owner } from '@orders/domain';

/** Announces the committed writes of this process to those that wait for events. */
export class WriteSignal {
  readonly #listeners = new Set<(owner: Owner) => void>();

  announce(owner: Owner): void {
    for (const listener of this.#listeners) listener(owner);
  }

  /** Calls `listener` with the owner of each write, until the returned function is called. */
  subscribe(listener: (owner: Owner) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
