import { type DueDeliveries, dueDeliveries, type OrdersDatabase } from '@orders/persistence';
import type { FastifyBaseLogger } from 'fastify';
import { inBackground, observedStep, type OwnerStepsObserver } from './in-background.ts';

/** Maximum wait between two counts, in milliseconds. */
const INTERVAL_MS = 30 * 1000;

/** Receives the counts of due deliveries. */
export interface DueDeliveriesObserver extends OwnerStepsObserver {
  /** Receives the due deliveries of all owners. */
  readonly deliveriesDue: (due: DueDeliveries) => void;
}

/**
 * Counts due deliveries, at once and then repeatedly, until stopped. The returned function waits for the current statement.
 * Whether this process delivers makes no difference: the counts also show that no worker runs.
 */
export function countDueDeliveries(
  database: OrdersDatabase,
  log: FastifyBaseLogger,
  observer: DueDeliveriesObserver,
): () => Promise<void> {
  const step = observedStep('count_deliveries', log, observer);
  const countOnce = async (signal: AbortSignal) => {
    const due = await dueDeliveries(database, signal, step);
    if (!signal.aborted) observer.deliveriesDue(due);
  };
  const failed = (err: unknown) =>
    log.warn({ err }, 'due webhook deliveries could not be counted; the next run does it');
  return inBackground(countOnce, { intervalMs: INTERVAL_MS, failed });
}
