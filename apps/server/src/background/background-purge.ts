import { type OrdersDatabase, type Purged, purge } from '@orders/persistence';
import type { FastifyBaseLogger } from 'fastify';
import { DatabaseClock } from '../database/clocks.ts';
import type { Config } from '../config/config.ts';
import { inBackground, observedStep, type OwnerStepsObserver } from './in-background.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Maximum wait between two purges, in milliseconds. */
const INTERVAL_MS = 10 * 60 * 1000;

/** Receives the results of the background purge. */
export interface PurgeObserver extends OwnerStepsObserver {
  /** Receives the numbers of deleted rows. */
  readonly purged: (rows: Purged) => void;
}

/**
 * Purges expired idempotency records and old change records, at once and then repeatedly, until stopped. The returned function
 * waits for the current batch. No purge runs while the clocks of server and database differ by more than a minute.
 */
export function purgeInBackground(
  database: OrdersDatabase,
  { EVENT_RETENTION_DAYS, HISTORY_RETENTION_DAYS }: Config,
  log: FastifyBaseLogger,
  observer?: PurgeObserver,
): () => Promise<void> {
  const purgeDatabase = purge(database, observedStep('purge', log, observer));
  const purgeOnce = async (signal: AbortSignal) => {
    const { fault } = await new DatabaseClock().compare(database);
    if (fault !== null) {
      log.warn(`purge skipped: ${fault}`);
      return;
    }
    const now = new Date();
    const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS).toISOString();
    const ages = {
      now: now.toISOString(),
      eventsBefore: daysAgo(EVENT_RETENTION_DAYS),
      historyBefore: HISTORY_RETENTION_DAYS === 0 ? null : daysAgo(HISTORY_RETENTION_DAYS),
    };
    const purged = await purgeDatabase(ages, signal);
    observer?.purged(purged);
    if (Object.values(purged).some((count) => count > 0)) log.info(purged, 'purged');
  };
  const failed = (err: unknown) => log.warn({ err }, 'purge failed; the next one continues where it stopped');
  return inBackground(purgeOnce, { intervalMs: INTERVAL_MS, failed });
}
