import { constants } from 'node:os';
import { OperatorError } from '../operator-error.ts';

/** A request of the operator or the system to end this process. */
export interface StopSignal {
  /** Aborted at the first signal, with an {@link OperatorError} with its exit code and no message. */
  readonly signal: AbortSignal;
  /** Resolves with the first signal. */
  readonly stopped: Promise<NodeJS.Signals>;
}

/**
 * The time within which further signals count as the first one, in milliseconds. One Ctrl-C reaches this process from
 * the terminal and from each package manager above it.
 */
const SAME_MS = 500;

/** Returns the exit code of a process that a signal ended, as shells report it. */
function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/**
 * Listens for SIGTERM, SIGINT and SIGHUP from now on. The first signal requests a clean end, a second one ends the
 * process at once.
 */
export function listenForStop(): StopSignal {
  const controller = new AbortController();
  let firstAt: number | undefined;
  const stopped = new Promise<NodeJS.Signals>((resolve) => {
    const receive = (name: NodeJS.Signals) => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        resolve(name);
        controller.abort(new OperatorError([], { exitCode: exitCodeOf(name) }));
      } else if (performance.now() - firstAt > SAME_MS) {
        process.exit(exitCodeOf(name));
      }
    };
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, receive);
  });
  return { signal: controller.signal, stopped };
}
