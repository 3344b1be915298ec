/** The most keys that are remembered. Beyond it the older half is forgotten. */
const KEYS_MAX = 20_000;

/**
 * The keys that this process met lately. A repeat mostly comes soon after, to the same process; then its record is
 * looked for before anything is written. Only a hint, whosever key it was: a wrong one costs a look, and nothing else.
 */
export class RecentKeys {
  #young = new Set<string>();
  #old = new Set<string>();

  has(key: string): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  add(key: string): void {
    if (this.#young.size >= KEYS_MAX / 2) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(key);
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
