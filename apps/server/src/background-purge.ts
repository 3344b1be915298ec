import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, type Purged, purge } from '@orders/persistence';
import type { FastifyBaseLogger } from 'fastify';
import { clocksDiffer } from './clocks.ts';
import type { Config } from './config.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The longest wait between two purges, in milliseconds. Any wait up to it, so that servers started together part. */
const INTERVAL_MS = 10 * 60 * 1000;

/**
 * Removes expired keys and old events, at once and then from time to time, until stopped. The current batch of a purge
 * is waited for. A purge is left out while the clocks of server and database differ by more than a minute. `onPurged`
 * receives what each purge removed.
 */
export function purgeInBackground(
  database: Database,
  { OUTBOX_RETENTION_DAYS }: Config,
  log: FastifyBaseLogger,
  onPurged: (purged: Purged) => void = () => undefined,
): () => Promise<void> {
  const stop = new AbortController();
  const purgeDatabase = purge(database);
  const purgeOnce = async () => {
    const difference = await clocksDiffer(database);
    if (difference !== null) {
      log.warn(`no purge: ${difference}`);
      return;
    }
    const now = new Date();
    const eventsBefore = new Date(now.getTime() - OUTBOX_RETENTION_DAYS * DAY_MS);
    const ages = { now: now.toISOString(), eventsBefore: eventsBefore.toISOString() };
    const purged = await purgeDatabase(ages, stop.signal);
    onPurged(purged);
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
