import type { Owner } from '@orders/domain';
import { longPauseMs, type Ran, SharedRuns } from './shared-runs.ts';

/** A probe that takes longer is shared, in milliseconds. */
const SLOW_MS = 20;

/** Maximum number of owners with slow probes. Beyond it, the one that was added first is evicted. */
const OWNERS_MAX = 10_000;

/**
 * The probes of those owners for whom it takes long to look for changes without a position.
 *
 * Usually a read looks for them itself, because an index has these changes alone. While another session holds an old snapshot,
 * such as a backup, PostgreSQL cannot remove the entries of changes that got their positions since, and reads all of them.
 * Once a probe takes 20 ms, all readers and waiters of the owner share probes, which get a quarter of the time. Each still
 * looks through all changes: no clock, and no number that a transaction gets before its commit, says which of them are new.
 */
export class SlowProbes {
  readonly #isUnnumbered: (owner: Owner) => Promise<boolean>;
  readonly #owners = new Set<Owner>();
  readonly #runs = new SharedRuns<boolean>((owner) => this.#probe(owner));

  /** @param isUnnumbered returns whether an owner has changes without a position */
  constructor(isUnnumbered: (owner: Owner) => Promise<boolean>) {
    this.#isUnnumbered = isUnnumbered;
  }

  /** Whether the last probe of an owner was slow. */
  has(owner: Owner): boolean {
    return this.#owners.has(owner);
  }

  /** Receives the duration of a probe in milliseconds. */
  took(owner: Owner, ms: number): void {
    this.#owners.delete(owner);
    if (ms < SLOW_MS) return;
    const [first] = this.#owners;
    if (first !== undefined && this.#owners.size >= OWNERS_MAX) this.#owners.delete(first);
    this.#owners.add(owner);
  }

  /**
   * Returns whether an owner had changes without a position at some time after the call.
   *
   * @throws {Error} the database query failed
   */
  probe(owner: Owner): Promise<boolean> {
    return this.#runs.run(owner);
  }

  async #probe(owner: Owner): Promise<Ran<boolean>> {
    const begun = performance.now();
    const result = await this.#isUnnumbered(owner);
    const ms = performance.now() - begun;
    this.took(owner, ms);
    return { result, pauseMs: longPauseMs(ms) };
  }
}
