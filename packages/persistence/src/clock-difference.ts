import type { Database } from './database.ts';

/** How many readings are taken; the one with the shortest round trip counts. */
const READINGS = 3;

const TIME = { name: '', text: 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms' };

/** How the clock of this server and the database's compare. */
export interface ClockDifference {
  /** The time by this server's clock, and by the database's, at the same moment, in milliseconds since 1970. */
  readonly serverMs: number;
  readonly databaseMs: number;
  /** By how many milliseconds they certainly differ: without what the round trip leaves uncertain. 0 or more. */
  readonly differenceMs: number;
}

/**
 * Compares the clock `now` with that of the database, whose reading is taken for the middle of its round trip. Replicas
 * are not asked: nothing is written by their clocks.
 *
 * @throws when the database fails
 */
export async function clockDifference(database: Database, now: () => Date): Promise<ClockDifference> {
  const { primary } = database;
  let best: (ClockDifference & { readonly roundTripMs: number }) | undefined;
  for (let reading = 0; reading < READINGS; reading += 1) {
    const sentMs = now().getTime();
    const [row] = await primary.execute<{ readonly ms: string }>(TIME, []);
    const roundTripMs = Math.max(now().getTime() - sentMs, 0);
    const serverMs = sentMs + roundTripMs / 2;
    const databaseMs = Number(row?.ms);
    const differenceMs = Math.max(Math.abs(databaseMs - serverMs) - roundTripMs / 2, 0);
    if (!best || roundTripMs < best.roundTripMs) best = { serverMs, databaseMs, differenceMs, roundTripMs };
  }
  if (!best || Number.isNaN(best.databaseMs)) throw new Error('the database did not return its time');
  const { serverMs, databaseMs, differenceMs } = best;
  return { serverMs, databaseMs, differenceMs };
}
