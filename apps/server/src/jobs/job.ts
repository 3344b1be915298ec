import { setTimeout as sleep } from 'node:timers/promises';
import { Retries } from '@orders/domain/events';
import type { DueDeliveries, OrdersDatabase, OwnerStepOptions, Purged } from '@orders/persistence';
import type { WebhookWorkerObserver } from '@orders/webhooks';
import type { FastifyBaseLogger } from 'fastify';

/** What a server does besides requests. */
export interface Job {
  readonly name: string;
  /** Works until the signal is aborted. Resolves when all of it has ended. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** What jobs work with. */
export interface JobParts {
  readonly database: OrdersDatabase;
  readonly log: FastifyBaseLogger;
  /** Default: no-op. */
  readonly observer?: JobObserver | undefined;
}

/** The steps over all owners. */
export const OWNER_STEPS = ['purge', 'number_events', 'find_deliveries', 'count_deliveries', 'erase'] as const;
export type OwnerStep = (typeof OWNER_STEPS)[number];

/** Receives what jobs have done, for example as metrics. */
export interface JobObserver extends WebhookWorkerObserver {
  /** A step has passed over an owner, or those of a node. A later run of the step returns to them. */
  ownerPassedOver?(step: OwnerStep): void;
  /** Receives the numbers of rows that a purge has deleted. */
  purged?(rows: Purged): void;
  /** Receives how many changes had no position, and the age of the oldest in milliseconds; 0 without any. */
  unnumbered?(count: number, oldestAgeMs: number): void;
  /** Receives the due deliveries of all owners. */
  deliveriesDue?(due: DueDeliveries): void;
  /** A later release has written an event, whose delivery was postponed. */
  eventUnreadable?(): void;
  /** Receives whether the database must not send. */
  quiet?(isQuiet: boolean): void;
}

/** A job that repeats a step. */
interface RepeatedStep {
  readonly name: string;
  /**
   * Maximum wait between two runs, in milliseconds. The wait is random, so that servers that start together do not run
   * together.
   */
  readonly intervalMs: number;
  readonly step: (signal: AbortSignal) => Promise<unknown>;
  /** The line of the log when a run has failed. The next one follows nevertheless. */
  readonly failure: string;
}

/** Returns a job that runs a step at once and then repeatedly. */
export function every({ name, intervalMs, step, failure }: RepeatedStep, log: FastifyBaseLogger): Job {
  const run = async (signal: AbortSignal) => {
    do await step(signal).catch((err: unknown) => log.warn({ err }, failure));
    while (await sleep(Math.random() * intervalMs, true, { signal }).catch(() => false));
  };
  return { name, run };
}

/**
 * Starts the jobs of a server, without those that it does not have. One that fails, which is a defect, is logged and started
 * again after a pause. The returned function stops all, the last one first, and waits for them.
 */
export function startJobs(jobs: readonly (Job | false | undefined)[], log: FastifyBaseLogger): () => Promise<void> {
  const started = jobs
    .filter((job) => typeof job === 'object')
    .map((job) => {
      const stop = new AbortController();
      return { stop, ended: runUntilStopped(job, stop.signal, log) };
    });
  return async () => {
    for (const { stop } of started.toReversed()) stop.abort();
    await Promise.all(started.map(({ ended }) => ended));
  };
}

async function runUntilStopped({ name: job, run }: Job, signal: AbortSignal, log: FastifyBaseLogger): Promise<void> {
  const onRetry = ({ cause: err, pauseMs }: { readonly cause: unknown; readonly pauseMs: number }) =>
    log.error({ job, err, pauseMs }, 'a job has failed; it is started again after a pause');
  await new Retries({ signal, onRetry }).until(() => run(signal));
}

/** Returns the options of a step, which log and count each owner that it passes over. */
export function observedStep(step: OwnerStep, { log, observer }: Omit<JobParts, 'database'>) {
  return {
    onPassedOver: (owner, err) => {
      observer?.ownerPassedOver?.(step);
      log.warn({ step, owner, err }, 'an owner was passed over; a later run returns to it');
    },
    onNodeDown: (err) => {
      observer?.ownerPassedOver?.(step);
      log.warn({ step, err }, 'a node of Citus is down: its owners were passed over; a later run returns to them');
    },
  } satisfies OwnerStepOptions;
}
