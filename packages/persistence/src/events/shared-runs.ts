import { setTimeout as sleep } from 'node:timers/promises';
import type { Owner } from '@orders/domain';

/** The pause after a complete run, in milliseconds. What is written meanwhile shares the next run. */
export const PAUSE_MS = 10;

/** The pause after a long run, as a multiple of its duration. Other owners use the database meanwhile. */
const LONG_PAUSE_FACTOR = 3;

/** The longest pause in milliseconds: a read waits for it. */
const LONG_PAUSE_MAX_MS = 5000;

/** Returns the pause after long work for one owner, in milliseconds. The work gets a quarter of the time, unless it takes long. */
export function longPauseMs(durationMs: number): number {
  return Math.min(LONG_PAUSE_FACTOR * durationMs, LONG_PAUSE_MAX_MS);
}

/** The result of a run, and the pause after it in milliseconds. */
export interface Ran<T> {
  readonly result: T;
  readonly pauseMs: number;
}

interface Run<T> {
  /** Settles when the pause after the run has ended. */
  readonly over: Promise<void>;
  /** The run after this one, which all requests during this one share. */
  next?: Promise<T>;
}

/**
 * Runs something for an owner at a time, for all who request it. At most two runs of an owner exist, one under way or in its
 * pause, and one that waits. A request during a run needs another run, because what was committed since may be missing in it.
 */
export class SharedRuns<T> {
  readonly #work: (owner: Owner) => Promise<Ran<T>>;
  readonly #runs = new Map<Owner, Run<T>>();

  constructor(work: (owner: Owner) => Promise<Ran<T>>) {
    this.#work = work;
  }

  /**
   * Returns the result of a run that begins after the call.
   *
   * @throws what the run throws
   */
  run(owner: Owner): Promise<T> {
    const run = this.#runs.get(owner);
    if (!run) return this.#begin(owner);
    return (run.next ??= run.over.then(() => this.#begin(owner)));
  }

  #begin(owner: Owner): Promise<T> {
    const done = this.#work(owner);
    const over = done.catch(() => ({ pauseMs: PAUSE_MS })).then(({ pauseMs }) => sleep(pauseMs));
    const run: Run<T> = { over: over.then(() => this.#ended(owner, run)) };
    this.#runs.set(owner, run);
    return done.then(({ result }) => result);
  }

  /** Removes a run that no other one follows. */
  #ended(owner: Owner, run: Run<T>): void {
    if (!run.next) this.#runs.delete(owner);
  }
}
