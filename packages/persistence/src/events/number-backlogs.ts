import { systemTimer } from '@orders/domain/events';
import type { Owner, Timestamp } from '@orders/domain';
import type { OrdersDatabase } from '../database/database.ts';
import { type OwnerStepOptions, OwnerWalk } from '../owners/owner-walk.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';
import { numberingOf } from './numbering.ts';
import { longPauseMs } from './shared-runs.ts';
import { unnumberedSearch } from './unnumbered-changes.ts';

/** A read gives this number of changes their positions within milliseconds. More are a backlog. */
const BACKLOG = 1000;

/** What a run of {@link numberBacklogs} has found and done. */
export interface NumberedBacklogs {
  /** The number of owners whose changes it has given positions. */
  readonly owners: number;
  /** The number of changes that had no position before, of which it counts at most 5,000 of an owner. */
  readonly unnumbered: number;
  /** The time of the oldest of these changes; null without any. */
  readonly oldestAt: Timestamp | null;
}

/**
 * Gives positions to the changes of all owners that have more than a thousand without one, and returns how many changes had
 * none. Without it, the first read after a long time would return `unavailable`, or pages that have not caught up. Meant
 * to run every minute or so; several servers may. Owners take turns of 5,000 changes. Pauses after each for three times as
 * long as it took, and five seconds at most, so that other requests have the database meanwhile. When `signal` is aborted,
 * ends after the current batches.
 *
 * @throws {Error} the database query failed; completed batches keep their positions
 */
export async function numberBacklogs(
  database: OrdersDatabase,
  signal?: AbortSignal,
  options: OwnerStepOptions = {},
): Promise<NumberedBacklogs> {
  const numbering = numberingOf(database);
  const walk = new OwnerWalk(database, 'changes', options);
  const { count: unnumbered, oldestAt, backlogs } = await findUnnumbered(database, walk, signal);
  let owners = 0;
  // In turns: one with more goes behind the others. An array also yields the elements that are added while it is walked.
  for (const owner of backlogs) {
    if (signal?.aborted) break;
    const begun = performance.now();
    const isComplete = await walk.attempt(owner, () => numbering.run(owner));
    if (isComplete === true) owners += 1;
    else if (isComplete === false) backlogs.push(owner);
    await systemTimer.pause(longPauseMs(performance.now() - begun), signal);
  }
  return { owners, unnumbered, oldestAt };
}

/**
 * Counts the changes of all owners that have no position, at most 5,000 of an owner, and finds the oldest of them; `null`
 * without any.
 *
 * @throws {Error} the database query failed
 */
export async function countUnnumbered(
  database: OrdersDatabase,
  options: Pick<OwnerStepOptions, 'onNodeDown'> = {},
): Promise<{ readonly count: number; readonly oldestAt: Timestamp | null }> {
  const { count, oldestAt } = await findUnnumbered(database, new OwnerWalk(database, 'changes', options));
  return { count, oldestAt };
}

/** Counts them, and returns the owners that have more than a thousand. */
async function findUnnumbered(database: OrdersDatabase, walk: OwnerWalk, signal?: AbortSignal) {
  const backlogs: Owner[] = [];
  const found: { count: number; oldestAt: Timestamp | null } = { count: 0, oldestAt: null };
  for await (const { owner_id, count, oldest_at } of walk.rows(unnumberedSearch(database))) {
    if (signal?.aborted) break;
    const at = readTimestamp(oldest_at);
    if (found.oldestAt === null || at < found.oldestAt) found.oldestAt = at;
    found.count += count;
    if (count > BACKLOG) backlogs.push(owner_id);
  }
  return { ...found, backlogs };
}
