import type { Clock, IdSource, OrderDefinition, ORDERS } from '@orders/domain';
import { type BackoffPolicy, type FeedEvent, RETRY_PAUSES, type Timer } from '@orders/domain/events';
import type {
  AttemptError,
  DisabledReason,
  WebhookEndpointRepository,
  WebhookQueue,
  WebhookSender,
} from '@orders/domain/webhooks';

/** Default maximum number of attempts that one worker makes at a time. */
export const WORKER_ATTEMPTS_MAX_DEFAULT = 512;

/** Default maximum number of attempts that one worker makes for one owner at a time. */
export const WORKER_ATTEMPTS_PER_OWNER_MAX_DEFAULT = 32;

/**
 * Default maximum number of attempts per second and processor that one worker makes for an owner while it serves others too. On
 * two processors, more delay the deliveries of others by more than a fifth.
 */
export const WORKER_ATTEMPTS_PER_OWNER_PER_SECOND_DEFAULT = 50;

/** Default time between two queries for owners with due deliveries, in milliseconds; it varies by a quarter. */
export const WORKER_POLL_MS_DEFAULT = 1000;

/** Default time for which a worker that stops waits for running attempts, in milliseconds. */
export const WORKER_STOP_GRACE_MS_DEFAULT = 5000;

/** The pauses before the store is called again after failures. */
export const STORE_PAUSES: BackoffPolicy = { ...RETRY_PAUSES, maxMs: 5000 };

/** Receives the failures of a worker, with the ids of what they are about. A logger of pino fits. */
export interface WebhookWorkerLog {
  /** An endpoint rejected a message. */
  info(details: object, message: string): void;
  /** Something needs attention: the store failed, or an endpoint was disabled. */
  warn(details: object, message: string): void;
}

/** The result of one attempt. */
export interface ObservedAttempt {
  /** `null` if the endpoint accepted the message. */
  readonly error: AttemptError | null;
  readonly durationMs: number;
  /** Time since the event, by the clock of this process, in milliseconds; at least 0. */
  readonly lagMs: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Whether no further attempt follows. */
  readonly isLast: boolean;
}

/** Receives what operators count, for example as metrics. The methods must return immediately; exceptions are ignored. */
export interface WebhookWorkerObserver {
  /** An attempt ended. */
  attempted?(attempt: ObservedAttempt): void;
  /** The result of an attempt was not recorded, since another worker has claimed the delivery. */
  leaseLost?(): void;
  /** The worker has disabled an endpoint. */
  disabled?(reason: DisabledReason): void;
  /** A query has found this number of owners with due deliveries. */
  ownersDue?(count: number): void;
  /** The store failed, or was unavailable. */
  storeFailed?(): void;
}

/** Options of a worker for events of orders of a definition. */
export interface WebhookWorkerOptions<D extends OrderDefinition = typeof ORDERS> {
  readonly queue: WebhookQueue<D>;
  readonly sender: WebhookSender;
  /** Where the worker disables endpoints. */
  readonly endpoints: WebhookEndpointRepository<D>;
  readonly ids: IdSource;
  readonly clock: Clock;
  /** Returns the `data` of the message for an event, a JSON value. */
  readonly present: (event: FeedEvent<D>) => unknown;
  readonly log: WebhookWorkerLog;
  /** Default: no-op. */
  readonly observer?: WebhookWorkerObserver | undefined;
  /** Maximum number of attempts at a time. Default: {@link WORKER_ATTEMPTS_MAX_DEFAULT}. */
  readonly attemptsMax?: number | undefined;
  /**
   * Maximum number of attempts of one owner at a time. An owner also gets at most a sixteenth of the attempts that are free,
   * so that slow receivers of some owners leave attempts for the others. Default:
   * {@link WORKER_ATTEMPTS_PER_OWNER_MAX_DEFAULT}.
   */
  readonly attemptsPerOwnerMax?: number | undefined;
  /**
   * Maximum number of attempts per second for one owner while the worker serves others too, who would wait behind an owner
   * with many due deliveries; greater than 0. Default: {@link WORKER_ATTEMPTS_PER_OWNER_PER_SECOND_DEFAULT} for each
   * processor that is available.
   */
  readonly attemptsPerOwnerPerSecond?: number | undefined;
  /** Default: {@link WORKER_POLL_MS_DEFAULT}. */
  readonly pollMs?: number | undefined;
  /** Default: {@link WORKER_STOP_GRACE_MS_DEFAULT}. */
  readonly stopGraceMs?: number | undefined;
  /** Returns whether deliveries may be attempted now. Those of new events are created in any case. Default: always. */
  readonly maySend?: (() => Promise<boolean>) | undefined;
  /** Default: that of the runtime. */
  readonly timer?: Timer | undefined;
}
