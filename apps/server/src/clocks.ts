import { clockDifference, type Database } from '@orders/persistence';
import { OperatorError } from './operator-error.ts';

/** By how much the clocks of a server and of its database may differ, in milliseconds. */
const DIFFERENCE_MAX_MS = 60_000;

/** Returns how the clocks of this server and of the database differ, or `null` when they agree well enough. */
export async function clocksDiffer(database: Database): Promise<string | null> {
  const { serverMs, databaseMs, differenceMs } = await clockDifference(database, () => new Date());
  if (differenceMs <= DIFFERENCE_MAX_MS) return null;
  const [server, other] = [serverMs, databaseMs].map((ms) => new Date(ms).toISOString());
  const allowed = DIFFERENCE_MAX_MS / 1000;
  return `the clock of this server says ${server}, that of the database ${other}: they may differ by ${allowed} s at most`;
}

/**
 * Refuses to go on when the clocks differ by more than a minute: what a server writes and expires by a wrong clock is
 * wrong for all.
 *
 * @throws {OperatorError} naming both times
 */
export async function requireSameClock(database: Database): Promise<void> {
  const difference = await clocksDiffer(database);
  if (difference !== null) throw new OperatorError([difference]);
}
