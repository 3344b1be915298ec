import type { Owner } from '@orders/domain';

/** Time for which writes of an owner without deliveries do not wake the worker, in milliseconds. */
const QUIET_MS = 60_000;

/** Time since the last delivery after which an owner counts as one without deliveries, in milliseconds. */
const ACTIVE_MS = 600_000;

/** Maximum number of owners that are known. Beyond it, the one that was seen first is evicted. */
const KNOWN_MAX = 10_000;

interface Seen {
  readonly activeUntil: number;
  readonly quietUntil: number;
}

/**
 * The owners whose writes led to no delivery, most of which have no endpoints. Their writes do not wake the worker for a
 * minute, so that they cost no queries. The background query finds deliveries that they get meanwhile.
 */
export class QuietOwners {
  readonly #seen = new Map<Owner, Seen>();

  /** Checks whether writes of the owner should not wake the worker. */
  has(owner: Owner, now: number): boolean {
    return (this.#seen.get(owner)?.quietUntil ?? -Infinity) > now;
  }

  /** Notes whether a turn of the owner has claimed something. */
  note(owner: Owner, hasClaimed: boolean, now: number): void {
    const activeUntil = hasClaimed ? now + ACTIVE_MS : (this.#seen.get(owner)?.activeUntil ?? -Infinity);
    const quietUntil = activeUntil > now ? -Infinity : now + QUIET_MS;
    this.#seen.delete(owner);
    this.#seen.set(owner, { activeUntil, quietUntil });
    if (this.#seen.size <= KNOWN_MAX) return;
    const [first] = this.#seen.keys();
    if (first !== undefined) this.#seen.delete(first);
  }
}
