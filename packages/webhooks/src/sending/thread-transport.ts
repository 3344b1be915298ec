import type { ResourceLimits } from 'node:worker_threads';
import { Retries, RETRY_PAUSES, systemTimer, type Timer } from '@orders/domain/events';
import { startThread, THREAD_SCRIPT } from './start-thread.ts';
import type { Post, Transport, TransportOptions } from './transport.ts';

/** The memory of the objects in a thread, in MiB. Beyond it, the thread ends. */
const THREAD_HEAP_MIB_MAX = 256;
/** The pauses before a thread that has ended is started again. */
const PAUSES = { ...RETRY_PAUSES, maxMs: 5000 };
/** Time after which the end of a thread counts as the first one again, in milliseconds. */
const STEADY_MS = 60_000;

/** What tests replace. */
export interface ThreadSeams {
  /** The script of the thread. */
  readonly script?: URL | undefined;
  readonly limits?: ResourceLimits | undefined;
  /** The timer of restarts. */
  readonly timer?: Timer | undefined;
}

interface ThreadParts extends ThreadSeams {
  readonly warn: ((message: string, cause: unknown) => void) | undefined;
}

/**
 * Creates a transport that works in a thread of its own, which starts with the first request. What a receiver or its name
 * servers send is read there alone. The thread gets signatures, and no secret or environment.
 */
export function threadTransport(
  options: TransportOptions,
  {
    script = THREAD_SCRIPT,
    limits = { maxOldGenerationSizeMb: THREAD_HEAP_MIB_MAX },
    timer = systemTimer,
    warn,
  }: ThreadParts,
): Transport {
  const closing = new AbortController();
  const retries = new Retries({ timer, signal: closing.signal }, PAUSES);
  let current: Promise<Post | undefined> | undefined;
  let endedBy: unknown;

  const ended = (startedAt: number, cause: unknown): void => {
    current = undefined;
    if (closing.signal.aborted) return;
    if (timer.now() - startedAt > STEADY_MS) retries.reset();
    endedBy = cause;
    warn?.('the thread that sends webhooks has ended', cause);
  };

  /** Starts a thread. Resolves with `undefined` if it ends before it can send. */
  const start = async (): Promise<Post | undefined> => {
    if (endedBy !== undefined) await retries.pause(endedBy);
    if (closing.signal.aborted) return undefined;
    const startedAt = timer.now();
    return await startThread({ script, options, limits }, closing.signal, (cause) => ended(startedAt, cause));
  };

  return {
    open: async (signal) => {
      const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
      const end = () => resolve(undefined);
      signal.addEventListener('abort', end);
      let post: Post | undefined;
      while (!post && !signal.aborted) post = await Promise.race([(current ??= start()), aborted]);
      signal.removeEventListener('abort', end);
      return post;
    },
    close: () => closing.abort(),
  };
}
