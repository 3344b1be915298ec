import { clockDifference, type Database } from '@orders/persistence';
import { OperatorError } from './operator-error.ts';

/** By how much the clocks of a server and of its database may differ, in milliseconds. */
const DIFFERENCE_MAX_MS = 60_000;

/** A comparison of the clocks of this server and of its database. */
export interface ComparedClocks {
  /** By how many milliseconds they certainly differ. */
  readonly differenceMs: number;
  /** Why that is too much; `null` when it is not. */
  readonly mistake: string | null;
}

export async function compareClocks(database: Database): Promise<ComparedClocks> {
  const { serverMs, databaseMs, differenceMs } = await clockDifference(database, () => new Date());
  if (differenceMs <= DIFFERENCE_MAX_MS) return { differenceMs, mistake: null };
  const [server, other] = [serverMs, databaseMs].map((ms) => new Date(ms).toISOString());
  const allowed = DIFFERENCE_MAX_MS / 1000;
  const clocks = `the clock of this server says ${server}, that of the database ${other}`;
  return { differenceMs, mistake: `${clocks}: they may differ by ${allowed} s at most` };
}

/**
 * Refuses to go on when the clocks differ by more than a minute: what a server writes and expires by a wrong clock is
 * wrong for all.
 *
 * @throws {OperatorError} naming both times
 */
export async function requireSameClock(database: Database): Promise<void> {
  const { mistake } = await compareClocks(database);
  if (mistake !== null) throw new OperatorError([mistake]);
}
