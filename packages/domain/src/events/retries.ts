import type { AbortSignalLike } from './abort-signal.ts';
import { systemTimer, type Timer } from './timer.ts';

/** Maximum pause before the first retry, in milliseconds. Each further one is twice as long. */
const FIRST_PAUSE_MS = 100;

/** Maximum pause before a retry, in milliseconds. */
const PAUSE_MAX_MS = 30_000;

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
  readonly #pauseMaxMs: number;
  #failures = 0;

  /** @param pauseMaxMs maximum pause before a retry, in milliseconds; default: 30 s */
  constructor(options: RetryOptions, pauseMaxMs = PAUSE_MAX_MS) {
    this.#options = options;
    this.#pauseMaxMs = pauseMaxMs;
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
    const most = Math.min(this.#pauseMaxMs, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
    const pauseMs = most * (0.5 + timer.random() / 2);
    onRetry?.({ cause, failures: this.#failures, pauseMs });
    await timer.pause(pauseMs, signal);
  }

  /** Ends the failures in a row. */
  reset(): void {
    this.#failures = 0;
  }
}
