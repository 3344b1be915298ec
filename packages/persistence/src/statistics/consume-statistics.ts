import type { Owner } from '@orders/domain';
import { takeTurns, type TurnOptions } from '@orders/domain/events';
import type { OrdersDatabase } from '../database/database.ts';
import { postgresCheckpoints } from '../events/postgres-checkpoints.ts';
import { countStatistics } from './count-statistics.ts';
import { STATISTICS_CONSUMER } from './figures-sql.ts';

/** The pause after events of an owner were counted, in milliseconds. Those that are written meanwhile are counted together. */
const REST_MS = 5000;

/** Options of {@link consumeStatistics}. */
export interface StatisticsOptions extends TurnOptions {
  /** Receives the owners that were counted again from their orders, for logs. Default: no-op. */
  readonly onRecounted?: ((owner: Owner) => void) | undefined;
}

/**
 * Keeps the figures of the orders of all owners, until `signal` is aborted: they follow each write within seconds. Any number
 * of processes may do so; they share the owners. Resolves after `signal` is aborted, and the running statements have ended.
 */
export async function consumeStatistics(
  database: OrdersDatabase,
  { onRecounted, ...options }: StatisticsOptions = {},
): Promise<void> {
  const count = countStatistics(database);
  const checkpoints = postgresCheckpoints(database);
  await takeTurns({
    ...options,
    turn: async (owner) => {
      const { events, isMoreLeft, isRecounted } = await count(owner);
      if (isRecounted) onRecounted?.(owner);
      return isMoreLeft || events === 0 ? { isMoreLeft } : { isMoreLeft, pauseMs: REST_MS };
    },
    findOwners: (after) => checkpoints.findBehind(STATISTICS_CONSUMER, after),
    waitForChanges: (state, wait) => checkpoints.waitForChanges(state, wait),
  });
}
