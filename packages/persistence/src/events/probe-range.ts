import type { Owner } from '@orders/domain';
import type { WriteListener } from '../database-parts.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';

/** The time before all changes. */
export const ALL_CHANGES = '-infinity';

/** A slower probe of all changes is not repeated at every read, in milliseconds. */
const SLOW_MS = 20;

/** The share of the time that slow probes of all changes may take is one in this number. */
const INTERVAL_FACTOR = 20;

/**
 * The margin of a short probe before the last event that has a position, in milliseconds. The clocks of two servers may
 * differ by two minutes, because each may differ by a minute from that of the database.
 */
const MARGIN_MS = 5 * 60 * 1000;

/** Maximum number of owners with slow probes. Beyond it, the one that was added first is evicted. */
const OWNERS_MAX = 10_000;

interface SlowProbe {
  /** When all changes were probed last, by the performance clock, and how long that took in milliseconds. */
  probedAt: number;
  readonly ms: number;
  /** The time from which short probes look; null while no event with a position is known. */
  since: string | null;
}

/**
 * Decides from which time on changes without a position are looked for.
 *
 * Usually from the beginning, because the index has these changes alone. While another session holds an old snapshot, such
 * as a backup, PostgreSQL cannot remove the entries of changes that got their positions since, and reads all of them. Once
 * such a probe takes 20 ms, it gets a twentieth of the time, and the probes in between look back for five minutes.
 */
export class ProbeRange implements WriteListener {
  readonly #slow = new Map<Owner, SlowProbe>();
  readonly #writeListeners: Set<WriteListener>;

  /** Listens to writes only while an owner has slow probes, so that a write usually costs nothing. */
  constructor(writeListeners: Set<WriteListener>) {
    this.#writeListeners = writeListeners;
  }

  /** Returns the time from which the next probe of an owner looks. */
  since(owner: Owner): string {
    const slow = this.#slow.get(owner);
    if (!slow || slow.since === null) return ALL_CHANGES;
    const now = performance.now();
    if (now - slow.probedAt < slow.ms * INTERVAL_FACTOR) return slow.since;
    slow.probedAt = now;
    return ALL_CHANGES;
  }

  /** Makes the next probe of an owner include all changes, because this process wrote one, of whatever time. */
  written(owner: Owner): void {
    this.#delete(owner);
  }

  /**
   * Makes the next probe of an owner include all changes, if that from `since` on did and found any: a short one may miss
   * them. The check of a waiting reader takes the turn of a probe of all changes, but gives no positions itself.
   */
  found(owner: Owner, since: string): void {
    const slow = this.#slow.get(owner);
    if (slow && since === ALL_CHANGES) slow.probedAt = -Infinity;
  }

  /**
   * Receives a completed probe: its beginning, its duration in milliseconds, and the time of the last known event that has
   * a position, as text of PostgreSQL.
   */
  completed(owner: Owner, since: string, ms: number, lastAt: string | null): void {
    const slow = this.#slow.get(owner);
    if (since !== ALL_CHANGES) {
      if (slow && lastAt !== null) slow.since = before(lastAt);
      return;
    }
    this.#delete(owner);
    if (ms < SLOW_MS) return;
    const [first] = this.#slow.keys();
    if (first !== undefined && this.#slow.size >= OWNERS_MAX) this.#slow.delete(first);
    const next = lastAt === null ? (slow?.since ?? null) : before(lastAt);
    this.#slow.set(owner, { probedAt: performance.now(), ms, since: next });
    this.#writeListeners.add(this);
  }

  #delete(owner: Owner): void {
    this.#slow.delete(owner);
    if (this.#slow.size === 0) this.#writeListeners.delete(this);
  }
}

function before(time: string): string {
  return new Date(Date.parse(readTimestamp(time)) - MARGIN_MS).toISOString();
}
