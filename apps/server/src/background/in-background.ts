import { setTimeout as sleep } from 'node:timers/promises';
import type { Domain, OrderDefinition } from '@orders/domain';
import {
  consumeStatistics,
  finishErasures,
  numberBacklogs,
  type OrdersDatabase,
  type OwnerStepOptions,
} from '@orders/persistence';
import type { FastifyBaseLogger } from 'fastify';

/** Options of work in the background. */
export interface BackgroundOptions {
  /**
   * Maximum wait between two runs, in milliseconds. The wait is random, so that servers that start together do not run
   * together.
   */
  readonly intervalMs: number;
  /** Receives the failure of a run; the next one follows nevertheless. */
  readonly failed: (cause: unknown) => void;
}

/** Runs `work` at once and then repeatedly, until stopped. The returned function aborts its signal and waits for its end. */
export function inBackground(
  work: (signal: AbortSignal) => Promise<void>,
  { intervalMs, failed }: BackgroundOptions,
): () => Promise<void> {
  const stop = new AbortController();
  const runUntilStopped = async () => {
    do {
      await work(stop.signal).catch(failed);
    } while (await sleepUnlessAborted(Math.random() * intervalMs, stop.signal));
  };
  const stopped = runUntilStopped();
  return async () => {
    stop.abort();
    await stopped;
  };
}

/** Waits for `ms` milliseconds; returns `false` when the signal is aborted. */
async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<boolean> {
  return await sleep(ms, true, { signal }).catch(() => false);
}

/** The steps over all owners. */
export const OWNER_STEPS = ['purge', 'number_events', 'find_deliveries', 'count_deliveries', 'erase'] as const;
export type OwnerStep = (typeof OWNER_STEPS)[number];

/** Receives the owners that steps pass over. */
export interface OwnerStepsObserver {
  /** A step has passed over an owner, or those of a node. A later run of the step returns to them. */
  readonly ownerPassedOver?: (step: OwnerStep) => void;
}

/** Returns the options of a step, which log and count each owner that it passes over. */
export function observedStep(
  step: OwnerStep,
  log: FastifyBaseLogger,
  observer: OwnerStepsObserver | undefined,
): OwnerStepOptions {
  return {
    onPassedOver: (owner, err) => {
      observer?.ownerPassedOver?.(step);
      log.warn({ step, owner, err }, 'an owner was passed over; a later run returns to it');
    },
    onNodeDown: (err) => {
      observer?.ownerPassedOver?.(step);
      log.warn({ step, err }, 'a node of Citus is down: its owners were passed over; a later run returns to them');
    },
  };
}

/** Maximum wait between two runs of the numbering, in milliseconds. */
const NUMBERING_INTERVAL_MS = 60 * 1000;

/** Receives the results of the numbering in the background. */
export interface NumberingObserver extends OwnerStepsObserver {
  /** Receives how many changes had no position, and the age of the oldest in milliseconds; 0 without any. */
  readonly unnumbered: (count: number, oldestAgeMs: number) => void;
}

/**
 * Gives changes their positions in the feeds of owners with many new ones, at once and then repeatedly, until stopped. The
 * returned function waits for the current batches.
 */
export function numberInBackground(
  database: OrdersDatabase,
  log: FastifyBaseLogger,
  observer?: NumberingObserver,
): () => Promise<void> {
  const step = observedStep('number_events', log, observer);
  const numberOnce = async (signal: AbortSignal) => {
    const { owners, unnumbered, oldestAt } = await numberBacklogs(database, signal, step);
    observer?.unnumbered(unnumbered, oldestAt === null ? 0 : Math.max(0, Date.now() - Date.parse(oldestAt)));
    if (owners > 0) log.info({ owners }, 'numbered the events of owners with many new ones');
  };
  const failed = (err: unknown) => log.warn({ err }, 'numbering of events failed; the next run continues there');
  return inBackground(numberOnce, { intervalMs: NUMBERING_INTERVAL_MS, failed });
}

/**
 * Keeps the figures of the orders of all owners, until stopped. Servers share the work. The returned function waits for the
 * current statements.
 */
export function countOrdersInBackground(database: OrdersDatabase, log: FastifyBaseLogger): () => Promise<void> {
  const stop = new AbortController();
  const counted = consumeStatistics(database, {
    signal: stop.signal,
    onRetry: ({ owner, cause: err, pauseMs }) =>
      log.warn({ owner, err, pauseMs }, 'orders could not be counted; another attempt follows a pause'),
    onRecounted: (owner) => log.info({ owner }, 'counted the orders of an owner again'),
  });
  return async () => {
    stop.abort();
    await counted;
  };
}

/**
 * Finishes the erasures whose orders were too many for the request, or that were interrupted, until stopped. Servers share
 * the work. The returned function waits for the current batches.
 */
export function eraseInBackground(
  database: OrdersDatabase,
  { continueErasures }: Pick<Domain<OrderDefinition>, 'continueErasures'>,
  log: FastifyBaseLogger,
  observer?: OwnerStepsObserver,
): () => Promise<void> {
  const stop = new AbortController();
  const { onPassedOver, onNodeDown } = observedStep('erase', log, observer);
  const erased = finishErasures(database, continueErasures, {
    signal: stop.signal,
    onRetry: ({ owner, cause: err }) => {
      if (owner === null) log.warn({ err }, 'pending erasures could not be found; another attempt follows a pause');
      else onPassedOver?.(owner, err);
    },
    onNodeDown,
    onPassedOver,
    onFinished: (owner, erasures) => log.info({ owner, erasures }, 'erasures are done'),
  });
  return async () => {
    stop.abort();
    await erased;
  };
}
