import type { Owner } from '@orders/domain';

/** Time for which writes of an owner without endpoints do not wake the worker, in milliseconds. */
const QUIET_MS = 60_000;

/** Maximum number of quiet owners that are known. Beyond it, the one that was noted first is evicted. */
const KNOWN_MAX = 10_000;

/**
 * The owners without enabled endpoints, whose writes lead to no delivery. They do not wake the worker for a minute, so that
 * they cost no queries. A write of an endpoint ends that at once, and so does the background query when it finds events of
 * the owner, whose endpoint was then written by another process.
 */
export class QuietOwners {
  readonly #quietUntil = new Map<Owner, number>();

  /** Checks whether writes of the owner should not wake the worker. */
  has(owner: Owner, now: number): boolean {
    return (this.#quietUntil.get(owner) ?? -Infinity) > now;
  }

  /** Notes that an owner has no endpoints. */
  add(owner: Owner, now: number): void {
    this.#quietUntil.delete(owner);
    this.#quietUntil.set(owner, now + QUIET_MS);
    if (this.#quietUntil.size <= KNOWN_MAX) return;
    const [first] = this.#quietUntil.keys();
    if (first !== undefined) this.#quietUntil.delete(first);
  }

  delete(owner: Owner): void {
    this.#quietUntil.delete(owner);
  }
}
