import { type ResourceLimits, Worker } from 'node:worker_threads';
import {
  type FromThread,
  INTERRUPTED,
  type Outcome,
  type Post,
  type ToThread,
  type TransportOptions,
} from './transport.ts';

/** The script of the thread, beside this module as a source and as it is published. */
export const THREAD_SCRIPT: URL = new URL(
  `./sending-thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`,
  import.meta.url,
);

/** What a thread is started with. */
interface ThreadSettings {
  readonly script: URL;
  readonly options: TransportOptions;
  readonly limits: ResourceLimits;
}

/**
 * Starts a thread that sends requests until `signal` is aborted. Resolves with `undefined` if it ends before it can send. The
 * thread does not keep the process running.
 *
 * @param onEnd receives the reason why the thread has ended; its requests are then interrupted
 */
export function startThread(
  { script, options, limits }: ThreadSettings,
  signal: AbortSignal,
  onEnd: (cause: unknown) => void,
): Promise<Post | undefined> {
  const { promise, resolve } = Promise.withResolvers<Post | undefined>();
  const pending = new Map<number, (outcome: Outcome) => void>();
  let requests = 0;
  let isEnded = false;
  let cause: unknown;
  // Of the environment, which has secrets, only the settings of Node.js, such as NODE_EXTRA_CA_CERTS.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('NODE_')));
  const worker = new Worker(script, { name: 'orders-webhooks', workerData: options, resourceLimits: limits, env });

  const post: Post = async (request, interruption) => {
    if (isEnded || interruption.aborted) return INTERRUPTED;
    const id = ++requests;
    const ending = Promise.withResolvers<Outcome>();
    const interrupt = () => {
      worker.postMessage({ interrupted: id } satisfies ToThread);
      ending.resolve(INTERRUPTED);
    };
    pending.set(id, ending.resolve);
    interruption.addEventListener('abort', interrupt);
    worker.postMessage({ id, request } satisfies ToThread, [request.body.buffer]);
    try {
      return await ending.promise;
    } finally {
      interruption.removeEventListener('abort', interrupt);
      pending.delete(id);
    }
  };

  worker
    .on('message', (message: FromThread) => {
      if (message === 'ready') resolve(post);
      else pending.get(message.id)?.(message.outcome);
    })
    .on('error', (thrown) => {
      cause = thrown;
    })
    .on('exit', (code) => {
      isEnded = true;
      for (const settle of pending.values()) settle(INTERRUPTED);
      onEnd(cause ?? new Error(`the thread has ended with the code ${code}`));
      resolve(undefined);
    })
    .unref();
  signal.addEventListener('abort', () => void worker.terminate(), { once: true });
  return promise;
}
