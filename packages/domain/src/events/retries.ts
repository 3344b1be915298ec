import type { AbortSignalLike } from './abort-signal.ts';
import { systemTimer, type Timer } from './timer.ts';

/** How pauses grow with the failures in a row: each is twice as long as the one before, up to a maximum. */
export interface BackoffPolicy {
  /** Maximum of the first pause, in milliseconds. */
  readonly firstMs: number;
  /** Maximum of any pause, in milliseconds. */
  readonly maxMs: number;
  /** The part of a pause that is random, from 0 to 1, so that what fails together is not repeated together. */
  readonly jitter: number;
}

/** The pauses of {@link Retries}. */
export const RETRY_PAUSES: BackoffPolicy = Object.freeze({ firstMs: 100, maxMs: 30_000, jitter: 0.5 });

/**
 * Returns the pause after so many failures in a row, at least 1, in milliseconds.
 *
 * @param random from 0 to less than 1
 */
export function backoffMs(failures: number, { firstMs, maxMs, jitter }: BackoffPolicy, random: number): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1)) * (1 - jitter + jitter * random);
}

/** A retry that is about to be made. */
export interface Retry {
  /** The reason: the cause of {@link Unavailable}, or the exception of a handler. */
  readonly cause: unknown;
  /** The number of failures in a row, at least 1. */
  readonly failures: number;
  /** The pause before the retry, in milliseconds: at most 30 s, and random from half of its maximum. */
  readonly pauseMs: number;
}

/** Options of a use case that retries until it succeeds. */
export interface RetryOptions {
  /** Ends everything when it is aborted. Default: never. */
  readonly signal?: AbortSignalLike | undefined;
  /** Receives each retry before its pause, for logs. Default: no-op. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Default: {@link systemTimer}. */
  readonly timer?: Timer | undefined;
}

/**
 * The pauses of one activity between its failures, for instance of a consumer of your own. They grow with the failures in
 * a row.
 */
export class Retries {
  readonly #options: RetryOptions;
  readonly #pauses: BackoffPolicy;
  #failures = 0;

  /** @param pauses default: {@link RETRY_PAUSES} */
  constructor(options: RetryOptions, pauses: BackoffPolicy = RETRY_PAUSES) {
    this.#options = options;
    this.#pauses = pauses;
  }

  /** The number of failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** Checks whether the signal is aborted. */
  isOver(): boolean {
    return this.#options.signal?.aborted ?? false;
  }

  /** Pauses after a failure, until the signal is aborted at the longest. */
  async pause(cause: unknown): Promise<void> {
    this.#failures += 1;
    const { timer = systemTimer, signal, onRetry } = this.#options;
    const pauseMs = backoffMs(this.#failures, this.#pauses, timer.random());
    onRetry?.({ cause, failures: this.#failures, pauseMs });
    await timer.pause(pauseMs, signal);
  }

  /** Does work until it succeeds, at least once. Returns `null` if the signal is aborted before it has succeeded. */
  async until<T>(work: () => PromiseLike<T>): Promise<{ readonly result: T } | null> {
    do {
      try {
        const result = await work();
        this.reset();
        return { result };
      } catch (cause) {
        await this.pause(cause);
      }
    } while (!this.isOver());
    return null;
  }

  /** Ends the failures in a row. */
  reset(): void {
    this.#failures = 0;
  }
}
