import type { Owner } from '@orders/domain';
import { NUMBERING_BATCHES_MAX } from '@orders/domain/events';
import type { DatabaseParts } from '../database-parts.ts';
import { callOf } from '../sql/database-function.ts';
import { ALL_TIMES, type Numbered, numberEvents } from './numbering-function.ts';
import { longPauseMs, PAUSE_MS, type Ran, SharedRuns } from './shared-runs.ts';

/**
 * Whether every change that was committed before the numbering began has a position. Changes that another transaction has
 * locked do not count.
 */
type IsComplete = boolean;

/**
 * The pause after a run that leaves changes which another transaction has locked, in milliseconds. Each reader would otherwise
 * repeat the run for as long as that is open.
 */
const HELD_PAUSE_MS = 250;

/** The numbering of each database. */
const numberings = new WeakMap<DatabaseParts['primary'], Numbering>();

/** Returns the numbering that all feeds and queues of a database share. */
export function numberingOf({ orm, primary }: Pick<DatabaseParts, 'orm' | 'primary'>): Numbering {
  const numbering = numberings.get(primary) ?? new Numbering({ orm, primary });
  numberings.set(primary, numbering);
  return numbering;
}

/** Gives positions to the changes of an owner. All who request it share its runs. */
export class Numbering {
  readonly #primary: DatabaseParts['primary'];
  readonly #number: ReturnType<typeof callOf<Numbered>>;
  readonly #runs = new SharedRuns<IsComplete>((owner) => this.#numberBatches(owner));

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
    return this.#runs.run(owner);
  }

  async #numberBatches(owner: Owner): Promise<Ran<IsComplete>> {
    const begun = performance.now();
    let isHeld = false;
    let isComplete = false;
    for (let batch = 0; batch < NUMBERING_BATCHES_MAX && !isComplete; batch += 1) {
      const [row] = await this.#number(this.#primary, { owner_id: owner, until: ALL_TIMES });
      if (!row) throw new Error('a numbering returned no row');
      isHeld ||= row.outcome.is_held;
      isComplete = row.outcome.is_last;
    }
    const pauseMs = isComplete ? PAUSE_MS : longPauseMs(performance.now() - begun);
    return { result: isComplete, pauseMs: isHeld ? Math.max(pauseMs, HELD_PAUSE_MS) : pauseMs };
  }
}
