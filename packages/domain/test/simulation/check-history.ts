import { ReadCheck } from './check-reads.ts';
import { WriteCheck } from './check-writes.ts';
import type { Records } from './history.ts';
import { type Logged, Timelines } from './timelines.ts';

export { type Logged, STATEMENTS, Violation } from './timelines.ts';

/**
 * Checks a history of a store whose events are `log`, each owner's in the order of its positions.
 *
 * @throws {Violation} the history is not one of a correct store
 */
export function checkHistory(history: Records, log: readonly Logged[]): void {
  const timelines = new Timelines(history, log);
  const reads = new ReadCheck(timelines);
  reads.checkSightings();
  new WriteCheck(timelines).check();
  reads.check();
}
