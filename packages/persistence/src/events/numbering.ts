import { NUMBERING_BATCHES_MAX } from '@orders/domain/events';
import type { OpenedPools } from '../database/opened-pools.ts';
import { callOf } from '../sql/database-function.ts';
import { ALL_TIMES, type Numbered, numberEvents } from './numbering-function.ts';
import { longPauseMs, PAUSE_MS, SharedRuns } from './shared-runs.ts';

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

/** Gives positions to the changes of an owner. All who request it share its runs. */
type Numbering = SharedRuns<IsComplete>;

/** The numbering of each database. */
const numberings = new WeakMap<OpenedPools['primary'], Numbering>();

/** Returns the numbering that all feeds and queues of a database share. */
export function numberingOf(database: Pick<OpenedPools, 'orm' | 'primary'>): Numbering {
  const numbering = numberings.get(database.primary) ?? newNumbering(database);
  numberings.set(database.primary, numbering);
  return numbering;
}

/**
 * Returns a numbering whose runs give positions to at most five batches of a thousand changes, the oldest ones. A run begins
 * at once, or 10 ms after the end of the last one. After a run that has left a backlog, the pause is three times its duration,
 * and five seconds at most. When the database query failed, completed batches keep their positions.
 */
export function newNumbering({ orm, primary }: Pick<OpenedPools, 'orm' | 'primary'>): Numbering {
  const number = callOf<Numbered>(orm, numberEvents);
  return new SharedRuns(async (owner) => {
    const begun = performance.now();
    let isHeld = false;
    let isComplete = false;
    for (let batch = 0; batch < NUMBERING_BATCHES_MAX && !isComplete; batch += 1) {
      const [row] = await number(primary, { owner_id: owner, until: ALL_TIMES });
      if (!row) throw new Error('a numbering returned no row');
      isHeld ||= row.outcome.is_held;
      isComplete = row.outcome.is_last;
    }
    const pauseMs = isComplete ? PAUSE_MS : longPauseMs(performance.now() - begun);
    return { result: isComplete, pauseMs: isHeld ? Math.max(pauseMs, HELD_PAUSE_MS) : pauseMs };
  });
}
