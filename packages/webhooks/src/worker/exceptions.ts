import type { Unavailable } from '@orders/domain';
import { err, type Result } from 'neverthrow';
import type { WebhookWorkerLog, WebhookWorkerObserver, WebhookWorkerOptions } from './worker-options.ts';

/** Calls the store. What it throws is a defect of it, and counts as a failure too. */
export async function tried<T>(call: () => PromiseLike<Result<T, Unavailable>>): Promise<Result<T, Unavailable>> {
  try {
    return await call();
  } catch (cause) {
    return err({ type: 'unavailable', cause });
  }
}

/** Calls the observer. An exception of it is ignored, since deliveries must not depend on metrics. */
export function observe(
  { observer }: Pick<WebhookWorkerOptions, 'observer'>,
  report: (observer: WebhookWorkerObserver) => void,
): void {
  if (observer) ignoreExceptions(() => report(observer));
}

/** Returns a log whose exceptions are ignored, since deliveries must not depend on it either. */
export function quietLog(log: WebhookWorkerLog): WebhookWorkerLog {
  return {
    info: (details, message) => ignoreExceptions(() => log.info(details, message)),
    warn: (details, message) => ignoreExceptions(() => log.warn(details, message)),
  };
}

function ignoreExceptions(run: () => void): void {
  try {
    run();
  } catch {
    // Nothing is left to report it to.
  }
}
