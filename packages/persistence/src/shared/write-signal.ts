import type { Owner } from '@orders/domain';

/** Those that wait for writes. */
export interface WriteListener {
  readonly written: (owner: Owner) => void;
  /** Called when the database is closed. */
  readonly closed: () => void;
}

/** Announces the committed writes of this process to those that wait for events. */
export class WriteSignal {
  readonly #listeners = new Set<WriteListener>();

  announce(owner: Owner): void {
    for (const { written } of this.#listeners) written(owner);
  }

  /** Announces that the database is closed. */
  close(): void {
    for (const { closed } of this.#listeners) closed();
  }

  /** Adds a listener, until the returned function is called. */
  subscribe(listener: WriteListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
