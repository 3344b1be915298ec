import type { AbortSignalLike } from './abort-signal.ts';

/** A signal, and what aborts it, which the language alone can make: an `AbortController` needs a runtime. */
export class Abort implements AbortSignalLike {
  aborted = false;
  readonly #listeners = new Set<() => void>();

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  abort(): void {
    this.aborted = true;
    for (const listener of this.#listeners) listener();
  }

  get listeners(): number {
    return this.#listeners.size;
  }
}
