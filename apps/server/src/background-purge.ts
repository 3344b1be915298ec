import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, type Purged, purge } from '@orders/persistence';
import type { FastifyBaseLogger } from 'fastify';
import { compareClocks } from './clocks.ts';
import type { Config } from './config.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The longest wait between two purges, in milliseconds. Any wait up to it, so that servers started together part. */
const INTERVAL_MS = 10 * 60 * 1000;

/** Receives the results of the background purge. */
export interface PurgeObserver {
  /** The rows that a purge removed. */
  readonly purged: (rows: Purged) => void;
  /** By how many milliseconds the clocks of server and database certainly differ, measured before each purge. */
  readonly clockDifference: (ms: number) => void;
}

/**
 * Removes expired keys and old events, at once and then from time to time, until stopped. The current batch of a purge
 * is waited for. A purge is left out while the clocks of server and database differ by more than a minute.
 */
export function purgeInBackground(
  database: Database,
  { OUTBOX_RETENTION_DAYS }: Config,
  log: FastifyBaseLogger,
  observer?: PurgeObserver,
): () => Promise<void> {
  const stop = new AbortController();
  const purgeDatabase = purge(database);
  const purgeOnce = async () => {
    const { differenceMs, mistake } = await compareClocks(database);
    observer?.clockDifference(differenceMs);
    if (mistake !== null) {
      log.warn(`no purge: ${mistake}`);
      return;
    }
    const now = new Date();
    const eventsBefore = new Date(now.getTime() - OUTBOX_RETENTION_DAYS * DAY_MS);
    const ages = { now: now.toISOString(), eventsBefore: eventsBefore.toISOString() };
    const purged = await purgeDatabase(ages, stop.signal);
    observer?.purged(purged);
    if (purged.keys + purged.events > 0) log.info(purged, 'purged');
  };
  const purgeUntilStopped = async () => {
    do {
      await purgeOnce().catch((err: unknown) => {
        log.warn({ err }, 'a purge failed; the next one continues where it stopped');
      });
    } while (await waited(Math.random() * INTERVAL_MS, stop.signal));
  };
  const stopped = purgeUntilStopped();
  return async () => {
    stop.abort();
    await stopped;
  };
}

/** Waits; `false` when it was told to stop meanwhile. */
async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  return await sleep(ms, true, { signal }).catch(() => false);
}
