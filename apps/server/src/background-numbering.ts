import { type Database, numberBacklogs } from '@orders/persistence';
import type { FastifyBaseLogger } from 'fastify';
import { inBackground } from './in-background.ts';

/** Maximum wait between two runs, in milliseconds. */
const INTERVAL_MS = 60 * 1000;

/**
 * Gives changes their positions in the feeds of owners with many new ones, at once and then repeatedly, until stopped. The
 * returned function waits for the current batches.
 */
export function numberInBackground(database: Database, log: FastifyBaseLogger): () => Promise<void> {
  const numberOnce = async (signal: AbortSignal) => {
    const owners = await numberBacklogs(database, signal);
    if (owners > 0) log.info({ owners }, 'numbered the events of owners with many new ones');
  };
  const failed = (err: unknown) => log.warn({ err }, 'numbering of events failed; the next run continues there');
  return inBackground(numberOnce, { intervalMs: INTERVAL_MS, failed });
}
