import { setTimeout as sleep } from 'node:timers/promises';
import type { Owner } from '@orders/domain';
import { NUMBERING_BATCHES_MAX } from '@orders/domain/events';
import type { DatabaseParts } from '../database-parts.ts';
import { callOf } from '../sql/database-function.ts';
import { ALL_TIMES, type Numbered, numberEvents } from './numbering-function.ts';

/**
 * Whether every change that was committed before the numbering began has a position. Changes that another transaction has
 * locked do not count.
 */
type IsComplete = boolean;

/**
 * The pause after a complete run, in milliseconds. Changes that are written meanwhile share the next run, which costs much
 * more than each of them.
 */
const PAUSE_MS = 10;

/**
 * The pause after a run that leaves changes which another transaction has locked, in milliseconds. Each reader would otherwise
 * repeat the run for as long as that is open.
 */
const HELD_PAUSE_MS = 250;

/** The pause after a run that leaves a backlog, as a multiple of its duration. Other owners use the database meanwhile. */
const BACKLOG_PAUSE_FACTOR = 3;

/** The longest pause in milliseconds: a read waits for it. */
const BACKLOG_PAUSE_MAX_MS = 5000;

/** Returns the pause after work on a backlog, in milliseconds. The work gets a quarter of the time, unless it takes long. */
export function backlogPauseMs(durationMs: number): number {
  return Math.min(BACKLOG_PAUSE_FACTOR * durationMs, BACKLOG_PAUSE_MAX_MS);
}

/** What a run has left without positions. */
interface Left {
  readonly isComplete: IsComplete;
  readonly isHeld: boolean;
}

interface Run {
  /** Settles when the pause after the run has ended. */
  readonly over: Promise<void>;
  /** The run after this one, which all requests during this one share. */
  next?: Promise<IsComplete>;
}

/** The numbering of each database. */
const numberings = new WeakMap<DatabaseParts['primary'], Numbering>();

/** Returns the numbering that all feeds and queues of a database share. */
export function numberingOf({ orm, primary }: Pick<DatabaseParts, 'orm' | 'primary'>): Numbering {
  const numbering = numberings.get(primary) ?? new Numbering({ orm, primary });
  numberings.set(primary, numbering);
  return numbering;
}

/**
 * Gives positions to the changes of an owner. At most two runs of an owner exist, one under way or in its pause, and one
 * that waits. A request during a run needs another run, because a change that was committed since may be missing in it.
 */
export class Numbering {
  readonly #primary: DatabaseParts['primary'];
  readonly #number: ReturnType<typeof callOf<Numbered>>;
  readonly #runs = new Map<Owner, Run>();

  constructor({ orm, primary }: Pick<DatabaseParts, 'orm' | 'primary'>) {
    this.#primary = primary;
    this.#number = callOf<Numbered>(orm, numberEvents);
  }

  /**
   * Gives positions to at most five batches of a thousand changes, the oldest ones. Begins at once, or 10 ms after the end
   * of the last run. After a run that has left a backlog, the pause is three times its duration, and five seconds at most.
   *
   * @throws {Error} the database query failed; completed batches keep their positions
   */
  number(owner: Owner): Promise<IsComplete> {
    const run = this.#runs.get(owner);
    if (!run) return this.#begin(owner);
    return (run.next ??= run.over.then(() => this.#begin(owner)));
  }

  #begin(owner: Owner): Promise<IsComplete> {
    const begun = performance.now();
    const done = this.#numberBatches(owner);
    const pause = async ({ isComplete, isHeld }: Left): Promise<void> => {
      const restMs = isComplete ? PAUSE_MS : backlogPauseMs(performance.now() - begun);
      await sleep(isHeld ? Math.max(restMs, HELD_PAUSE_MS) : restMs);
    };
    const over = done.catch(() => ({ isComplete: true, isHeld: false })).then(pause);
    const run: Run = { over: over.then(() => this.#ended(owner, run)) };
    this.#runs.set(owner, run);
    return done.then(({ isComplete }) => isComplete);
  }

  /** Removes a run that no other one follows. */
  #ended(owner: Owner, run: Run): void {
    if (!run.next) this.#runs.delete(owner);
  }

  async #numberBatches(owner: Owner): Promise<Left> {
    let isHeld = false;
    for (let batch = 0; batch < NUMBERING_BATCHES_MAX; batch += 1) {
      const call = { owner_id: owner, until: ALL_TIMES };
      const [row] = await this.#number(this.#primary, { call });
      if (!row) throw new Error('a numbering returned no row');
      isHeld ||= row.outcome.is_held;
      if (row.outcome.is_last) return { isComplete: true, isHeld };
    }
    return { isComplete: false, isHeld };
  }
}
