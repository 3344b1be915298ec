import type { Clock } from '@orders/domain';
import { clockDifference, type OrdersDatabase } from '@orders/persistence';
import { OperatorError } from '../operator-error.ts';

/** Maximum difference between the clocks of a server and of its database, in milliseconds. */
const DIFFERENCE_MAX_MS = 60_000;

/** A comparison of the clocks of this server and of its database. */
export interface ComparedClocks {
  /** The smallest possible difference, in milliseconds. */
  readonly differenceMs: number;
  /** The reason why the difference is too large; `null` when it is acceptable. */
  readonly fault: string | null;
}

/**
 * The clock of the database, as last compared. In between it advances with the time of this process, which nothing sets.
 * That of the server until it was compared.
 */
export class DatabaseClock implements Clock {
  /** How much the clock of the database is ahead of the time of this process, in milliseconds. */
  #aheadMs: number | undefined;

  now(): Date {
    return this.#aheadMs === undefined ? new Date() : new Date(this.#aheadMs + performance.now());
  }

  /** Compares the clocks of this server and of its database. */
  async compare(database: OrdersDatabase): Promise<ComparedClocks> {
    const { serverMs, databaseMs, differenceMs } = await clockDifference(database, () => new Date());
    this.#aheadMs = databaseMs + (Date.now() - serverMs) - performance.now();
    if (differenceMs <= DIFFERENCE_MAX_MS) return { differenceMs, fault: null };
    const [server, other] = [serverMs, databaseMs].map((ms) => new Date(ms).toISOString());
    const allowed = DIFFERENCE_MAX_MS / 1000;
    const clocks = `the clock of this server reads ${server}, that of the database ${other}`;
    return {
      differenceMs,
      fault: `${clocks}: they may differ by at most ${allowed} s; synchronize them, for instance with NTP`,
    };
  }

  /**
   * Requires clocks that differ by at most a minute. A server with a wrong clock would write wrong times, and expire keys
   * at wrong times, for all servers.
   *
   * @throws {OperatorError} the clocks differ by more; the message contains both times
   */
  async require(database: OrdersDatabase): Promise<void> {
    const { fault } = await this.compare(database);
    if (fault !== null) throw new OperatorError([fault]);
  }
}
