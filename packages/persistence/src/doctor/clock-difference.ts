import type { OrdersDatabase } from '../database/database.ts';

/** The number of readings; the one with the shortest round trip is used. */
const READINGS = 3;

const TIME = { text: 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms' };

/** The result of comparing the clocks of this server and of the database. */
export interface ClockDifference {
  /** The time by each clock at the same moment, in milliseconds since 1970. */
  readonly serverMs: number;
  readonly databaseMs: number;
  /** The smallest possible difference, in milliseconds, given the uncertainty of the round trip. 0 or more. */
  readonly differenceMs: number;
}

/**
 * Compares the clock `now` with the clock of the database. The database's reading is assigned to the middle of its
 * round trip. Replicas are not queried, because no writes use their clocks.
 *
 * @throws {Error} the database query failed, or returned no time
 */
export async function clockDifference(database: OrdersDatabase, now: () => Date): Promise<ClockDifference> {
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
